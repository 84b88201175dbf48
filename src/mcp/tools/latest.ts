// Latest: the progress of a call. A reader that is slower than the server gets the newest line, and a flood is cut.

/** Lines of progress that one call may yield. */
const mostLines = 1000;

/** Holds the newest line until it is read. */
export class Latest {
  #line: string | undefined;
  #isOver = false;
  #wake: () => void = () => undefined;

  put(line: string): void {
    this.#line = line;
    this.#wake();
  }

  /** Ends the reading, after the last line. */
  end(): void {
    this.#isOver = true;
    this.#wake();
  }

  /** Yields each line that is there when it is asked for the next. */
  async *read(): AsyncGenerator<string, void, void> {
    for (let count = 0; ;) {
      const line = this.#line;
      this.#line = undefined;
      if (line !== undefined && count < mostLines) {
        count += 1;
        yield line;
      } else if (this.#isOver) return;
      else
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
    }
  }
}
