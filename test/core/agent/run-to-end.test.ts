import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createAgent, tool } from "../../../src/index.js";
import { LastcallError, type AnyOutcome, type JournalRecord } from "../../../src/core/index.js";
import type { RunInput } from "../../../src/core/agent/answer.js";
import { runUnlessAnswered } from "../../../src/core/agent/run-to-end.js";
import { transcript } from "../../../src/memory/index.js";
import { call, scriptedModel, type Script } from "../../../src/testing/index.js";
import { askQuestion, taskCompletion } from "../../../src/tools/index.js";
import { drain } from "../drain.js";
import { failed, input, iteration, replyOf } from "../journal.js";
import { openRun, replied, resultsIn, worker } from "../open-run.js";

const done = [call("task_completion", { result: "Done." })];
const usage = { inputTokens: 90, outputTokens: 10, cachedInputTokens: 0, reasoningTokens: 0 };

/** Runs to the end with this script, on a session that has these records. */
async function ran(script: Script, start: RunInput, ...[options, ...more]: Parameters<typeof openRun>) {
  const tools = [worker("edit", "write"), askQuestion(), taskCompletion()];
  const opened = openRun({ model: scriptedModel(script), tools, ...options }, ...more);
  const { events, value: outcome } = await drain(runUnlessAnswered(opened.run, start));
  return { ...opened, events, outcome };
}

const go: RunInput = { input: "go" };

describe("a run", () => {
  test("begins with its input and ends with its outcome, in the journal and for the caller", async () => {
    const { types, added, events, outcome } = await ran([{ calls: done, usage }], go);
    expect(types()).toEqual(["input", "reply", "decision", "claim", "iteration", "outcome"]);
    expect(added()[0]).toMatchObject({ run: 1, text: "go", definition: { model: "scripted" } });
    expect(added().at(-1)).toMatchObject({ status: "completed" });
    expect(events[0]).toEqual({ type: "run-start", session: "s", run: 1, input: "go" });
    expect(outcome).toMatchObject({ status: "completed", usage, iterations: 1, session: { records: { length: 6 } } });
  });

  test("that the provider fails ends with the fault, and says so in the journal", async () => {
    const { outcome, added } = await ran([{ status: 401, message: "no key" }], go);
    expect(outcome).toMatchObject({ status: "failed", fault: { code: "authentication" } });
    expect(added().at(-1)).toMatchObject({ type: "outcome", status: "failed", reason: "authentication" });
  });

  test("that is aborted gets its history in order first: each call has a result", async () => {
    const abort = new AbortController();
    const stopping = worker("stop", "write", () => {
      abort.abort(new DOMException("ctrl-c", "AbortError"));
      return new Promise(() => undefined);
    });
    const calls = [call("stop"), call("stop")];
    const running = openRun({ model: scriptedModel([calls]), tools: [stopping, taskCompletion()] }, [], {
      signal: abort.signal,
    });
    const drained = drain(runUnlessAnswered(running.run, go));
    for (let turn = 0; turn < 20; turn += 1) await running.clock.advance(100);
    expect((await drained).value.status).toBe("aborted");
    expect(resultsIn(running.added()).map(([, how]) => how)).toEqual(["interrupted", "interrupted"]);
    expect(running.types().slice(-2)).toEqual(["iteration", "outcome"]);
  });

  test("whose input can't be taken never began: nothing is recorded of it", async () => {
    const { outcome, types } = await ran([], { input: "blue", answers: "s/1/call:9:0" });
    expect(outcome).toMatchObject({ status: "failed", fault: { code: "configuration" }, iterations: 0 });
    expect(types()).toEqual([]);
  });

  test("whose input could not be kept has no outcome either, also where a run was before", async () => {
    const memory: typeof transcript = (session) => {
      const inner = transcript(session);
      return {
        records: inner.records,
        append: (record) => {
          if (record.type === "input") throw new Error("no room");
          return inner.append(record);
        },
        recall: (asked) => inner.recall(asked),
      };
    };
    const before = [input(1, "go"), { type: "outcome", status: "completed" } as const];
    const { outcome, types } = await ran([], { input: "more" }, { memory }, before);
    expect(outcome).toMatchObject({ status: "failed", fault: { code: "store" } });
    expect(types()).toEqual([]);
  });

  test("whose outcome can't be kept has failed, whatever it came to", async () => {
    const full = new LastcallError("store", "no room");
    const memory: typeof transcript = (session) => {
      const inner = transcript(session);
      return {
        records: inner.records,
        append: (record) => (record.type === "outcome" ? Promise.reject(full) : inner.append(record)),
        recall: (asked) => inner.recall(asked),
      };
    };
    expect((await ran([done], go, { memory })).outcome).toMatchObject({ status: "failed", fault: { code: "store" } });
  });

  test("gives back what it set aside up the tree for a request that failed", async () => {
    const above = openRun({ limits: { maxTokens: 10_000, reserve: 0 } }, [input(1, "go")]);
    const budget = above.run.purse.open();
    await ran([{ status: 503 }], go, {}, [], { budget });
    expect(budget.reserve({ iterations: 1, tokens: 10_000, cost: 0 })).toHaveProperty("settle");
  });

  test("of a new session begins with the notes that it was given, and of an old one does not", async () => {
    const notes = [{ id: "n1", text: "mind the gap", tags: [], scratched: false }];
    expect((await ran([done], { ...go, notes })).added()[0]).toMatchObject({ notes });
    const before = [input(1, "go"), { type: "outcome", status: "completed" } as const];
    expect((await ran([done], { ...go, notes }, {}, before)).added()[0]).not.toHaveProperty("notes");
  });
});

