import { rm } from "node:fs/promises";
import { join } from "node:path";
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
    await expect(run.append(reply(1, []))).rejects.toMatchObject({ code: "store" });
    expect(added().map(({ type }) => type)).toEqual(["input"]);
    expect((await session.toJSON()).records).toHaveLength(1);
    await lease.release();
  });
});

describe("a run", () => {
  test("on a session with records begins with their state and their last reply", () => {
    const { run } = openRun({}, [go, reply(1, ["a"]), reply(2, ["b"])]);
    expect(run.state).toMatchObject({ run: 1, iteration: 2 });
    expect(run.reply.calls).toMatchObject([{ id: "b" }]);
    expect(run.session).toMatchObject({ version: 1, id: "s", records: { length: 3 } });
  });

  test("without a reply has none to follow from: that is a bug", () => {
    expect(() => openRun({}, [go]).run.reply).toThrow(expect.objectContaining({ code: "bug" }));
  });

  test("names its effects by session, run and place", () => {
    expect(openRun({}, [go, input(2, "more")]).run.key("call:3:0")).toBe("s/2/call:3:0");
  });

  test("knows the inputs that it has taken, as words and in its midst", async () => {
    const { run } = openRun({}, [{ type: "input", run: 1, text: "go", sent: "m1" }]);
    await run.append({ type: "steer", text: "faster", sent: "m2" });
    expect(["m1", "m2", "m3"].map((id) => run.hasTaken(id))).toEqual([true, true, false]);
  });

  test("within a run has to pass the permission of both", async () => {
    const no = { decide: () => ({ allowed: false, reason: "not in here" }) };
    const call = { id: "c", name: "look", effect: "read" as const, input: {} };
    const deciding = { signal: new AbortController().signal, session: "s", preview: async () => undefined };
    const { run } = openRun({}, [go], { permission: no });
    expect(await run.permission.decide(call, deciding)).toMatchObject({ allowed: false, reason: "not in here" });
    expect(await openRun({}, [go]).run.permission.decide(call, deciding)).toMatchObject({ allowed: true });
  });

  test("throws the reason of its signal when it takes its turn", async () => {
    const { run, abort } = openRun({}, [go]);
    await run.turn();
    abort.abort(new Error("enough"));
    await expect(run.turn()).rejects.toThrow("enough");
  });
});
