import { describe, expect, test } from "vitest";
import { act } from "../../../src/core/loop/act.js";
import type { RecordBody } from "../../../src/core/internal.js";
import { call } from "../../../src/testing/index.js";
import { taskCompletion } from "../../../src/tools/index.js";
import { drain } from "../drain.js";
import { input, result } from "../journal.js";
import { idOf, openRun, replied, resultsIn, worker } from "../open-run.js";

const go = input(1, "go");
const look = worker("look", "read");
const edit = worker("edit", "write");
const claim = call("task_completion", { result: "Done." });
const closing: RecordBody = {
  type: "notice",
  about: "closing",
  reason: "max_iterations",
  message: "one iteration",
  text: "The run has to end.",
};

describe("the calls of a reply", () => {
  test("get one result each, in their order, and the claim is left standing without one", async () => {
    const tools = [look, edit, taskCompletion()];
    const { run, added } = openRun({ tools }, [go, replied(1, [call("look"), claim, call("edit")])]);
    const { value } = await drain(act(run));
    expect(value?.call.id).toBe(idOf(1, 1));
    expect(resultsIn(added())).toEqual([
      [idOf(1, 0), "ok"],
      [idOf(1, 2), "ok"],
    ]);
  });

  test("run up to the 128th; each further one is told so, and a claim among them does not end the run", async () => {
    const tools = [look, edit, taskCompletion()];
    const calls = [...Array.from({ length: 129 }, (_, n) => call("look", { n })), claim];
    const { run, added } = openRun({ tools }, [go, replied(1, calls)]);
    const { value } = await drain(act(run));
    expect(value).toBeUndefined();
    const results = resultsIn(added());
    expect(results.map(([id]) => id)).toEqual(calls.map((_, index) => idOf(1, index)));
    expect(results.map(([, how]) => how)).toEqual([
      ...Array.from({ length: 128 }, () => "ok"),
      "conflicting_calls",
      "conflicting_calls",
    ]);
  });

  const widths = [
    [4, undefined],
    [6, 6],
    [1, 1],
  ] as const;
  test.each(widths)("run at most %i at a time if they only read (`maxParallelReads`: %s)", async (most, option) => {
    let [running, highest] = [0, 0];
    const slow = worker("slow", "read", async () => {
      highest = Math.max(highest, (running += 1));
      await new Promise((resolve) => setTimeout(resolve, 5));
      running -= 1;
    });
    const calls = Array.from({ length: 7 }, (_none, n) => call("slow", { n }));
    const { run, added } = openRun({ tools: [slow, taskCompletion()], maxParallelReads: option }, [
      go,
      replied(1, calls),
    ]);
    await drain(act(run));
    expect(highest).toBe(most);
    expect(resultsIn(added()).map(([id]) => id)).toEqual(calls.map((_call, index) => idOf(1, index)));
  });

  test("run alone if they change something: the reads before are over, the reads after have not begun", async () => {
    const log: string[] = [];
    const logged = (name: string, effect: "read" | "write") =>
      worker(name, effect, async ({ n }) => {
        log.push(`${name} ${String(n)} begins`);
        await new Promise((resolve) => setTimeout(resolve, 2));
        log.push(`${name} ${String(n)} ends`);
      });
    const calls = [call("read", { n: 0 }), call("read", { n: 1 }), call("change", { n: 2 }), call("read", { n: 3 })];
    const tools = [logged("read", "read"), logged("change", "write"), taskCompletion()];
    await drain(act(openRun({ tools }, [go, replied(1, calls)]).run));
    expect(log.slice(0, 2)).toEqual(["read 0 begins", "read 1 begins"]);
    expect(log.slice(4)).toEqual(["change 2 begins", "change 2 ends", "read 3 begins", "read 3 ends"]);
  });

  test("that have a result already are not run again: a process that left the run had come so far", async () => {
    const seen: (number | undefined)[] = [];
    const tools = [worker("look", "read", ({ n }) => void seen.push(n)), taskCompletion()];
    const calls = [call("look", { n: 1 }), call("look", { n: 2 })];
    const { run, added } = openRun({ tools }, [go, replied(1, calls), result(idOf(1, 0))]);
    await drain(act(run));
    expect(seen).toEqual([2]);
    expect(resultsIn(added())).toEqual([[idOf(1, 1), "ok"]]);
  });

  test("that were about to change something when their process died have an unknown outcome", async () => {
    const tools = [worker("edit", "write", () => expect.fail("it ran again")), taskCompletion()];
    const intent: RecordBody = { type: "intent", callId: idOf(1) };
    const { run, added } = openRun({ tools }, [go, replied(1, [call("edit")]), intent]);
    await drain(act(run));
    expect(resultsIn(added())).toEqual([[idOf(1), "interrupted"]]);
  });

  test("fail one by one: a tool that does not exist leaves the others alone", async () => {
    const { run, added } = openRun({ tools: [look, taskCompletion()] }, [
      go,
      replied(1, [call("lock"), call("look"), call("look", { n: "one" })]),
    ]);
    await drain(act(run));
    expect(resultsIn(added()).map(([, how]) => how)).toEqual(["unknown_tool", "ok", "invalid_arguments"]);
  });
});

