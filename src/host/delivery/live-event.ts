// Events that no record tells: events that only a present watcher can see.

import type { Event } from "../../core/index.js";

/** True for the types of events that no record tells. */
const live: Readonly<Record<Event["type"], boolean>> = {
  ...{ "definition-drift": true, "lease-wait": true, "iteration-start": true, "request-start": true },
  ...{ "text-delta": true, "reasoning-delta": true, "call-delta": true, "call-writing": true, "reply-retracted": true },
  ...{ "request-retry": true, "request-adjusted": true, "forcing-step": true, "prompt-rewrite": true },
  ...{ "call-start": true, "call-asking": true, "call-progress": true, "child-event": true, "check-start": true },
  ...{ "claim-retracted": true },
  // The other events are in records, or follow from them.
  ...{ "run-start": false, steer: false, "call-healed": false, "reply-end": false, "call-decision": false },
  ...{ "call-parked": false, "call-question": false, "call-end": false, "reply-failure": false, "check-end": false },
  ...{ "claim-accepted": false, "background-end": false, "hand-over": false, notice: false, expiry: false },
  ...{ "circuit-failure": false, "circuit-open": false, "circuit-close": false, "iteration-end": false },
  "run-end": false,
};

/** True if no record tells the event. */
export function isLive(event: Event): boolean {
  return live[event.type];
}
