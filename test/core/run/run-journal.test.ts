import { rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { fileStore, openSession, transcript } from "../../../src/memory/index.js";
import { temporaryFolder } from "../../memory/store-places.js";
import { input, reply } from "../journal.js";
import { openRun } from "../open-run.js";

const go = input(1, "go");

describe("a record", () => {
  test("has the next number and the time, and is part of the state once it is kept", async () => {
    const { run, clock, added } = openRun({}, [go]);
    await clock.advance(7);
    const record = await run.append(reply(1, ["a"]));
    expect(record).toMatchObject({ type: "reply", seq: 1, at: 5007 });
    expect(added()).toEqual([record]);
    expect(run.state).toMatchObject({ seq: 2, iteration: 1, open: true });
    expect(run.reply.calls).toMatchObject([{ id: "a" }]);
  });

  test("is never before the one in front of it: the process before may have had another clock", async () => {
    const memory: typeof transcript = (session) => {
      return transcript({ ...session, records: [{ ...go, seq: 0, at: 90_000 }] });
    };
    const { run } = openRun({ memory }, [go]);
    expect((await run.append(reply(1, []))).at).toBe(90_000);
    expect((await run.append({ type: "spend", spent: { iterations: 1, tokens: 1, cost: 0 } })).at).toBe(90_000);
  });

  test("keeps its place if others are appended at the same time", async () => {
    const { run, added } = openRun({}, [go]);
    const spends = Array.from({ length: 5 }, (_none, tokens) =>
      run.append({ type: "spend", spent: { iterations: 0, tokens, cost: 0 } }),
    );
    await Promise.all(spends);
    expect(added().map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5]);
    expect(added().map((record) => record.type === "spend" && record.spent.tokens)).toEqual([0, 1, 2, 3, 4]);
  });

  test("has no secret in it", async () => {
    const key = `sk-proj-${"Ab3".repeat(16)}`;
    const { run } = openRun({}, [go]);
    expect(JSON.stringify(await run.append({ type: "overflow", message: `it had ${key}` }))).not.toContain(key);
  });
});

describe("a record that can't be kept", () => {
  test("by the memory is a fault, leaves the state as it was, and does not stand in the way of the next", async () => {
    let isFull = true;
    const memory: typeof transcript = (session) => {
      const inner = transcript(session);
      return {
        records: inner.records,
        append: (record) => {
          if (isFull) throw new Error("no room");
          return inner.append(record);
        },
        recall: (asked) => inner.recall(asked),
      };
    };
    const { run } = openRun({ memory }, [go]);
    await expect(run.append(reply(1, []))).rejects.toMatchObject({
      code: "store",
      message: expect.stringContaining("no room"),
    });
    expect(run.state).toMatchObject({ seq: 1, open: false });
    isFull = false;
    expect((await run.append(reply(1, []))).seq).toBe(1);
  });

  test("in the session's log is in the memory neither: first it is kept, then it happened", async () => {
    await using folder = await temporaryFolder();
    const session = openSession({ store: fileStore(folder.path), id: "s" });
    const lease = (await session.lease())!;
    const { run, added } = openRun({}, [], { lease });
    await run.append(go);
    await rm(join(folder.path, "s/lock"), { recursive: true });
    // The lock is checked before a write unless it was checked a few milliseconds ago.
    await setTimeout(20);
    await expect(run.append({ type: "steer", text: "more", sent: "m" })).rejects.toMatchObject({ code: "store" });
    expect(added().map(({ type }) => type)).toEqual(["input"]);
    expect((await session.toJSON()).records).toHaveLength(1);
    await lease.release();
  });
});
