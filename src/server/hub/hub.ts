// The port of the hub: agents over a store, their runs, and what clients see of them. It knows no HTTP.

import type { AnyOutcome, Input } from "../../core/index.js";
import type { Store } from "../../memory/index.js";
import type { Frame } from "../feed/frame.js";

/** An input for a session. */
export interface HubInput {
  /** The session. Default: a new one. */
  readonly session?: string | undefined;
  /** The agent of a new session, by name. Default: the first; a session that exists keeps its own. */
  readonly agent?: string | undefined;
  /**
   * The words of a person, a typed reply, or the answer to an approval. Without its `digest`, an approval is your program's own yes to
   * whatever waits: so the body of a request is no input. The routes of `createHandler` take none without call and digest.
   */
  readonly input: Input;
  /** The id of the input: one that comes twice counts once. Default: a new one. */
  readonly inputId?: string | undefined;
  /** The id of the call that the input answers. Default: see `RunOptions`. */
  readonly answers?: string | undefined;
}

/** A run that has begun, or an input that another run took. */
export interface StartedRun {
  readonly session: string;
  readonly inputId: string | undefined;
  /**
   * The input waits: in the inbox for a run of another caller, which takes it at its next boundary or leaves it to this one, or with the
   * host for a process that takes it.
   */
  readonly waits: boolean;
  /** Resolves with the outcome. It never rejects: a fault is an outcome. */
  readonly outcome: Promise<AnyOutcome>;
}

/** Runs of agents over a store, and their frames. */
export interface Hub {
  /** The names of the agents. */
  readonly agents: readonly string[];
  readonly store: Store;
  /**
   * Gives a session an input. Resolves once the input is kept: in the journal, in the inbox if another run has the session, or by the
   * host. The run goes on by itself.
   * @throws LastcallError `configuration` if the session can't take the input; `store` if the store can't keep it.
   */
  start(input: HubInput): Promise<StartedRun>;
  /**
   * Goes on with a session without new words, as `agent.resume`.
   * @throws LastcallError as `start`.
   */
  resume(session: string): Promise<StartedRun>;
  /**
   * Goes on with all sessions that a dead process left: runs without an end, and inputs that nobody took. Returns their ids. A host does so
   * by itself, so with one there are none.
   */
  resumeLeft(): Promise<readonly string[]>;
  /** Aborts the runs of this process on the session, or with a host those of any process. Resolves with false if there is none. */
  abort(session: string, reason?: string): Promise<boolean>;
  /**
   * Yields the frames of a session behind a cursor, and then what happens in it, until the signal aborts. The session need not exist yet.
   * @throws LastcallError `configuration` for a text that is no cursor; `store` if the store can't be read.
   */
  frames(session: string, options: FrameOptions): AsyncGenerator<Frame, void, void>;
  /** True once the hub closes: it takes no inputs any more. */
  readonly isClosed: boolean;
  /**
   * Suspends all runs of this process, for the next one: `resumeLeft` goes on with them. A run that waits for its model stops at once, one
   * whose calls are at work after them. Returns the sessions whose runs were still at work when the grace was over; they stay as a dead
   * process would leave them if this process ends then. With a host, the hub only takes no inputs any more, and ends the streams that wait
   * for a run: the host goes on, and there are no such sessions.
   */
  close(options?: CloseOptions): Promise<readonly string[]>;
}

/** The options of `hub.close`. */
export interface CloseOptions {
  /** Milliseconds to wait for calls that are at work. Default 10,000. */
  readonly grace?: number | undefined;
}

/** The options of `hub.frames`. */
export interface FrameOptions {
  /** The cursor of the last frame that the client has. Default: none, so all records come. */
  readonly after?: string | undefined;
  readonly signal: AbortSignal;
}
