// The hub: a host as the routes use it, with the frames of its sessions. It knows no HTTP.

import { setMaxListeners } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { LastcallError, type Principal } from "../../core/index.js";
import { explain, hasNoEnd, unlessAborted } from "../../core/internal.js";
import { hasRuleFor } from "../../host/host-parts.js";
import type { Delivery, Host, HostedRun, QueueTerms, RunEnd } from "../../host/index.js";
import { followSession, forkSession, openSession, recordsAfter, type Store } from "../../memory/index.js";
import { feedsOf, type Feeds } from "../feed/feeds.js";
import type { Frame } from "../feed/frame.js";
import { ownedBy } from "../../guard/index.js";
import { keptAs, type Access, type Level } from "../who/access.js";
import { visibleStore } from "../who/visible-store.js";

/** Milliseconds to wait for the end of an aborted run: a host knows of the abort before the process that has the run writes it. */
const late = 10_000;

/** The most principals whose hubs are kept. */
const mostHubs = 1000;

/** The tries to begin a session that another caller begins as well, and the milliseconds between two. */
const mostTries = 100;
const tryInterval = 20;

/** Finds the priority and the tenant of a session. */
export type TermsOf = (session: string) => QueueTerms | Promise<QueueTerms>;

/** A principal that uses the hub, and its rights. */
interface Caller {
  readonly principal: Principal;
  readonly access: Access;
}

/** A host with the frames of its sessions. */
export class Hub {
  /** The store, without the sessions that the caller may not see. */
  readonly store: Store;
  readonly agents: readonly string[];
  readonly #host: Host;
  readonly #feeds: Feeds;
  readonly #termsOf: TermsOf;
  readonly #closed: AbortController;
  /** The hubs of principals, the hub that was used last at the end. */
  readonly #hubs = new Map<string, Hub>();
  /** The caller of a hub of `as`; undefined for a hub that everybody uses alike. */
  readonly #caller: Caller | undefined;

  constructor(host: Host, termsOf: TermsOf = () => ({}), of?: Caller & { readonly closed: AbortController }) {
    this.store = of === undefined ? host.store : visibleStore(host.store, of.access, of.principal);
    this.agents = host.agents;
    this.#host = host;
    this.#feeds = feedsOf(host);
    this.#termsOf = termsOf;
    this.#caller = of;
    this.#closed = of?.closed ?? new AbortController();
    // Each run listens, and Node warns of a leak from the eleventh on.
    setMaxListeners(0, this.#closed.signal);
  }

  /** The hub as a principal sees and uses it. The hubs of the last principals are kept, and with them what was made of their stores. */
  as(principal: Principal, access: Access): Hub {
    const key = JSON.stringify(principal);
    const known = this.#hubs.get(key);
    const hub = known ?? new Hub(this.#host, this.#termsOf, { principal, access, closed: this.#closed });
    this.#hubs.delete(key);
    this.#hubs.set(key, hub);
    if (this.#hubs.size > mostHubs) this.#hubs.delete(this.#hubs.keys().next().value ?? "");
    return hub;
  }

  /**
   * The id of the session that a caller means by a name. A name of no session that it may see stands for a session of its own, so nobody
   * learns of another's session by trying its name.
   */
  async idOf(name: string): Promise<string> {
    if (this.#caller === undefined) return name;
    return ["read", "use"].includes(await this.#level(name)) ? name : keptAs(this.#caller.principal, name);
  }

  /** True if the caller may only look at the session. */
  async isOnlySeen(session: string): Promise<boolean> {
    return (await this.#level(session)) === "read";
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
    if (await this.#isForRule(session, delivery)) {
      const { input, answers } = delivery;
      return this.#host.give({ ...terms, session, input, answers, by: this.#caller?.principal });
    }
    const owned = this.#caller && (await this.#owned(session, delivery, this.#caller));
    return this.#host.give({ ...delivery, ...terms, ...owned, session });
  }

  /**
   * True for the yes or no of a caller who may only look at the session, if a rule of its agent says who may approve. The host asks it.
   * @throws LastcallError `not_allowed` if no rule does.
   */
  async #isForRule(session: string, { input, answers }: Pick<Delivery, "input" | "answers">): Promise<boolean> {
    const isVerdict = typeof input === "object" && typeof input["allowed"] === "boolean" && answers !== undefined;
    if (!isVerdict || !(await this.isOnlySeen(session))) return false;
    if (await hasRuleFor(this.#host, session)) return true;
    throw new LastcallError("not_allowed", `The session ${session} is another's: you may look at it, and fork it.`);
  }

  /** The caller's level at a session. A hub that everybody uses alike has no bounds. */
  async #level(session: string): Promise<Level> {
    return this.#caller === undefined ? "use" : this.#caller.access.levelOf(this.#caller.principal, session);
  }

  /**
   * Makes a new session the caller's, and returns the part of a delivery that says who gives it. The owner stands in the session before
   * anything else does, so of two callers one is the owner. Nothing is written for an agent that the host
   * does not have: the host refuses it.
   * @throws LastcallError `configuration` if the session is another's.
   */
  async #owned(
    session: string,
    { agent = this.agents[0] }: Pick<Delivery, "agent">,
    { principal: by }: Caller,
  ): Promise<Required<Pick<Delivery, "by">>> {
    let level = await this.#level(session);
    if (level === "new" && (agent === undefined || !this.agents.includes(agent))) return { by };
    const about = { agent: agent ?? "", ...ownedBy(by) };
    for (let tries = 0; level === "new" && tries < mostTries; tries += 1) {
      const lease = await openSession({ store: this.#host.store, id: session, about }).lease();
      // Another caller makes it at this moment.
      await (lease === undefined ? sleep(tryInterval) : lease.release());
      level = await this.#level(session);
    }
    if (level === "use") return { by };
    if (level === "new") throw new LastcallError("store", `The session ${session} could not be begun: it is held.`);
    throw new LastcallError("configuration", `There is no session ${session}.`);
  }

  /** Aborts the run of a session. Returns false for a session that the caller may not use, as for one without a run. */
  async abort(session: string, reason = "aborted over the server"): Promise<boolean> {
    return (await this.#level(session)) === "use" && this.#host.abort(session, reason, this.#caller?.principal);
  }

  /**
   * Copies a session up to a record, and returns the id of the copy, which is the caller's, and so is the work that goes on in it.
   * @throws LastcallError `configuration` as `forkSession`.
   */
  async fork(id: string, { at, to }: { readonly at?: number; readonly to: string | undefined }): Promise<string> {
    const copy = { store: this.store, id, at, to: to && (await this.idOf(to)) };
    if (this.#caller === undefined) return forkSession(copy);
    const by = this.#caller.principal;
    const about = { ...(await openSession({ store: this.store, id }).about()), ...ownedBy(by) };
    return forkSession({ ...copy, about, by });
  }

  /** The frames of a session behind a cursor, until the signal aborts. */
  frames(session: string, after: string | undefined, signal: AbortSignal): AsyncGenerator<Frame, void, void> {
    const frames = this.#feeds.frames(session, after, signal);
    return this.#caller === undefined ? frames : this.#ifSeen(session, frames);
  }

  async *#ifSeen(session: string, frames: AsyncGenerator<Frame, void, void>): AsyncGenerator<Frame, void, void> {
    try {
      if ((await this.#level(session)) !== "none") yield* frames;
    } finally {
      await frames.return();
    }
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