describe("a session goes on", () => {
  test("in the very run that its process left, which says that it was resumed", async () => {
    const left = [input(1, "go"), replied(1, [call("edit")])];
    const { types, events, outcome } = await ran([done], { input: undefined }, {}, left);
    expect(types().slice(0, 5)).toEqual(["resume", "decision", "intent", "result", "iteration"]);
    expect(events[0]).toMatchObject({ type: "run-start", run: 1, resumed: true });
    expect(outcome).toMatchObject({ status: "completed", iterations: 2 });
  });

  test("with a call that was left at work, and that waits for a yes now: the yes lets it run", async () => {
    const runs: string[] = [];
    const file = tool({
      name: "file",
      description: "Files",
      input: z.object({}),
      effect: "write",
      idempotent: true,
      run: (_input, context) => void runs.push(context.callId),
    });
    const agent = createAgent({
      model: scriptedModel([[call("task_completion", { result: "done" })]]),
      tools: [file, taskCompletion()],
      permission: {
        decide: ({ name }, { approval }) =>
          approval ??
          (name === "file" ? { later: true, reason: "nobody is here" } : { allowed: true, reason: "an end" }),
      },
    });
    const callId = "s/1/call:1:0";
    const left = [
      input(1, "go"),
      replied(1, [call("file")]),
      { type: "decision", callId, allowed: true, reason: "a person sat here" },
      { type: "intent", callId },
    ].map((record, seq) => ({ ...record, seq, at: seq }));
    const session = { version: 1, id: "s", records: left as readonly JournalRecord[] } as const;
    const waiting = await agent.run(undefined, { session });
    expect(waiting).toMatchObject({ status: "waiting", by: "file", id: callId });
    const ended = await agent.run({ allowed: true }, { session: waiting.session, answers: callId });
    expect(ended.status).toBe("completed");
    expect(runs).toEqual([callId]);
  });

  test("with new words after what a run left is mended", async () => {
    const left = [input(1, "go"), replied(1, [call("edit")])];
    const { types, added } = await ran([done], { input: "more" }, {}, left);
    expect(types().slice(0, 3)).toEqual(["result", "iteration", "input"]);
    expect(added()[2]).toMatchObject({ run: 2, text: "more" });
  });

  test("and says that the circuit is closed again, if it was open", async () => {
    const error = failed("tool_error");
    const reply = { type: "reply", iteration: 1, reply: replyOf(["a"]) } as const;
    const result = { callId: "a", name: "edit", ok: false, text: "", failure: error };
    const once = [reply, { type: "result", result } as const, iteration(1, [error])];
    const { events } = await ran([done], { input: "more" }, { circuit: { identical: 1 } }, [input(1, "go"), ...once]);
    expect(events.map(({ type }) => type)).toContain("circuit-close");
  });
});

describe("words that were given before", () => {
  const first = async (sent?: string): Promise<AnyOutcome> => {
    return (await ran([done], { input: "go", ...(sent !== undefined && { inputId: sent }) })).outcome;
  };

  test("through the inbox start nothing: their run's outcome is returned", async () => {
    const { session } = await first("m1");
    const { outcome, types } = await ran([], { input: "go", inputId: "m1" }, {}, session.records);
    expect(outcome).toMatchObject({ status: "completed", value: { result: "Done." } });
    expect(types()).toEqual([]);
  });

  test("under another id are new ones", async () => {
    const { session } = await first("m1");
    const { types } = await ran([done], { input: "go", inputId: "m2" }, {}, session.records);
    expect(types()[0]).toBe("input");
  });

  test("and a wish to go on with an id is told apart by it: it goes on once", async () => {
    const left = [{ type: "input", run: 1, text: "go" } as const];
    const { types, outcome } = await ran([done], { input: undefined, inputId: "r1" }, {}, left);
    const { records } = outcome.session;
    expect(types()[0]).toBe("resume");
    expect(records.filter((record) => "sent" in record).map(({ type }) => type)).toEqual(["resume"]);
    const again = await ran([], { input: undefined, inputId: "r1" }, {}, records);
    expect(again.types()).toEqual([]);
  });

  test("to a run that has not ended go on with that run", async () => {
    const left = [{ type: "input", run: 1, text: "go", sent: "m1" } as const];
    const { types, outcome } = await ran([done], { input: "go", inputId: "m1" }, {}, left);
    expect(types()[0]).toBe("resume");
    expect(outcome.status).toBe("completed");
  });
});
