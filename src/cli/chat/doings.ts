// Doings: the queue of a conversation's work. Long work can be stopped.

/** The options of the queue. */
export interface DoingsOptions {
  /** Called when long work begins and when it has ended. */
  readonly onBusy: (isBusy: boolean) => void;
  /** Called with an error of the work. The work after it is done all the same. */
  readonly onFault: (thrown: unknown) => void;
  /** Aborts when the person leaves. No long work begins after that. */
  readonly left: AbortSignal;
}

/** The queue. */
export class Doings {
  readonly #options: DoingsOptions;
  #last: Promise<void> = Promise.resolve();
  /** Stops the long work; undefined if there is none. */
  #stop: AbortController | undefined;
  /** Ends the long work after its iteration; undefined if it has none, or is to end so already. */
  #finish: (() => void) | undefined;

  constructor(options: DoingsOptions) {
    this.#options = options;
  }

  /** True during long work. */
  get isBusy(): boolean {
    return this.#stop !== undefined;
  }

  /** Does the work after all work before it, so that a turn is complete before the next turn begins. */
  next(work: () => unknown): void {
    this.#last = this.#last.then(() => this.now(work));
  }

  /** Does the work at once, beside other work. Never rejects. */
  async now(work: () => unknown): Promise<void> {
    try {
      await work();
    } catch (thrown) {
      this.#options.onFault(thrown);
    }
  }

  /** Does long work, as a part of the present work. After the person has left, it does nothing. */
  async busy(work: (signal: AbortSignal, atFinish: (finish: () => void) => void) => Promise<void>): Promise<void> {
    const { left, onBusy } = this.#options;
    if (left.aborted) return;
    const stop = new AbortController();
    this.#stop = stop;
    onBusy(true);
    try {
      await work(stop.signal, (finish) => {
        this.#finish = finish;
      });
    } finally {
      this.#finish = undefined;
      this.#stop = undefined;
      onBusy(false);
    }
  }

  /** Lets the long work end after its iteration. Returns false if it can't, or is to end so already. */
  finish(): boolean {
    const finish = this.#finish;
    this.#finish = undefined;
    finish?.();
    return finish !== undefined;
  }

  /** True if the long work was stopped. */
  get isStopping(): boolean {
    return this.#stop?.signal.aborted ?? false;
  }

  /** Stops the long work. The reason says why, and who wanted it. */
  stop(reason: Error): void {
    this.#stop?.abort(reason);
  }

  /** Resolves when all work is done. */
  end(): Promise<void> {
    return this.#last;
  }
}
