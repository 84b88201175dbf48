// What watchers see of a text in which calls may stand: of calls that are certain their arguments, and in time all that is no call.

import type { ModelEvent, ToolDescription, WrittenReply } from "../../core/index.js";
import { isCertain, liveCalls, textGate, type LiveCalls } from "../text/index.js";

/** Lets events through. */
export interface Showing {
  /** What of an event is to be seen now. */
  now(event: ModelEvent): readonly ModelEvent[];
  /** What of the whole reply is still to be seen. */
  last(reply: WrittenReply): readonly ModelEvent[];
}

/**
 * Shows everything as it comes; or, where text may hold calls of these tools, keeps back whatever might be the beginning of one. The
 * arguments of calls in XML are shown as they come; should they turn out to be words, that is taken back.
 */
export function showing(tools: readonly ToolDescription[] | undefined): Showing {
  if (tools === undefined) return { now: (event) => [event], last: () => [] };
  const gate = textGate();
  const before: string[] = [];
  let length = 0;
  let live: LiveCalls | undefined;
  const say = (text: string): readonly ModelEvent[] => (text === "" ? [] : [{ type: "text-delta", text }]);

  return {
    now(event) {
      if (event.type !== "text-delta") return [event];
      const { shown, behind } = gate.write(event.text);
      length += shown.length;
      if (live === undefined) before.push(shown);
      if (behind === "") return say(shown);
      live ??= isCertain(before.join("")) ? liveCalls(tools) : noCalls;
      return [...say(shown), ...live.write(behind)];
    },
    last({ text, calls }) {
      const names = live?.names ?? [];
      const areCalls = names.every((name, index) => calls[index]?.name === name || isMended(calls[index]));
      if (areCalls) return say(text.slice(length));
      return [{ type: "reply-retracted", reason: "What looked like a call is none." }, ...say(text)];
    },
  };
}

const noCalls: LiveCalls = { names: [], write: () => [] };

function isMended(call: WrittenReply["calls"][number] | undefined): boolean {
  return call?.type === "call" && call.repairs !== undefined;
}
