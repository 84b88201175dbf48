// The only source of time in a simulation: a queue of events, each of which belongs to a process that may be dead or stand still.

/** A simulated process. */
export interface Owner {
  readonly name: string;
  /** Milliseconds by which its clock is ahead of the true time. */
  readonly skew: number;
  /** True once it was killed: none of its events happens any more. */
  readonly isDead: boolean;
  /** The time until which it stands still. Its events wait until then. */
  readonly awake: number;
}

/** An event to come. */
export interface Timer {
  isCancelled: boolean;
}

interface Planned extends Timer {
  at: number;
  readonly order: number;
  readonly owner: Owner | undefined;
  readonly work: () => void;
}

/** Real turns of the event loop that are asked for at a time. Between two of them all promises settle. */
const batch = 64;
const turn = setImmediate;

/** Plans events and lets them happen, one after the other, each with all that follows from it at once. */
export class Scheduler {
  /** The true time in milliseconds. */
  now = 0;
  /** The process that the event of this moment belongs to; undefined for the world outside of all processes. */
  owner: Owner | undefined;
  /** The number of events so far. */
  events = 0;
  #order = 0;
  #isStopped = false;
  readonly #heap: Planned[] = [];

  /** Plans an event in so many milliseconds. Default owner: that of this moment. */
  after(ms: number, work: () => void, owner: Owner | undefined = this.owner): Timer {
    const planned = {
      at: this.now + Math.max(0, Math.ceil(ms)),
      order: (this.#order += 1),
      owner,
      work,
      isCancelled: false,
    };
    this.#push(planned);
    return planned;
  }

  /** Resolves in so many milliseconds, in the process of this moment. */
  wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.after(ms, resolve);
    });
  }

  /** The clock of the process of this moment, in milliseconds. */
  clock(owner: Owner | undefined = this.owner): number {
    return this.now + (owner?.skew ?? 0);
  }

  /** Ends `run` after the event of this moment. */
  stop(): void {
    this.#isStopped = true;
  }

  /** Lets events happen until none is left, or until `stop`. Rejects if there are more events than `most`, or if one of them throws. */
  run(most: number): Promise<void> {
    return new Promise((resolve, reject) => {
      let hasEnded = false;
      const end = (settle: () => void): void => {
        hasEnded = true;
        this.owner = undefined;
        settle();
      };
      const one = (): void => {
        if (hasEnded) return;
        try {
          if (this.#isStopped || !this.#step()) end(resolve);
          else if (this.events > most)
            end(() => {
              reject(new Error(`more than ${String(most)} events`));
            });
        } catch (thrown) {
          end(() => {
            reject(thrown instanceof Error ? thrown : new Error(String(thrown)));
          });
        }
      };
      const next = (): void => {
        if (hasEnded) return;
        for (let index = 0; index < batch; index += 1) turn(one);
        turn(next);
      };
      next();
    });
  }

  /** Lets the next event happen. Returns false if none is left. */
  #step(): boolean {
    for (;;) {
      const next = this.#pop();
      if (next === undefined) return false;
      const { owner } = next;
      if (next.isCancelled || owner?.isDead === true) continue;
      if (owner !== undefined && owner.awake > next.at) {
        next.at = owner.awake;
        this.#push(next);
        continue;
      }
      this.now = next.at;
      this.owner = owner;
      this.events += 1;
      next.work();
      return true;
    }
  }

  #push(planned: Planned): void {
    const heap = this.#heap;
    let index = heap.push(planned) - 1;
    while (index > 0) {
      const above = (index - 1) >> 1;
      if (!isBefore(planned, heap[above]!)) break;
      heap[index] = heap[above]!;
      index = above;
    }
    heap[index] = planned;
  }

  #pop(): Planned | undefined {
    const heap = this.#heap;
    const [first] = heap;
    const last = heap.pop();
    if (first === undefined || last === undefined || heap.length === 0) return first;
    let index = 0;
    for (;;) {
      let below = 2 * index + 1;
      if (below >= heap.length) break;
      if (below + 1 < heap.length && isBefore(heap[below + 1]!, heap[below]!)) below += 1;
      if (!isBefore(heap[below]!, last)) break;
      heap[index] = heap[below]!;
      index = below;
    }
    heap[index] = last;
    return first;
  }
}

function isBefore(a: Planned, b: Planned): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}
