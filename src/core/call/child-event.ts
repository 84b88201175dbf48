// The events of the agents that a call runs: the run around passes them on with the path to them.

import type { AroundRun } from "../ports/child-session.js";
import type { Event, Stage } from "../ports/event.js";
import { wait } from "../time/stage.js";

/** An event that nobody has read yet, and the function that lets its agent go on. */
interface Told {
  readonly event: Event;
  readonly read: () => void;
}

/** The events that the agents of one call tell while its tool is at work. */
export class ToldEvents {
  readonly #callId: string;
  readonly #told: Told[] = [];
  #wake: () => void = () => undefined;
  #isClosed = false;

  constructor(callId: string) {
    this.#callId = callId;
  }

  /** Takes an event, and calls `read` when it was read; at once if nobody reads any more. */
  readonly tell: NonNullable<AroundRun["tell"]> = (event, read) => {
    if (this.#isClosed) {
      read();
      return;
    }
    this.#told.push({ event: event as Event, read });
    this.#wake();
  };

  /** Waits for the step of the tool, and yields what is told meanwhile. If it is left at an event, it stops the tool and waits for it. */
  *during<Ended>(step: Promise<Ended>, stop: () => void): Stage<Ended> {
    const at = { end: false as boolean };
    const end = (): void => {
      at.end = true;
      this.#wake();
    };
    step.then(end, end);
    /** The event that the run around reads at this moment. */
    let reading: Told | undefined;
    try {
      for (;;) {
        reading = this.#told.shift();
        if (reading !== undefined) {
          yield nested(this.#callId, reading.event);
          reading.read();
        } else if (at.end) return yield* wait(step);
        else yield* wait(this.#more());
      }
    } finally {
      if (reading !== undefined) {
        stop();
        reading.read();
        this.close();
        yield* wait(step);
      }
    }
  }

  /** Nobody reads any more: agents that tell something go on at once. */
  close(): void {
    this.#isClosed = true;
    for (const { read } of this.#told.splice(0)) read();
  }

  /** Settles when something is told, or the step has ended. */
  #more(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}

/** The event as the run around sees it: with the call that leads to it. */
function nested(callId: string, event: Event): Event {
  return event.type === "child-event"
    ? { ...event, path: [callId, ...event.path] }
    : { type: "child-event", path: [callId], event };
}
