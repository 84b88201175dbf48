// Doings: what a conversation does, one thing after the other; what takes time can be stopped.

/** Who is told. */
export interface DoingsOptions {
  /** Something that takes time begins, or is over. */
  readonly onBusy: (isBusy: boolean) => void;
  /** Something went wrong. What comes after it is done all the same. */
  readonly onFault: (thrown: unknown) => void;
  /** Aborts when the person leaves: nothing that takes time begins any more. */
  readonly left: AbortSignal;
}

/** What is done, being done and to be done. */
export class Doings {
  readonly #options: DoingsOptions;
  #last: Promise<void> = Promise.resolve();
  /** Stops what takes time; undefined where nothing does. */
  #stop: AbortController | undefined;

  constructor(options: DoingsOptions) {
    this.#options = options;
  }

  /** True while something takes time. */
  get isBusy(): boolean {
    return this.#stop !== undefined;
  }

  /** Does it when everything before it is done: nothing of a turn is lost because the next one was begun. */
  next(work: () => unknown): void {
    this.#last = this.#last.then(() => this.now(work));
  }

  /** Does it beside what goes on. Never rejects. */
  async now(work: () => unknown): Promise<void> {
    try {
      await work();
    } catch (thrown) {
      this.#options.onFault(thrown);
    }
  }

  /** Does what takes time, as a part of what is being done. */
  async busy(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const { left, onBusy } = this.#options;
    if (left.aborted) return;
    const stop = new AbortController();
    this.#stop = stop;
    onBusy(true);
    try {
      await work(stop.signal);
    } finally {
      this.#stop = undefined;
      onBusy(false);
    }
  }

  /** Stops what takes time. */
  stop(reason: string): void {
    this.#stop?.abort(new DOMException(reason, "AbortError"));
  }

  /** Waits until everything is done. */
  end(): Promise<void> {
    return this.#last;
  }
}
