// The questions to approvers that are not answered yet, and the events of spans that say how long each took.

import type { Event } from "../../core/index.js";
import { eventName } from "../data/names.js";
import { askingAttributes } from "../describe/describe-effect.js";
import type { Privacy } from "../describe/span-parts.js";
import type { OpenSpan } from "./open-span.js";

type Asking = Extract<Event, { readonly type: "call-asking" }>;

/** The questions about the calls of one run. */
export class AskedCalls {
  readonly #privacy: Privacy;
  /** By the id of the call: each question, and the milliseconds from the start of the call's span to it. */
  readonly #open = new Map<string, readonly { readonly asked: Asking; readonly at: number }[]>();

  constructor(privacy: Privacy) {
    this.#privacy = privacy;
  }

  /** An approver is asked about the call of this span. */
  ask(asked: Asking, span: OpenSpan | undefined): void {
    if (span === undefined) return;
    this.#open.set(asked.callId, [...(this.#open.get(asked.callId) ?? []), { asked, at: span.elapsed }]);
  }

  /** The questions about the call are answered, or nobody waits for an answer any more. */
  end(callId: string, span: OpenSpan | undefined): void {
    for (const { asked, at } of this.#open.get(callId) ?? [])
      span?.note(eventName.asking, askingAttributes(asked, span.elapsed - at, this.#privacy));
    this.#open.delete(callId);
  }
}
