// The events of a run's span, from the events and from the records that tell the same.

import type { Event, JournalRecord } from "../../core/index.js";
import type { Attributes } from "../data/api.js";
import type { Privacy } from "./span-parts.js";
import { attribute, eventName } from "../data/names.js";

/** An event of a span. */
export interface SpanNote {
  readonly name: string;
  readonly attributes: Attributes;
}

/** The event of the run's span that an event or a record becomes; undefined for any other. */
export function runEvent(told: Event | JournalRecord, { content, secrets }: Privacy): SpanNote | undefined {
  const words = (text: string): Attributes => (content ? { [attribute.message]: secrets.text(text) } : {});
  if (told.type === "notice") {
    const reason = "reason" in told && { [attribute.reason]: told.reason };
    return { name: eventName.notice, attributes: { [attribute.about]: told.about, ...reason, ...words(told.text) } };
  }
  if (told.type === "steer") return { name: eventName.steer, attributes: words(told.text) };
  if (told.type === "expiry") return { name: eventName.expiry, attributes: words(told.message) };
  if (told.type === "prompt-rewrite")
    return { name: eventName.rewrite, attributes: { [attribute.reason]: told.reason } };
  if (told.type === "stub" || told.type === "fold" || told.type === "prune")
    return { name: eventName.rewrite, attributes: { [attribute.reason]: told.type } };
  if (
    told.type === "call-parked" ||
    told.type === "parked" ||
    told.type === "call-question" ||
    told.type === "question"
  ) {
    const call = { [attribute.callId]: secrets.text(told.callId), [attribute.tool]: secrets.text(told.name) };
    const isParked = told.type === "call-parked" || told.type === "parked";
    return { name: isParked ? eventName.parked : eventName.question, attributes: call };
  }
  if (told.type !== "circuit-open") return undefined;
  const { signature, count, inARow } = told;
  const [failure = ""] = signature.split("|");
  const attributes = { [attribute.errorType]: failure, [attribute.count]: count, [attribute.inARow]: inARow };
  return { name: eventName.circuitOpen, attributes };
}
