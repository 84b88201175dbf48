import { expect, test } from "vitest";
import type { ModelEvent } from "../../../src/core/index.js";
import { joinDeltas } from "../../../src/model/read/join-deltas.js";

const text = (words: string): ModelEvent => ({ type: "text-delta", text: words });
const piece = (index: number, words: string, name = "look"): ModelEvent => ({
  type: "call-delta",
  index,
  name,
  text: words,
});

function joined(...frames: readonly (readonly ModelEvent[])[]): readonly ModelEvent[] {
  const events: ModelEvent[] = [];
  for (const frame of frames) joinDeltas(events, frame);
  return events;
}

test("deltas of one text are joined in their order, and the latest name of a call counts", () => {
  expect(joined([text("a")], [text("b")], [piece(0, "{", "lo")], [piece(0, "}", "look")])).toEqual([
    text("ab"),
    piece(0, "{}"),
  ]);
});

test("deltas of different calls, of words and of reasoning stay apart", () => {
  const apart = [text("a"), piece(0, "{"), piece(1, "{"), piece(0, "}"), text("b")];
  expect(joined(...apart.map((event) => [event]))).toEqual(apart);
  expect(joined([{ type: "reasoning-delta", text: "x" }], [text("y")])).toHaveLength(2);
});

test("the events of the frames are not changed", () => {
  const first = text("a");
  joined([first], [text("b")]);
  expect(first).toEqual(text("a"));
});
