// A hub over a host: the host runs the agents, on many machines for example. The hub gives it inputs, and shows its runs over the store.

import {
  LastcallError,
  outcomeOf,
  type AnyOutcome,
  type ApprovalAnswer,
  type JournalRecord,
} from "../../core/index.js";
import { unlessAborted, waitingIn } from "../../core/internal.js";
import type { Host, HostAgent, HostedRun, QueueTerms } from "../../host/index.js";
import { hasCall, isOpen, refused, toldIn, untaken } from "../../host/host-parts.js";
import { followSession, recordsAfter, type Store } from "../../memory/index.js";
import { Feeds } from "../feed/feeds.js";
import type { Frame } from "../feed/frame.js";
import { checkCloseOptions, checkFrameOptions } from "./hub-options.js";
import type { CloseOptions, FrameOptions, Hub, HubInput, StartedRun } from "./hub.js";

/** Milliseconds to wait for the end of an aborted run: a host knows of the abort before the process that has the run writes it. */
const late = 10_000;

/** The host, and the store and the agents that are its own. */
interface HostedHubOptions {
  readonly agents: Readonly<Record<string, HostAgent>>;
  readonly store: Store;
  readonly host: Host;
  readonly termsOf?: ((session: string) => QueueTerms | Promise<QueueTerms>) | undefined;
}

/** An input and its session. */
interface Given extends HubInput {
  readonly session: string;
  readonly inputId: string;
}

/** A hub over a host. */
export class HostedHub implements Hub {
  readonly agents: readonly string[];
  readonly store: Store;
  readonly #host: Host;
  readonly #termsOf: NonNullable<HostedHubOptions["termsOf"]>;
  readonly #feeds: Feeds;
  readonly #closed = new AbortController();

  constructor({ agents, store, host, termsOf = () => ({}) }: HostedHubOptions) {
    this.agents = Object.keys(agents);
    this.store = store;
    this.#host = host;
    this.#termsOf = termsOf;
    this.#feeds = new Feeds(store);
  }

  async start(input: HubInput): Promise<StartedRun> {
    this.#expectOpen();
    const { session = crypto.randomUUID(), inputId = crypto.randomUUID() } = input;
    return this.#started(await this.#give({ ...input, session, inputId }), input.answers);
  }

  async resume(session: string): Promise<StartedRun> {
    this.#expectOpen();
    const run = await this.#host.resume(session, await this.#termsOf(session));
    // The id of its delivery is that of no input.
    return this.#started({ session, inputId: undefined, ended: () => run.ended() }, undefined);
  }

  async resumeLeft(): Promise<readonly string[]> {
    return [];
  }

  abort(session: string, reason = "aborted over the server"): Promise<boolean> {
    return this.#host.abort(session, reason);
  }

  frames(session: string, options: FrameOptions): AsyncGenerator<Frame, void, void> {
    checkFrameOptions(options);
    return this.#feeds.frames(session, options.after, options.signal);
  }

  get isClosed(): boolean {
    return this.#closed.signal.aborted;
  }

  async close(options: CloseOptions = {}): Promise<readonly string[]> {
    checkCloseOptions(options);
    this.#closed.abort();
    return [];
  }

  #expectOpen(): void {
    if (this.isClosed) throw new LastcallError("configuration", "The hub closes, and takes no inputs any more.");
  }

  /** Gives the host an input. The session is asked first, so that the caller learns at once of an answer that nothing waits for. */
  async #give({ session: id, agent, input, inputId, answers }: Given): Promise<HostedRun> {
    const records = await recordsAfter({ store: this.store, id });
    const terms = { ...(await this.#termsOf(id)), inputId };
    if (answers === undefined && typeof input === "string") {
      // A run at work takes words from the inbox, even while no process has a place for their delivery.
      if (isOpen(records)) return this.#host.steer({ ...terms, session: id, input });
      return this.#host.start({ ...terms, session: id, agent, input });
    }
    const due = waitingIn(records, Date.now());
    const callId = answers ?? due?.id;
    if (callId === undefined)
      throw new LastcallError("configuration", `No call of the session ${id} waits, so an object can't be its input.`);
    if (due?.id === callId && ("approval" in due || "approves" in due) && isApproval(input))
      return this.#host.approve({ ...terms, ...input, session: id, callId });
    if (due?.id !== callId) expectAnswered(records, id, callId);
    return this.#host.answer({ ...terms, session: id, callId, input });
  }

  #started(run: HostedRun, answers: string | undefined): StartedRun {
    return { session: run.session, inputId: run.inputId, waits: true, outcome: this.#outcome(run, answers) };
  }

  /** The outcome as the journal tells it, once the host knows the end. */
  async #outcome(run: HostedRun, answers: string | undefined): Promise<AnyOutcome> {
    const { session: id, inputId } = run;
    try {
      const end = await unlessAborted(run.ended(), this.#closed.signal);
      const isAborted = end.status === "aborted" && end.suspended !== true;
      const records = await this.#recordsOf(id, isAborted ? late : 0);
      if (inputId === undefined) {
        const last = outcomeOf({ version: 1, id, records });
        return last?.status === end.status ? last : untaken(id, end);
      }
      const told = toldIn(records, { id, hasInput: true, inputId, answers, before: undefined, resumeFrom: undefined });
      return told.kind === "ended" ? told.outcome : untaken(id, end);
    } catch (thrown) {
      // The host goes on with the run, whoever waits for it.
      if (this.isClosed) return untaken(id, { status: "aborted", suspended: true, message: "the server closes" });
      return refused(id, thrown);
    }
  }

  /** The records of a session. If its run has no end, they are waited for: so many milliseconds at most. */
  async #recordsOf(id: string, patience: number): Promise<readonly JournalRecord[]> {
    const records = [...(await recordsAfter({ store: this.store, id }))];
    if (patience === 0 || !isOpen(records)) return records;
    const signal = AbortSignal.any([this.#closed.signal, AbortSignal.timeout(patience)]);
    for await (const more of followSession({ store: this.store, id, after: records.at(-1)?.seq, signal })) {
      records.push(...more);
      if (!isOpen(records)) break;
    }
    return records;
  }
}

/** An answer that comes twice has the end of the run that took the first. Any other one comes to nothing. */
function expectAnswered(records: readonly JournalRecord[], id: string, callId: string): void {
  if (records.some((record) => "answers" in record && record.answers === callId)) return;
  const problem = hasCall(records, callId) ? `The call ${callId} does not wait any more` : `There is no call ${callId}`;
  throw new LastcallError("configuration", `${problem} in the session ${id}, so there is nothing to answer.`);
}

function isApproval(input: HubInput["input"]): input is ApprovalAnswer & { readonly digest: string } {
  return typeof input === "object" && typeof input["allowed"] === "boolean" && typeof input["digest"] === "string";
}
