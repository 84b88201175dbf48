// The hub: a host as the routes use it, with the frames of its sessions. It knows no HTTP.

import { setMaxListeners } from "node:events";
import { LastcallError } from "../../core/index.js";
import { explain, hasNoEnd, unlessAborted } from "../../core/internal.js";
import type { Delivery, Host, HostedRun, QueueTerms, RunEnd } from "../../host/index.js";
import { followSession, recordsAfter, type Store } from "../../memory/index.js";
import { feedsOf, type Feeds } from "../feed/feeds.js";
import type { Frame } from "../feed/frame.js";

/** Milliseconds to wait for the end of an aborted run: a host knows of the abort before the process that has the run writes it. */
const late = 10_000;

/** Finds the priority and the tenant of a session. */
export type TermsOf = (session: string) => QueueTerms | Promise<QueueTerms>;

/** A host with the frames of its sessions. */
export class Hub {
  readonly store: Store;
  readonly agents: readonly string[];
  readonly #host: Host;
  readonly #feeds: Feeds;
  readonly #termsOf: TermsOf;
  readonly #closed = new AbortController();

  constructor(host: Host, termsOf: TermsOf = () => ({})) {
    this.store = host.store;
    this.agents = host.agents;
    this.#host = host;
    this.#feeds = feedsOf(host);
    this.#termsOf = termsOf;
    // Each run listens, and Node warns of a leak from the eleventh on.
    setMaxListeners(0, this.#closed.signal);
  }

  /** True once the hub or its host closes. */
  get isClosed(): boolean {
    return this.#closed.signal.aborted || this.#host.isClosed;
  }

  /**
   * Gives a session something, with the terms of the session.
   * @throws LastcallError as `host.give`; `configuration` once the hub closes.
   */
  async give({ session = crypto.randomUUID(), ...delivery }: Delivery): Promise<HostedRun> {
    const terms = await this.#termsOf(session);
    if (this.isClosed) throw new LastcallError("configuration", "The server closes, and takes no inputs any more.");
    return this.#host.give({ ...delivery, ...terms, session });
  }

  abort(session: string, reason = "aborted over the server"): Promise<boolean> {
    return this.#host.abort(session, reason);
  }

  /** The frames of a session behind a cursor, until the signal aborts. */
  frames(session: string, after: string | undefined, signal: AbortSignal): AsyncGenerator<Frame, void, void> {
    return this.#feeds.frames(session, after, signal);
  }

  /** The end of a run, once the journal may have it. It never rejects: a fault is an end. */
  async endOf(run: HostedRun): Promise<RunEnd> {
    try {
      const end = await unlessAborted(run.ended(), this.#closed.signal);
      if (end.status === "aborted" && end.suspended !== true) await this.#untilEnded(run.session);
      return end;
    } catch (thrown) {
      // The host goes on with the run, whether or not a caller waits for it.
      if (this.#closed.signal.aborted) return { status: "aborted", suspended: true, message: "the server closes" };
      return { status: "failed", reason: "store", message: explain(thrown) };
    }
  }

  /** Ends the waits for runs. The host belongs to its maker. */
  close(): void {
    this.#closed.abort();
  }

  /** Waits until the last run of the session has an end, some seconds at most. */
  async #untilEnded(id: string): Promise<void> {
    const records = [...(await recordsAfter({ store: this.store, id }))];
    if (!hasNoEnd(records)) return;
    const signal = AbortSignal.any([this.#closed.signal, AbortSignal.timeout(late)]);
    for await (const more of followSession({ store: this.store, id, after: records.at(-1)?.seq, signal })) {
      records.push(...more);
      if (!hasNoEnd(records)) return;
    }
  }
}
