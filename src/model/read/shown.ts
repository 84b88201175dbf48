// Filters the events of a reply whose text may hold calls, so that watchers see words as words and calls as calls.

import type { ModelEvent, ToolDescription, WrittenReply } from "../../core/index.js";
import { isCertain, streamCalls, textGate, type CallStream } from "../text/index.js";
import { Thinking, type PartedPiece } from "./thinking.js";

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

/** Filters the events of one reply whose text may begin with thinking. */
export interface ShowingWords extends Pick<Showing, "now"> {
  /** Takes the whole reply. `isCut`: the length limit ended it. Returns the events for everything that was held back. */
  last(reply: WrittenReply, isCut: boolean): readonly ModelEvent[];
}

/** Makes a filter that shows the thinking at the beginning of the text as reasoning, and the rest as `showing` does. */
export function showingWords(tools: readonly ToolDescription[] | undefined, isThinkingExpected: boolean): ShowingWords {
  const parting = new Thinking(isThinkingExpected);
  let filter = showing(tools);
  const show = ({ kind, text }: PartedPiece): readonly ModelEvent[] => {
    if (kind === "thinking") return text === "" ? [] : [{ type: "reasoning-delta", text }];
    if (kind === "words") return text === "" ? [] : filter.now({ type: "text-delta", text });
    filter = showing(tools);
    return [{ type: "reply-retracted", reason: "What was shown as words was thinking, or the other way round." }];
  };
  return {
    now: (event) => (event.type === "text-delta" ? parting.write(event.text).flatMap(show) : filter.now(event)),
    last: (reply, isCut) => [...parting.end(isCut).flatMap(show), ...filter.last(reply)],
  };
}
