// A feed and its clients: order, slow clients, changes of the writer, and nothing left behind.

import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createAgent, tool, type JournalRecord } from "../../../src/index.js";
import { hostInProcess } from "../../../src/host/index.js";
import { memoryStore, openSession, type Store } from "../../../src/memory/index.js";
import { Feed } from "../../../src/server/feed/feed.js";
import { longestQueue } from "../../../src/server/feed/subscription.js";
import { watchSession, type Frame } from "../../../src/server/index.js";
import { call, scriptedModel } from "../../../src/testing/index.js";
import { taskCompletion } from "../../../src/tools/index.js";

const done = [call("task_completion", { result: "Done." })];
const shout = tool({
  name: "shout",
  description: "Makes many events",
  effect: "read",
  input: z.object({ times: z.number() }),
  run: async function* ({ times }) {
    for (let time = 0; time < times; time += 1) {
      yield time;
      if (time % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    return "shouted";
  },
});

async function made(store = memoryStore()) {
  const script = [[call("shout", { times: 3 * longestQueue })], [call("shout", { times: 5 })], done];
  const worker = createAgent({ model: scriptedModel(script), tools: [shout, taskCompletion()] });
  return { host: await hostInProcess({ agents: { worker }, store }), store };
}

const recordsIn = async (store: Store): Promise<readonly JournalRecord[]> =>
  (await openSession({ store, id: "s" }).toJSON()).records;
const recordOf = (frame: Frame): readonly JournalRecord[] => ("record" in frame ? [frame.record] : []);
const progressOf = (frame: Frame): readonly unknown[] =>
  "event" in frame && frame.event.type === "call-progress" ? [frame.event.progress] : [];

/** Reads frames up to the end of the run. */
async function rest(frames: AsyncGenerator<Frame, void, void>): Promise<readonly Frame[]> {
  const seen: Frame[] = [];
  for await (const frame of frames) {
    seen.push(frame);
    if ("record" in frame && frame.record.type === "outcome") break;
  }
  return seen;
}

describe("a client", () => {
  test("that reads all the time has every event and every record, in order", async () => {
    const { host, store } = await made();
    const reading = rest(watchSession({ host, id: "s", signal: new AbortController().signal }));
    const run = await host.give({ session: "s", input: "go" });
    const frames = await reading;
    await run.ended();
    expect(frames.flatMap(recordOf)).toEqual(await recordsIn(store));
    const numbers = (count: number) => Array.from({ length: count }, (_none, number) => number);
    expect(frames.flatMap(progressOf)).toEqual([...numbers(3 * longestQueue), ...numbers(5)]);
  });

  test("that does not read for a while misses events and no record, and goes on live", async () => {
    const { host, store } = await made();
    const stop = new AbortController();
    const slow = watchSession({ host, id: "s", signal: stop.signal });
    const first = slow.next();
    const run = await host.give({ session: "s", input: "go" });
    await run.ended();
    const frames = [(await first).value!, ...(await rest(slow))];
    expect(frames.flatMap(recordOf)).toEqual(await recordsIn(store));
    expect(frames.flatMap(progressOf).length).toBeLessThan(longestQueue);
    // Events that were told are told from their first on.
    expect(frames.flatMap(progressOf)[0] ?? 0).toBe(0);
  });

  test("that comes between two writers sees the records of both, and those of nobody twice", async () => {
    const { host, store } = await made();
    const stop = new AbortController();
    const seen: JournalRecord[] = [];
    const reading = (async () => {
      for await (const frame of watchSession({ host, id: "s", signal: stop.signal })) seen.push(...recordOf(frame));
    })();
    const elsewhere = openSession({ store, id: "s", about: { agent: "worker" } });
    const other = createAgent({ model: scriptedModel([done, done]), tools: [taskCompletion()] });
    await other.run("before", { session: elsewhere });
    await (await host.give({ session: "s", input: "go" })).ended();
    await other.run("after", { session: elsewhere });
    const { records } = await elsewhere.toJSON();
    while (seen.length < records.length) await new Promise((resolve) => setTimeout(resolve, 5));
    stop.abort();
    await reading;
    expect(seen).toEqual(records);
  });

  test("that leaves ends its stream at once, in the middle of a run too", async () => {
    const { host } = await made();
    const stop = new AbortController();
    const frames = watchSession({ host, id: "s", signal: stop.signal });
    const waiting = frames.next();
    stop.abort();
    expect(await waiting).toEqual({ done: true, value: undefined });
  });
});

test("a feed that no client and no run needs any more is given up, and not before", async () => {
  const { store } = await made();
  let idle = 0;
  const feed = new Feed({ store, id: "s", epoch: "e" }, () => (idle += 1));
  const client = feed.subscribe();
  feed.begin();
  feed.hold(undefined);
  feed.end();
  feed.unsubscribe(client);
  expect(idle).toBe(0);
  // The session of an agent that a call runs has a lease, and neither a run of the host nor a client.
  feed.release();
  expect(idle).toBe(1);
});

test("events since a record are kept for a client that comes later, up to a bound", async () => {
  const { store } = await made();
  const placed = (events: number) => {
    const feed = new Feed({ store, id: "s", epoch: "e" }, () => undefined);
    feed.learn(undefined);
    for (let at = 0; at < events; at += 1) feed.event({ type: "text-delta", text: "a" });
    return feed.subscribe().take().length;
  };
  expect([placed(999), placed(1000)]).toEqual([999, 1000]);
  // A client that lacks one of them can make nothing of the later ones.
  expect(placed(1001)).toBe(0);
  expect(placed(5000)).toBe(0);
});

describe("pieces of a run of another process", () => {
  /** A session whose records somebody else writes, a client of it, and the events that the client sees. */
  async function watching() {
    const store = memoryStore();
    const { host } = await made(store);
    const stop = new AbortController();
    const seen: string[] = [];
    const reading = (async () => {
      for await (const frame of watchSession({ host, id: "s", signal: stop.signal }))
        seen.push("record" in frame ? `record ${String(frame.record.seq)}` : textOf(frame));
    })();
    const lease = (await openSession({ store, id: "s" }).lease())!;
    const append = async (seq: number): Promise<void> => {
      await lease.append({ type: "steer", text: "words", seq, at: seq + 1 } as JournalRecord);
      await lease.stored();
    };
    const piece = (after: number, number: number, text: string): void => {
      const events = [{ type: "text-delta", text }];
      store.live!.sender("s").send(JSON.stringify({ after, number, events }));
    };
    await append(0);
    await expect.poll(() => seen).toEqual(["record 0"]);
    const end = async (): Promise<readonly string[]> => {
      // All that is still to come has come with the next record.
      await append(2);
      await expect.poll(() => seen).toContain("record 2");
      stop.abort();
      await reading;
      return seen.slice(1, -1);
    };
    return { append, piece, end, seen };
  }
  const textOf = (frame: Frame): string =>
    "event" in frame && frame.event.type === "text-delta" ? frame.event.text : "?";

  test("come in order between the records, and one that comes early waits for its record", async () => {
    const { append, piece, end } = await watching();
    piece(0, 1, "a");
    piece(0, 2, "b");
    piece(1, 1, "c");
    await append(1);
    piece(1, 2, "d");
    expect(await end()).toEqual(["a", "b", "record 1", "c", "d"]);
  });

  test("end at one that is missing or late, up to the next record", async () => {
    const { append, piece, end } = await watching();
    piece(0, 1, "a");
    piece(0, 3, "lost its neighbour");
    piece(0, 4, "and this as well");
    await append(1);
    piece(0, 2, "late");
    piece(1, 1, "b");
    piece(1, 1, "twice");
    expect(await end()).toEqual(["a", "record 1", "b"]);
  });

  test("that come after the record behind them are late, the first of them too", async () => {
    const { append, piece, end, seen } = await watching();
    await append(1);
    await expect.poll(() => seen).toContain("record 1");
    piece(0, 1, "late");
    piece(1, 1, "b");
    expect(await end()).toEqual(["record 1", "b"]);
  });

  test("that are of no form are left out", async () => {
    const store = memoryStore();
    const { host } = await made(store);
    const stop = new AbortController();
    const first = watchSession({ host, id: "s", signal: stop.signal }).next();
    const run = await host.give({ session: "s", input: "go" });
    await first;
    store.live!.sender("s").send("no JSON");
    store.live!.sender("s").send('{"after":0}');
    expect((await run.ended()).status).toBe("completed");
    stop.abort();
  });
});
