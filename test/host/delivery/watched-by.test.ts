// The watchers of a run: stored records, and the events between them, in their order.

import { expect, test } from "vitest";
import type { Event, JournalRecord, Lease } from "../../../src/index.js";
import { WatchedBy } from "../../../src/host/delivery/watched-by.js";
import { memoryStore, openSession } from "../../../src/memory/index.js";

const says = (text: string): Event => ({ type: "text-delta", text });
const record = (seq: number): JournalRecord => ({ type: "steer", text: "words", seq, at: seq + 1 }) as JournalRecord;
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** A run on a session of memory, all that its watcher sees, and the stores that it waits for, which tests end. */
async function watched() {
  const seen: string[] = [];
  const see = (session: string) => ({
    hold: (last: JournalRecord | undefined) => void seen.push(`${session} holds behind ${String(last?.seq)}`),
    record: ({ seq }: JournalRecord) => void seen.push(`${session} record ${String(seq)}`),
    event: (event: Event) => void seen.push("text" in event ? event.text : event.type),
    release: () => void seen.push(`${session} released`),
    end: () => void seen.push(`${session} ended`),
  });
  const run = new WatchedBy([{ begin: see }], "s");
  const lease = (await openSession({ store: memoryStore(), id: "s" }).lease())!;
  const waits: (() => void)[] = [];
  const slow: Lease = {
    ...lease,
    stored: async () => {
      await lease.stored();
      await new Promise<void>((resolve) => waits.push(resolve));
    },
  };
  return { run, seen, waits, lease: run.over(slow), whole: lease };
}

test("events behind a record that is not stored yet wait for it, and events that a record tells are left out", async () => {
  const { run, seen, waits, lease } = await watched();
  run.event(says("a"));
  await lease.append(record(0));
  run.event(says("b"));
  run.event({ type: "reply-end" } as Event);
  await turn();
  expect(seen).toEqual(["s holds behind undefined", "a"]);
  waits[0]!();
  await turn();
  expect(seen.slice(2)).toEqual(["s record 0", "b"]);
});

test("a record that came while others were stored waits until it is stored itself", async () => {
  const { seen, waits, lease } = await watched();
  await lease.append(record(0));
  await turn();
  await lease.append(record(1));
  await turn();
  waits[0]!();
  await turn();
  await lease.append(record(2));
  waits[1]!();
  await turn();
  expect(seen.slice(1)).toEqual(["s record 0", "s record 1"]);
});

test("the run of an agent that a call runs begins with its lease, and ends with it", async () => {
  const { run, seen, whole } = await watched();
  const lease = run.over(whole);
  const child = (await lease.child("s/1/call").lease())!;
  await child.append(record(0));
  await child.release();
  await lease.release();
  run.end();
  expect(seen.slice(2)).toEqual([
    ...["s/1/call holds behind undefined", "s/1/call record 0", "s/1/call released", "s/1/call ended"],
    ...["s released", "s ended"],
  ]);
});
