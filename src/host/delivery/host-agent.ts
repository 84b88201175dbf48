// The agents of a host, as it uses them.

import type { AnyOutcome, Attachment, ClientTool, Event, Input, OpenSession } from "../../core/index.js";

/** The options of a run that a host starts. */
export interface HostRunOptions {
  readonly session: OpenSession;
  readonly signal: AbortSignal;
  readonly suspend: AbortSignal;
  readonly answers?: string | undefined;
  readonly inputId?: string | undefined;
  readonly givenAt?: number | undefined;
  readonly attachments?: readonly Attachment[] | undefined;
  /** The tools that the caller's client carries out. Default: the tools of the session so far. */
  readonly clientTools?: readonly ClientTool[] | undefined;
}

/** The events of a run that a host started, and its outcome. */
export interface HostStream extends AsyncIterable<Event> {
  readonly outcome: Promise<AnyOutcome>;
}

/** An agent that a host runs: any agent of `createAgent` that needs no context. */
export interface HostAgent {
  stream(input: Input | undefined, options: HostRunOptions): HostStream;
}
