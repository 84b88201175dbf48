// The events of a run on their way to those who watch: collected, joined, numbered, and short enough for any way.

import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import type { Event } from "../../../src/index.js";
import { LiveRun, readPiece, type LivePiece } from "../../../src/host/delivery/live-run.js";
import { memoryStore } from "../../../src/memory/index.js";

/** A run of a session, and the pieces that somebody hears of it. */
function watched(): { run: LiveRun; pieces: LivePiece[]; watch: () => void; leave: () => void } {
  const live = memoryStore().live!;
  const pieces: LivePiece[] = [];
  let stop = new AbortController();
  const watch = (): void => {
    stop = new AbortController();
    live.hear("s", (text) => pieces.push(readPiece(text)!), stop.signal);
  };
  const leave = (): void => {
    stop.abort();
  };
  watch();
  return { run: new LiveRun(live, "s"), pieces, watch, leave };
}

const says = (text: string): Event => ({ type: "text-delta", text });

test("pieces of one text that come together are one, and others stay apart", async () => {
  const { run, pieces } = watched();
  for (const text of ["Now ", "I ", "am "]) run.event(says(text));
  run.event({ type: "call-delta", index: 0, name: "look", text: "{" });
  run.event({ type: "call-delta", index: 1, name: "look", text: "{" });
  run.event(says("done."));
  await sleep(100);
  expect(pieces).toEqual([
    {
      after: -1,
      number: 1,
      events: [
        says("Now I am "),
        { type: "call-delta", index: 0, name: "look", text: "{" },
        { type: "call-delta", index: 1, name: "look", text: "{" },
        says("done."),
      ],
    },
  ]);
  run.end();
});

test("events before a record and those after it are never in one piece, and numbers begin anew", () => {
  const { run, pieces } = watched();
  run.record({ seq: 4 });
  run.event(says("one"));
  run.record({ seq: 5 });
  run.event(says("two"));
  run.end();
  expect(pieces.map(({ after, number }) => [after, number])).toEqual([
    [4, 1],
    [5, 1],
  ]);
});

test("whoever begins to watch in the middle learns from the number that something is missing", () => {
  const { run, pieces, watch, leave } = watched();
  leave();
  run.event(says("one"));
  run.record({ seq: 0 });
  run.event(says("two"));
  run.event({ type: "iteration-start", iteration: 1 });
  run.record({ seq: 1 });
  watch();
  run.event(says("three"));
  run.end();
  expect(pieces).toEqual([{ after: 1, number: 1, events: [says("three")] }]);
});

test("the words before a watcher was heard of come with the next words, or soon if none come", async () => {
  const { run, pieces, watch, leave } = watched();
  leave();
  run.record({ seq: 4 });
  run.event(says("one, "));
  await sleep(100);
  run.event(says("two, "));
  await sleep(100);
  watch();
  await expect.poll(() => pieces).toEqual([{ after: 4, number: 1, events: [says("one, two, ")] }]);
  run.event(says("three"));
  run.end();
  expect(pieces.slice(1)).toEqual([{ after: 4, number: 2, events: [says("three")] }]);
});

test.each<readonly [string, readonly Event[]]>([
  [
    "more events than are kept",
    Array.from({ length: 1001 }, (_none, iteration) => ({ type: "iteration-start", iteration })),
  ],
  ["progress of a call", [{ type: "call-progress", callId: "1", progress: "x".repeat(100_000) }]],
])("%s that nobody heard count as lost, and words after them wait for the next record", async (_what, events) => {
  const { run, pieces, watch, leave } = watched();
  leave();
  for (const event of events) run.event(event);
  await sleep(100);
  watch();
  run.event(says("behind them"));
  run.record({ seq: 0 });
  run.event(says("after it"));
  run.end();
  expect(pieces.map(({ after, number }) => [after, number])).toEqual([
    [-1, 2],
    [0, 1],
  ]);
});

test("words that a watcher left in the midst of are not kept for the next watcher", async () => {
  const { run, pieces, watch, leave } = watched();
  run.event(says("one"));
  await sleep(100);
  leave();
  run.event(says("two"));
  await sleep(100);
  watch();
  run.event(says("three"));
  run.end();
  expect(pieces.map(({ number, events }) => [number, events])).toEqual([
    [1, [says("one")]],
    [3, [says("three")]],
  ]);
});

test("long texts go in several pieces, and one that no way takes counts as lost", () => {
  const { run, pieces } = watched();
  for (let number = 0; number < 40; number += 1) run.event(says("日本語".repeat(100)));
  run.event({ type: "call-start", call: { type: "call", id: "1", name: "write", input: { text: "x".repeat(9000) } } });
  run.event(says("after it"));
  run.end();
  for (const piece of pieces) expect(Buffer.byteLength(JSON.stringify(piece))).toBeLessThanOrEqual(6000);
  const text = pieces.flatMap(({ events }) => events.map((event) => ("text" in event ? event.text : ""))).join("");
  expect(text).toBe(`${"日本語".repeat(4000)}after it`);
  const numbers = pieces.map(({ number }) => number);
  expect(numbers.at(-1)).toBe(pieces.length + 1);
  expect(numbers.slice(0, -1)).toEqual(numbers.slice(0, -1).map((_number, index) => index + 1));
});

test("progress that is no JSON is left out, and the words around it are told", () => {
  const { run, pieces } = watched();
  run.event(says("one"));
  run.event({ type: "call-progress", callId: "1", progress: { bytes: 10n } });
  run.event(says("two"));
  run.event({ type: "call-progress", callId: "1", progress: 7 });
  run.end();
  expect(pieces).toEqual([
    { after: -1, number: 1, events: [says("one"), says("two"), { type: "call-progress", callId: "1", progress: 7 }] },
  ]);
});

test("a text that is no piece is none, whoever sent it", () => {
  expect(readPiece("no JSON")).toBeUndefined();
  expect(readPiece("7")).toBeUndefined();
  expect(readPiece('{"events":1}')).toBeUndefined();
});
