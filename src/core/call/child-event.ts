// The events of an agent that a call runs: the tool yields them, and the run around it passes them on with the path to them.

import type { Event } from "../ports/event.js";

/** An event that a tool yields for an agent that it runs. Other values that it yields are its progress. */
export class EventOfChild {
  readonly event: Event;

  constructor(event: Event) {
    this.event = event;
  }
}

/** The event as the run around sees it: with the call that leads to it. */
export function nested(callId: string, event: Event): Event {
  return event.type === "child-event"
    ? { ...event, path: [callId, ...event.path] }
    : { type: "child-event", path: [callId], event };
}
