// One run on its way to its watchers: records once they are stored, and the events between them.

import type { Event, JournalRecord, LastcallError, Lease, OpenSession, ReadableSession } from "../../core/index.js";
import type { LiveTexts } from "../../memory/index.js";
import { isLive } from "./live-event.js";
import { LiveRun } from "./live-run.js";
import type { RunWatcher, WatchedRun } from "./run-watcher.js";

/** One run on its way to its watchers. */
export class WatchedBy {
  readonly #watchers: readonly RunWatcher[];
  readonly #runs: readonly WatchedRun[];
  /** Records that are not stored yet, and the events after them. */
  #waiting: (JournalRecord | Event)[] = [];
  #due: NodeJS.Immediate | undefined;

  /** `live`: watchers in other processes hear of the run as well. */
  constructor(watchers: Iterable<RunWatcher>, session: string, live?: LiveTexts) {
    this.#watchers = [...watchers];
    const here = this.#watchers.map((watcher) => watcher.begin(session));
    this.#runs = live === undefined ? here : [new LiveRun(live, session), ...here];
  }

  /** The lease as the run gets it. */
  over(lease: Lease): Lease {
    for (const run of this.#runs) run.hold(lease.records.at(-1));
    return {
      ...lease,
      child: (id) => this.#childOver(lease.child(id)),
      append: async (record) => {
        await lease.append(record);
        this.#waiting.push(record);
        this.#due ??= setImmediate(() => void this.#passOn(lease));
      },
      release: async () => {
        clearImmediate(this.#due);
        await this.#passOn(lease);
        for (const run of this.#runs) run.release();
        await lease.release();
      },
    };
  }

  event(event: Event): void {
    if (!isLive(event)) return;
    if (this.#waiting.length > 0) this.#waiting.push(event);
    else this.#pass(event);
  }

  end(fault?: LastcallError): void {
    for (const run of this.#runs) run.end(fault);
  }

  /** The session of an agent that a call runs. Its run begins with its lease, and ends with it. */
  #childOver(session: OpenSession & ReadableSession): OpenSession & ReadableSession {
    return {
      ...session,
      lease: async (onBusy) => {
        const lease = await session.lease(onBusy);
        if (lease === undefined) return undefined;
        const watched = new WatchedBy(this.#watchers, session.id);
        const { release, ...rest } = watched.over(lease);
        const end = (): void => {
          watched.end();
        };
        return { ...rest, release: () => release().finally(end) };
      },
    };
  }

  /** Records of one turn are stored together at its end. The lease does so in a callback that was set before the callback of this. */
  async #passOn(lease: Lease): Promise<void> {
    this.#due = undefined;
    const last = this.#waiting.at(-1);
    try {
      await lease.stored();
    } catch {
      // A lease that is lost ends the run, which tells why.
      return;
    }
    const count = last === undefined ? 0 : this.#waiting.indexOf(last) + 1;
    for (const one of this.#waiting.splice(0, count)) this.#pass(one);
    // Events after the last record that is stored wait for none.
    while (this.#waiting[0] !== undefined && !("seq" in this.#waiting[0])) this.#pass(this.#waiting.shift() as Event);
  }

  #pass(one: JournalRecord | Event): void {
    for (const run of this.#runs) {
      if ("seq" in one) run.record(one);
      else run.event(one);
    }
  }
}
