// Filters the events of a reply whose text may hold calls, so that watchers see words as words and calls as calls.

import type { ModelEvent, ToolDescription, WrittenReply } from "../../core/index.js";
import { isCertain, streamCalls, textGate, type CallStream } from "../text/index.js";

/** Filters the events of one reply. */
export interface Showing {
  /** Takes an event. Returns the events that may be shown now. */
  now(event: ModelEvent): readonly ModelEvent[];
  /** Takes the whole reply. Returns the events for everything that was held back. */
  last(reply: WrittenReply): readonly ModelEvent[];
}

/**
 * Makes a filter. Without `tools` it shows every event at once. With `tools` the text may hold calls of these tools, so the filter
 * holds back text that may begin a call. Arguments of XML calls are shown as they arrive, and retracted if the call turns out to be
 * words.
 */
export function showing(tools: readonly ToolDescription[] | undefined): Showing {
  if (tools === undefined) return { now: (event) => [event], last: () => [] };
  const gate = textGate();
  const shownTexts: string[] = [];
  let shownLength = 0;
  let callStream: CallStream | undefined;
  const textDelta = (text: string): readonly ModelEvent[] => (text === "" ? [] : [{ type: "text-delta", text }]);

  return {
    now(event) {
      if (event.type !== "text-delta") return [event];
      const { shown, fromCall } = gate.write(event.text);
      shownLength += shown.length;
      if (callStream === undefined) shownTexts.push(shown);
      if (fromCall === "") return textDelta(shown);
      callStream ??= isCertain(shownTexts.join("")) ? streamCalls(tools) : noCalls;
      return [...textDelta(shown), ...callStream.write(fromCall)];
    },
    last({ text, calls }) {
      const names = callStream?.names ?? [];
      const areCalls = names.every((name, index) => calls[index]?.name === name || isMended(calls[index]));
      if (areCalls) return textDelta(text.slice(shownLength));
      return [{ type: "reply-retracted", reason: "What looked like a call is none." }, ...textDelta(text)];
    },
  };
}

const noCalls: CallStream = { names: [], write: () => [] };

function isMended(call: WrittenReply["calls"][number] | undefined): boolean {
  return call?.type === "call" && call.repairs !== undefined;
}
