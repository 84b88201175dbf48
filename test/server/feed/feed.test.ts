// A feed and its clients: order, slow clients, changes of the writer, and nothing left behind.

import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createAgent, tool, type JournalRecord } from "../../../src/index.js";
import { memoryStore, openSession } from "../../../src/memory/index.js";
import { Feed } from "../../../src/server/feed/feed.js";
import { longestQueue } from "../../../src/server/feed/subscription.js";
import { createHub, type Frame } from "../../../src/server/index.js";
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

function made(store = memoryStore()) {
  const script = [[call("shout", { times: 3 * longestQueue })], [call("shout", { times: 5 })], done];
  const worker = createAgent({ model: scriptedModel(script), tools: [shout, taskCompletion()] });
  return { hub: createHub({ agents: { worker }, store }), store, worker };
}

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
    const { hub } = made();
    const reading = rest(hub.frames("s", { signal: new AbortController().signal }));
    const { outcome } = await hub.start({ session: "s", input: "go" });
    const frames = await reading;
    expect(frames.flatMap(recordOf)).toEqual((await outcome).session.records);
    const numbers = (count: number) => Array.from({ length: count }, (_none, number) => number);
    expect(frames.flatMap(progressOf)).toEqual([...numbers(3 * longestQueue), ...numbers(5)]);
  });

  test("that does not read for a while misses events and no record, and goes on live", async () => {
    const { hub } = made();
    const stop = new AbortController();
    const slow = hub.frames("s", { signal: stop.signal });
    const first = slow.next();
    const { outcome } = await hub.start({ session: "s", input: "go" });
    const ended = await outcome;
    const frames = [(await first).value!, ...(await rest(slow))];
    expect(frames.flatMap(recordOf)).toEqual(ended.session.records);
    expect(frames.flatMap(progressOf).length).toBeLessThan(longestQueue);
    // Events that were told are told from their first on.
    expect(frames.flatMap(progressOf)[0] ?? 0).toBe(0);
  });

  test("that comes between two writers sees the records of both, and those of nobody twice", async () => {
    const { hub, store, worker } = made();
    const stop = new AbortController();
    const seen: JournalRecord[] = [];
    const reading = (async () => {
      for await (const frame of hub.frames("s", { signal: stop.signal })) seen.push(...recordOf(frame));
    })();
    const elsewhere = openSession({ store, id: "s", about: { agent: "worker" } });
    const other = createAgent({ model: scriptedModel([done, done]), tools: [taskCompletion()] });
    await other.run("before", { session: elsewhere });
    await (
      await hub.start({ session: "s", input: "go" })
    ).outcome;
    await other.run("after", { session: elsewhere });
    const { records } = await elsewhere.toJSON();
    while (seen.length < records.length) await new Promise((resolve) => setTimeout(resolve, 5));
    stop.abort();
    await reading;
    expect(seen).toEqual(records);
    expect(worker).toBeDefined();
  });

  test("that leaves ends its stream at once, in the middle of a run too", async () => {
    const { hub } = made();
    const stop = new AbortController();
    const frames = hub.frames("s", { signal: stop.signal });
    const waiting = frames.next();
    stop.abort();
    expect(await waiting).toEqual({ done: true, value: undefined });
  });
});

test("a feed that no client and no run needs any more is given up, and not before", async () => {
  const { store } = made();
  let idle = 0;
  const feed = new Feed({ store, id: "s", epoch: "e" }, () => (idle += 1));
  const client = feed.subscribe();
  feed.beginRun();
  feed.hold(undefined);
  feed.endRun();
  feed.unsubscribe(client);
  expect(idle).toBe(0);
  // The session of an agent that a call runs has a lease, and neither a run of the hub nor a client.
  feed.release();
  expect(idle).toBe(1);
});
