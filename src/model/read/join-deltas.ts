// Joins the deltas of one piece of bytes, so that watchers are told once of each piece and not of each frame in it.

import type { ModelEvent } from "../../core/index.js";

/** Appends the events of a frame to the events of the frames before it. Deltas that follow each other in one text become one delta. */
export function joinDeltas(events: ModelEvent[], added: readonly ModelEvent[]): void {
  for (const event of added) {
    const last = events.at(-1);
    const joined = last === undefined ? undefined : join(last, event);
    if (joined === undefined) events.push(event);
    else events[events.length - 1] = joined;
  }
}

function join(last: ModelEvent, next: ModelEvent): ModelEvent | undefined {
  if (last.type === "call-delta" && next.type === "call-delta" && last.index === next.index)
    return { ...next, text: last.text + next.text };
  if (last.type === "text-delta" && next.type === "text-delta") return { ...next, text: last.text + next.text };
  if (last.type === "reasoning-delta" && next.type === "reasoning-delta")
    return { ...next, text: last.text + next.text };
  return undefined;
}
