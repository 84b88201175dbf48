import { describe, expect, test } from "vitest";
import { z } from "zod";
import { tool, type Tool } from "../../../src/core/index.js";
import type { RecordBody } from "../../../src/core/internal.js";
import { close, mend } from "../../../src/core/loop/close.js";
import { taskCompletion } from "../../../src/tools/index.js";
import { call } from "../../../src/testing/index.js";
import { drain } from "../drain.js";
import { failed, input, iteration, reply, result } from "../journal.js";
import { idOf, openRun, replied, resultsIn } from "../open-run.js";

const go = input(1, "go");
const error = failed("tool_error");

describe("the end of an iteration", () => {
  test("is recorded with the signatures of its failures and the time that the run has worked", async () => {
    const { run, clock, added } = openRun({}, [go, reply(1, ["a", "b"]), result("a", error), result("b")]);
    await clock.advance(250);
    const { events } = await drain(close(run));
    expect(added()).toMatchObject([
      { type: "iteration", iteration: 1, failures: [error.signature], ephemeral: false, elapsed: 250 },
    ]);
    expect(run.state.open).toBe(false);
    expect(events.at(-1)).toEqual({ type: "iteration-end", iteration: 1, failures: [error] });
  });

  test("is ephemeral if nothing but mistakes of form is in it", async () => {
    const { run, added } = openRun({}, [go, reply(1, ["a"]), result("a", failed("unknown_tool"))]);
    await drain(close(run));
    expect(added()).toMatchObject([{ ephemeral: true }]);
  });

  test.each([
    [["poll"], true],
    [["poll", "work"], undefined],
  ])("after calls of %j has polled: %s", async (names, polled) => {
    const input = z.object({});
    const poll = tool({ name: "poll", description: "x", input, pollable: true });
    const work = tool({ name: "work", description: "x", input });
    const tools: readonly Tool[] = [poll, work, taskCompletion()];
    const answered = names.map((name, index): RecordBody => {
      return { type: "result", result: { callId: idOf(1, index), name, ok: true, text: "" } };
    });
    const calls = names.map((name) => call(name));
    const { run, added } = openRun({ tools }, [go, replied(1, calls), ...answered]);
    await drain(close(run));
    expect(added()[0]).toHaveProperty("type", "iteration");
    expect((added()[0] as { readonly polled?: boolean }).polled).toBe(polled);
  });
});

describe("what the circuit counts", () => {
  const failing = (number: number): readonly RecordBody[] => [reply(number, ["a"]), result("a", error)];

  test("is told after an iteration that failed, and that it opened once it reaches its bound", async () => {
    const once = openRun({ circuit: { identical: 2 } }, [go, ...failing(1)]);
    expect((await drain(close(once.run))).events.map(({ type }) => type)).toEqual(["circuit-failure", "iteration-end"]);
    const twice = openRun({ circuit: { identical: 2 } }, [go, ...failing(1), iteration(1, [error]), ...failing(2)]);
    const { events } = await drain(close(twice.run));
    expect(events.map(({ type }) => type)).toEqual(["circuit-failure", "circuit-open", "iteration-end"]);
    expect(events[0]).toMatchObject({ signature: error.signature, count: 2, inARow: 2 });
  });

  test("is not told again after an iteration that it does not count: one in which nothing but a check failed", async () => {
    const refused = [reply(2, ["b"]), result("b", failed("check_failed"))];
    const { run } = openRun({}, [go, ...failing(1), iteration(1, [error]), ...refused]);
    const { events } = await drain(close(run));
    expect(run.state.circuit.count).toBe(1);
    expect(events.map(({ type }) => type)).toEqual(["iteration-end"]);
  });
});

test("a model that repeats itself is told so once, at the bound, and not if that is switched off", async () => {
  const same = (number: number): readonly RecordBody[] => [reply(number, ["a"]), result("a")];
  const repeated = (times: number): readonly RecordBody[] =>
    Array.from({ length: times }, (_none, index) => [...same(index + 1), iteration(index + 1)]).flat();
  const noticesAfter = async (times: number, stall: false | { nudge: number; stop: number }) => {
    const { run, types } = openRun({ circuit: { stall } }, [go, ...repeated(times - 1), ...same(times)]);
    await drain(close(run));
    return types().filter((type) => type === "notice").length;
  };
  const stall = { nudge: 3, stop: 6 };
  expect(await noticesAfter(2, stall)).toBe(0);
  expect(await noticesAfter(3, stall)).toBe(1);
  expect(await noticesAfter(4, stall)).toBe(0);
  expect(await noticesAfter(3, false)).toBe(0);
});

describe("an iteration that was broken off is mended:", () => {
  test("each call without a result gets one that says whether it may have happened", async () => {
    const { run, added, types } = openRun({}, [
      go,
      reply(1, ["a", "b", "c"]),
      result("a"),
      { type: "intent", callId: "b" },
    ]);
    await drain(mend(run));
    expect(types()).toEqual(["result", "result", "iteration"]);
    expect(resultsIn(added())).toEqual([
      ["b", "interrupted"],
      ["c", "interrupted"],
    ]);
    const texts = added().flatMap((record) => (record.type === "result" ? record.result.text : []));
    expect(texts[0]).toContain("Its outcome is unknown");
    expect(texts[1]).toContain("before this call ran");
  });

  test("a reply without a call gets its failure", async () => {
    const { run, types } = openRun({}, [go, reply(1, [], "Hello.")]);
    await drain(mend(run));
    expect(types()).toEqual(["error-context", "iteration"]);
  });

  test("nothing is done if the last iteration has ended", async () => {
    const { run, types } = openRun({}, [go, reply(1, ["a"]), result("a"), iteration(1)]);
    expect((await drain(mend(run))).events).toEqual([]);
    expect(types()).toEqual([]);
  });
});
