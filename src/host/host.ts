// The port for hosts: whoever queues, owns and retries the runs of agents. One run is one step of the host, and the journal is the truth.

import type { Input } from "../core/index.js";
import type { RunEnd } from "./delivery/run-end.js";

/**
 * Runs agents on stored sessions.
 *
 * Contract: an input counts once for its session and its id, however often it is given and delivered. `start`, `answer`, `approve` and
 * `steer` resolve once the input is kept, so that the end of this process does not lose it. A run whose process died goes on with the same
 * keys, and a run that has ended is not touched. A question or a parked call ends the run, and holds nothing while it waits. A fault of the
 * store is no end: the input is delivered again. An option that the host can't fulfil is refused when it is given.
 */
export interface Host {
  /**
   * Gives a session an input: new words, or the first ones of a new session.
   * @throws LastcallError `configuration` for an unknown agent, for options that this host does not have, and once it closes; `store` if
   * the input can't be kept.
   */
  start(input: HostInput): Promise<HostedRun>;
  /**
   * Answers the call with this id, that asked a question. A call is answered once: a second answer has the end of the run that took the
   * first.
   */
  answer(answer: HostAnswer): Promise<HostedRun>;
  /**
   * Allows or refuses the call with this id, that waits for an approval. The digest has to be that of the call that was shown.
   * @throws LastcallError `configuration` without a digest, besides the faults of `start`.
   */
  approve(approval: HostApproval): Promise<HostedRun>;
  /** Says something to a session whose run may be at work: the run takes it at its next boundary, or the next run does. */
  steer(words: HostWords): Promise<HostedRun>;
  /**
   * Goes on with a session without new words, as `agent.resume`: after a limit, a fault or an abort, or if nobody answered in time. A run
   * at work is left alone, and its end is told. A run that a dead process left needs no resume.
   * @throws LastcallError `configuration` if the session has no run, or waits for an answer, besides the faults of `start`.
   */
  resume(session: string, terms?: QueueTerms): Promise<HostedRun>;
  /**
   * Aborts the run of the session, whichever process has it, and withdraws its inputs that no run took. A run that a dead process left is
   * ended as well. Returns false if there was nothing to abort.
   */
  abort(session: string, reason?: string): Promise<boolean>;
  /**
   * Gives an input at a time, or again and again. Returns a function that ends it.
   * @throws LastcallError `configuration` for a time that is none.
   */
  schedule(plan: HostPlan): Promise<() => void>;
  /**
   * Takes no inputs any more, and suspends the runs of this process, for SIGTERM: another process goes on with them, or the next one.
   * Returns the sessions whose runs were still at work when the grace was over; they stay as a dead process would leave them.
   */
  close(options?: HostCloseOptions): Promise<readonly string[]>;
}

/** The priority and the tenant of an input. */
export interface QueueTerms {
  /**
   * Inputs with a lower number begin before others that wait for a place, from 1 to 2,147,483,647. Those without one begin first. A host
   * without a queue refuses it.
   */
  readonly priority?: number | undefined;
  /** The tenant, for the limit of each tenant. A host without such a limit refuses it. */
  readonly tenant?: string | undefined;
}

/** The id, the priority and the tenant of an input. */
export interface HostTerms extends QueueTerms {
  /** The id of the input, 1 to 200 characters: one that comes twice counts once. Default: a new one. */
  readonly inputId?: string | undefined;
}

/** An input for a session. */
export interface HostInput extends HostTerms {
  /** The session. Default: a new one. */
  readonly session?: string | undefined;
  readonly input: Input;
  /** The agent of a new session, by name. Default: the first. A session that exists keeps its own. */
  readonly agent?: string | undefined;
}

/** Words for a session whose run may be at work. */
export interface HostWords extends HostTerms {
  readonly session: string;
  readonly input: string;
}

/** An answer to the question of a call. */
export interface HostAnswer extends HostTerms {
  readonly session: string;
  /** The id of the call: `waiting.id` of the end of its run. */
  readonly callId: string;
  readonly input: Input;
}

/** An approval of a call, or its refusal. */
export interface HostApproval extends HostTerms {
  readonly session: string;
  readonly callId: string;
  /** The digest of the call that was shown: `waiting.digest` of the end of its run. */
  readonly digest: string;
  readonly allowed: boolean;
  /** For the journal and, if it is no, for the model. */
  readonly reason?: string | undefined;
  /** As in `ApprovalAnswer`. Default false. */
  readonly always?: boolean | undefined;
}

/** A run that a host was given. */
export interface HostedRun {
  readonly session: string;
  /** The id of the input; undefined for an answer without one, which its call tells apart. */
  readonly inputId: string | undefined;
  /**
   * The end of the run that takes the input, in whichever process. A run that is suspended has no end yet: it goes on elsewhere, and so
   * does this wait, as long as the host can tell.
   * @throws LastcallError `store` if the host gave the input up, because the store failed too often.
   */
  ended(): Promise<RunEnd>;
}

/** An input that is given by the clock. */
export interface HostPlan {
  /** The name of the plan: one of a name has one input at each time, in all processes together. */
  readonly name: string;
  /** The time, in milliseconds since 1970. A time that is over is due at once. */
  readonly at?: number | undefined;
  /** Milliseconds between two times, from 1970 on, at least 1,000. Times at which no process had the plan are left out. */
  readonly every?: number | undefined;
  /** The session. Default: a new one each time, called by the name and the time. */
  readonly session?: string | undefined;
  readonly agent?: string | undefined;
  readonly input: Input;
}

/** The options of `host.close`. */
export interface HostCloseOptions {
  /** Milliseconds to wait for calls that are at work. Default 10,000. */
  readonly grace?: number | undefined;
}
