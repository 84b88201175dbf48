// The frames of a session for one client: none twice, none without the frames before it.

import { expect, test } from "vitest";
import type { JournalRecord } from "../../../src/index.js";
import { memoryStore, openSession } from "../../../src/memory/index.js";
import { Feed } from "../../../src/server/feed/feed.js";
import { readCursor } from "../../../src/server/feed/frame.js";
import { readFrames } from "../../../src/server/feed/read-frames.js";

/** A session with two records, its feed, and the frames that come behind a cursor. */
async function session() {
  const store = memoryStore();
  const lease = (await openSession({ store, id: "s" }).lease())!;
  const record = (seq: number): JournalRecord => ({ type: "steer", text: "words", seq, at: seq + 1 }) as JournalRecord;
  const append = async (seq: number): Promise<JournalRecord> => {
    await lease.append(record(seq));
    await lease.stored();
    return record(seq);
  };
  for (const seq of [0, 1]) await append(seq);
  const place = { store, id: "s", epoch: "e" };
  const feed = new Feed(place, () => undefined);
  feed.hold(record(1));
  const say = (text: string): void => {
    feed.event({ type: "text-delta", text });
  };
  const write = async (seq: number): Promise<void> => {
    feed.record(await append(seq));
  };
  const read = async (cursor: string, count: number): Promise<readonly string[]> => {
    const signal = AbortSignal.timeout(300);
    const seen: string[] = [];
    for await (const frame of readFrames({ feed, place, from: readCursor(cursor), signal })) {
      seen.push("record" in frame ? String(frame.record.seq) : "event" in frame ? textOf(frame.event) : "reset");
      if (seen.length === count) break;
    }
    return seen;
  };
  return { say, append, write, read };
}

function textOf(event: object): string {
  return "text" in event ? String(event.text) : "?";
}

test("a client with no cursor has all records, and then the events since the last", async () => {
  const { say, read } = await session();
  say("a");
  say("b");
  expect(await read("", Infinity)).toEqual(["0", "1", "a", "b"]);
});

test("a client that has some of the events has the rest", async () => {
  const { say, read } = await session();
  for (const text of ["a", "b", "c"]) say(text);
  expect(await read("1.2+2@e", Infinity)).toEqual(["c"]);
  expect(await read("1.2", Infinity)).toEqual(["a", "b", "c"]);
});

test("events that another process counted are no events of this one, so all of them come", async () => {
  const { say, read } = await session();
  for (const text of ["a", "b", "c"]) say(text);
  expect(await read("1.2+2@f", Infinity)).toEqual(["a", "b", "c"]);
});

test("an event without the events before it does not come, and the next record does", async () => {
  const { say, write, read } = await session();
  say("a");
  const reading = read("1.2+5@e", Infinity);
  await write(2);
  say("c");
  expect(await reading).toEqual(["2", "c"]);
});

test("a record that the feed did not pass on comes from the store, before the next one", async () => {
  const { append, write, read } = await session();
  const reading = read("1.2", 2);
  await new Promise((resolve) => setTimeout(resolve, 20));
  await append(2);
  await write(3);
  expect(await reading).toEqual(["2", "3"]);
});

test("a cursor of a record that the journal does not have resets the client", async () => {
  const { read } = await session();
  for (const cursor of ["1.3", "7.2", "7.2+1@e"]) expect(await read(cursor, Infinity)).toEqual(["reset", "0", "1"]);
});