describe("nothing of a reply is run", () => {
  const tools = [worker("look", "read", () => expect.fail("it ran")), taskCompletion()];

  test.each([
    ["cut", "truncated"],
    ["refused", "interrupted"],
  ] as const)("if it was %s: each call has the failure %s", async (finish, kind) => {
    const { run, added } = openRun({ tools }, [go, replied(1, [call("look"), claim], { finish })]);
    const { value } = await drain(act(run));
    expect(value).toBeUndefined();
    expect(resultsIn(added()).map(([, how]) => how)).toEqual([kind, kind]);
  });

  test("but what ends the run, in the closing iteration", async () => {
    const { run, added } = openRun({ tools }, [go, closing, replied(1, [call("look"), claim])]);
    const { value } = await drain(act(run));
    expect(value?.tool.name).toBe("task_completion");
    expect(resultsIn(added())).toEqual([[idOf(1, 0), "closing"]]);
  });

  test("that could end it: of two claims none stands, and the work beside them is done", async () => {
    const { run, added } = openRun({ tools: [look, taskCompletion()] }, [go, replied(1, [claim, call("look"), claim])]);
    const { value } = await drain(act(run));
    expect(value).toBeUndefined();
    expect(resultsIn(added()).map(([, how]) => how)).toEqual(["conflicting_calls", "ok", "conflicting_calls"]);
  });
});

describe("a reply without a call", () => {
  test("is a failure in the journal, and watchers are told", async () => {
    const { run, added } = openRun({}, [go, replied(1, [], { text: "I am done." })]);
    const { events } = await drain(act(run));
    expect(added()).toMatchObject([{ type: "error-context", failure: { kind: "no_tool_call" } }]);
    expect(events).toMatchObject([{ type: "reply-failure", failure: { kind: "no_tool_call" } }]);
  });

  test("is blamed once, also if the run is resumed after it", async () => {
    const { run } = openRun({}, [go, replied(1, [], { text: "I am done." })]);
    await drain(act(run));
    const seq = run.state.seq;
    await drain(act(run));
    expect(run.state.seq).toBe(seq);
  });

  test("is not blamed if the provider refused to answer", async () => {
    const { run, types } = openRun({}, [go, replied(1, [], { finish: "refused" })]);
    await drain(act(run));
    expect(types()).toEqual([]);
  });
});

test("an abort between two calls leaves the second one alone", async () => {
  const stopping = worker("stop", "write", () => {
    opened.abort.abort(new Error("enough"));
  });
  const tools = [stopping, edit, taskCompletion()];
  const opened = openRun({ tools }, [go, replied(1, [call("stop"), call("edit")])]);
  await expect(drain(act(opened.run))).rejects.toThrow("enough");
  expect(resultsIn(opened.added()).map(([id]) => id)).toEqual([idOf(1, 0)]);
});
