// The agents of a host, as it uses them.

import type { AnyOutcome, ClientTool, Event, Input, OpenSession, RunOptions } from "../../core/index.js";

/** The events of a run that a host started, and its outcome. */
export interface HostStream extends AsyncIterable<Event> {
  readonly outcome: Promise<AnyOutcome>;
}

/** An agent that a host runs: any agent of `createAgent` that needs no context. */
export interface HostAgent {
  /** `clientTools`: the tools that the caller's client carries out. Default: the tools of the session so far. */
  stream(
    input: Input | undefined,
    options: RunOptions & {
      readonly session: OpenSession;
      readonly signal: AbortSignal;
      readonly suspend: AbortSignal;
      readonly clientTools?: readonly ClientTool[] | undefined;
    },
  ): HostStream;
}
