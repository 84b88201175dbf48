// A channel from work that runs side by side to one reader.

/** Takes values from many writers, and gives them to one reader in order. */
export class Channel<Value> {
  readonly #values: Value[] = [];
  #wake: (() => void) | undefined;
  #isClosed = false;

  push(value: Value): void {
    this.#values.push(value);
    this.#wake?.();
  }

  /** The reader ends after the values that are there. */
  close(): void {
    this.#isClosed = true;
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Value, void, void> {
    for (;;) {
      while (this.#values.length > 0) yield this.#values.shift() as Value;
      if (this.#isClosed) return;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}
