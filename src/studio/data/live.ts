// The present moment of a session, which no record tells yet.

import type { Event } from "../../core/index.js";

/** The present moment of a run. Everything in it is void once the next record has come. */
export interface Live {
  /** The words that the model has written so far. */
  readonly text: string;
  readonly reasoning: string;
  /** The calls that are being written or run. */
  readonly calls: readonly string[];
  /** The last thing that happened: a retry, progress, a check. */
  readonly note: string;
}

/** Nothing happens. */
export const nothing: Live = { text: "", reasoning: "", calls: [], note: "" };

/** The moment after an event. */
export function liveAfter(live: Live, event: Event): Live {
  const { type } = event;
  if (type === "text-delta") return { ...live, text: live.text + event.text };
  if (type === "reasoning-delta") return { ...live, reasoning: live.reasoning + event.text };
  if (type === "call-delta" || type === "call-writing")
    return live.calls[event.index] === event.name ? live : { ...live, calls: withCall(live.calls, event) };
  if (type === "reply-retracted" || type === "claim-retracted")
    return { ...nothing, note: "the words so far are void" };
  if (type === "request-start") return { ...nothing, note: "asks the model" };
  if (type === "request-retry") return { ...live, note: `asks again: ${event.reason}` };
  if (type === "call-start") return { ...live, note: `runs ${event.call.name}` };
  if (type === "check-start") return { ...live, note: `checks ${event.check}` };
  return live;
}

function withCall(
  calls: readonly string[],
  { index, name }: { readonly index: number; readonly name: string },
): readonly string[] {
  const changed = [...calls];
  changed[index] = name;
  return Array.from(changed, (call: string | undefined) => call ?? "");
}
