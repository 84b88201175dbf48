// What the boundary does between two iterations: it takes in what was sent to the session, asks the vetoes, warns and closes.

import { describe, expect, test } from "vitest";
import type { Hook, LimitOptions } from "../../../src/core/index.js";
import type { RecordBody } from "../../../src/core/internal.js";
import { boundary } from "../../../src/core/loop/boundary.js";
import { memoryStore, openSession } from "../../../src/memory/index.js";
import { drain } from "../drain.js";
import { input, iteration, reply, result } from "../journal.js";
import { openRun } from "../open-run.js";

const go = input(1, "go");
const one: readonly RecordBody[] = [reply(1, ["a"], "so far"), result("a"), iteration(1)];

describe("what was sent to the session", () => {
  /** A session whose lease is held, and what is sent to it. */
  async function held() {
    const session = openSession({ store: memoryStore(), id: "s" });
    const lease = (await session.lease())!;
    return { session, lease, [Symbol.asyncDispose]: () => lease.release() };
  }

  test("is taken into the run in order, and leaves the inbox once it is in the journal", async () => {
    await using open = await held();
    const { run, added } = openRun({}, [], { lease: open.lease });
    await run.append(go);
    for (const text of ["faster", "and shorter"]) await open.session.send({ text });
    const { events } = await drain(boundary(run));
    expect(events).toEqual([
      { type: "steer", text: "faster" },
      { type: "steer", text: "and shorter" },
    ]);
    expect(added().map((record) => record.type === "steer" && record.text)).toEqual([false, "faster", "and shorter"]);
    expect(await open.lease.inbox()).toEqual([]);
  });

  test("as the answer to a question is no steering: it changes nothing, and leaves the inbox", async () => {
    await using open = await held();
    const { run, types } = openRun({}, [], { lease: open.lease });
    await run.append(go);
    await open.session.send({ text: "blue", answers: "s/1/call:1:0" });
    expect((await drain(boundary(run))).events).toEqual([]);
    expect(types()).toEqual(["input"]);
    expect(await open.lease.inbox()).toEqual([]);
  });

  test("and is in the journal already is not taken twice", async () => {
    await using open = await held();
    const { run, types } = openRun({}, [], { lease: open.lease });
    await run.append(go);
    const { id, text } = await open.session.send({ text: "faster" });
    await run.append({ type: "steer", text, sent: id });
    expect((await drain(boundary(run))).events).toEqual([]);
    expect(types()).toEqual(["input", "steer"]);
  });

  test("waits for the next run if this one ends here", async () => {
    await using open = await held();
    const { run } = openRun({ limits: { maxIterations: 1 } }, [], { lease: open.lease });
    for (const body of [go, ...one]) await run.append(body);
    await open.session.send({ text: "faster" });
    await drain(boundary(run));
    expect(await open.lease.inbox()).toMatchObject([{ text: "faster" }]);
  });
});

describe("the host's veto", () => {
  const unlike: Hook = { request: (request, next) => next(request) };
  const vetoes = (message: unknown): Hook => ({ veto: () => message as string | undefined });

  test("stops the run with its message, by the first hook that has one", async () => {
    const hooks = [unlike, vetoes(undefined), vetoes("office hours are over"), vetoes("too late")];
    const { value } = await drain(boundary(openRun({ hooks }, [go, ...one]).run));
    expect(value).toMatchObject({ status: "stopped", reason: "veto", message: "office hours are over" });
  });

  test("is asked after iterations alone: not before the first, nor in the closing one", async () => {
    const hooks = [vetoes("no")];
    const closing: RecordBody = {
      type: "notice",
      about: "closing",
      reason: "timeout",
      message: "up",
      text: "The end.",
    };
    for (const records of [[go], [go, ...one, closing]]) {
      expect((await drain(boundary(openRun({ hooks }, records).run))).value).toBeUndefined();
    }
  });
});

describe("a limit", () => {
  const at = async (limits: LimitOptions, iterations: number) => {
    const records = Array.from({ length: iterations }, (_none, index) => [
      reply(index + 1, [`c${String(index)}`]),
      result(`c${String(index)}`),
      iteration(index + 1),
    ]);
    const opened = openRun({ limits }, [go, ...records.flat()]);
    const { value } = await drain(boundary(opened.run));
    return { value, notices: opened.added().flatMap((record) => (record.type === "notice" ? record.about : [])) };
  };

  test("that is almost used up is told of, and one that is used up closes the run", async () => {
    const limits = { maxIterations: 5 };
    expect(await at(limits, 3)).toEqual({ value: undefined, notices: [] });
    expect(await at(limits, 4)).toEqual({ value: undefined, notices: ["limit"] });
    expect(await at(limits, 5)).toEqual({ value: undefined, notices: ["closing"] });
    expect(await at({ ...limits, reserve: 0 }, 5)).toMatchObject({ value: { status: "stopped" }, notices: [] });
  });

  test("of the run around this one stops it: there is nothing to close it with", async () => {
    const above = openRun({ limits: { maxTokens: 1, reserve: 0 } }, [go]);
    const { run, types } = openRun({}, [go], { budget: above.run.purse.open() });
    const { value } = await drain(boundary(run));
    expect(value).toMatchObject({ status: "stopped", reason: "token_budget" });
    expect(types()).toEqual([]);
  });
});
