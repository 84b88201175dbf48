// The agents of a hub, as it uses them.

import type { AnyOutcome, Event, Input, OpenSession } from "../../core/index.js";

/** The options of a run that a hub starts. */
export interface HubRunOptions {
  readonly session: OpenSession;
  readonly signal: AbortSignal;
  readonly suspend: AbortSignal;
  readonly answers?: string | undefined;
  readonly inputId?: string | undefined;
}

/** The events of a run that a hub started, and its outcome. */
export interface HubStream extends AsyncIterable<Event> {
  readonly outcome: Promise<AnyOutcome>;
}

/** An agent that a hub runs: any agent of `createAgent` that needs no context. */
export interface HubAgent {
  stream(input: Input | undefined, options: HubRunOptions): HubStream;
}
