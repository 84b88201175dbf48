// What watchers see of a text in which calls may stand: nothing of a call, and in time everything else.

import type { ModelEvent, WrittenReply } from "../core/index.js";
import { textGate } from "./text/index.js";

/** Lets events through. */
export interface Showing {
  /** What of an event is to be seen now. */
  now(event: ModelEvent): readonly ModelEvent[];
  /** What of the whole reply is still to be seen. */
  last(reply: WrittenReply): readonly ModelEvent[];
}

/** Shows everything as it comes; or, where text may hold calls, keeps back whatever might be the beginning of one. */
export function showing(readsText: boolean): Showing {
  if (!readsText) return { now: (event) => [event], last: () => [] };
  const gate = textGate();
  let shown = 0;
  const say = (text: string): readonly ModelEvent[] => {
    shown += text.length;
    return text === "" ? [] : [{ type: "text-delta", text }];
  };
  return {
    now: (event) => (event.type === "text-delta" ? say(gate.write(event.text)) : [event]),
    last: ({ text }) => say(text.slice(shown)),
  };
}
