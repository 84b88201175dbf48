import { describe, expect, test } from "vitest";
import { z } from "zod";
import { tool, type AgentOptions, type Check, type Event, type Tool } from "../../../src/core/index.js";
import type { RecordBody } from "../../../src/core/internal.js";
import { resolve, type ResolvedCall } from "../../../src/core/call/resolve.js";
import { verify } from "../../../src/core/loop/verify.js";
import { call, type ScriptedCall } from "../../../src/testing/index.js";
import { askQuestion, taskCompletion } from "../../../src/tools/index.js";
import { drain } from "../drain.js";
import { checked, failed, input, result } from "../journal.js";
import { idOf, openRun, replied, resultsIn, type OpenedRun } from "../open-run.js";

const done = call("task_completion", { result: "Done." });

interface Verified extends OpenedRun {
  readonly events: readonly Event[];
}

/** Verifies the first call of a reply. */
async function verified(
  options: Partial<AgentOptions<readonly Tool[]>>,
  after: readonly RecordBody[] = [],
  calls: readonly ScriptedCall[] = [done],
): Promise<Verified> {
  const opened = openRun(options, [input(1, "go"), replied(1, calls), ...after]);
  const [first] = opened.run.reply.calls;
  const ready = await resolve(opened.run.parts.tools, first!);
  const { events } = await drain(verify(opened.run, ready as ResolvedCall));
  return { ...opened, events };
}

/** A check that notes when it is asked. */
function check(name: string, passed: boolean, asked: string[] = []): Check {
  return {
    name,
    verify: () => {
      asked.push(name);
      return { passed, output: `${name} said ${passed ? "yes" : "no"}` };
    },
  };
}

describe("the parts of a claim that the model declares unverified", () => {
  const report = tool({
    name: "report",
    description: "Reports.",
    input: z.object({ open: z.array(z.string()).optional() }),
    isLoopBreaking: true,
    unverified: "open",
  });
  const unverified = async (open?: readonly string[]): Promise<unknown> => {
    const { added } = await verified({ tools: [report] }, [], [call("report", open ? { open } : {})]);
    return (added().at(-1) as { readonly unverified?: unknown }).unverified;
  };

  test("are recorded with it, without blank texts", async () => {
    expect(await unverified(["The docs.", " ", "The other platform."])).toEqual(["The docs.", "The other platform."]);
  });

  test("leave no trace if there are none", async () => {
    expect(await unverified()).toBeUndefined();
    expect(await unverified([" "])).toBeUndefined();
  });
});

describe("a claim that holds", () => {
  test("is recorded with its value and its receipts, before watchers hear of it", async () => {
    const { added, types, events } = await verified({ checks: [check("tests", true)] });
    expect(types()).toEqual(["check", "decision", "claim"]);
    expect(added().at(-1)).toMatchObject({
      callId: idOf(1),
      by: "task_completion",
      ending: "completed",
      value: { result: "Done." },
      receipts: [{ check: "tests", when: "claim", passed: true }],
    });
    expect(events.map(({ type }) => type)).toEqual([
      "call-start",
      "check-start",
      "check-end",
      "call-decision",
      "claim-accepted",
    ]);
  });

  test("that asks the user is not checked, and says until when it waits", async () => {
    const asked: string[] = [];
    const tools = [askQuestion({ expiresAfter: 60_000 }), taskCompletion()];
    const calls = [call("ask_question", { question: "Which?" })];
    const { added } = await verified({ tools, checks: [check("tests", false, asked)] }, [], calls);
    expect(asked).toEqual([]);
    expect(added().at(-1)).toMatchObject({ type: "claim", ending: "waiting", receipts: [], expiresAt: 65_000 });
  });

  test("after every check passed is not checked again", async () => {
    const asked: string[] = [];
    const closing: RecordBody = {
      type: "notice",
      about: "closing",
      reason: "check_passed",
      message: "every check passes",
      text: "The goal is reached.",
    };
    const opened = openRun({ checks: [check("npm test", true, asked)] }, [
      input(1, "go"),
      checked(true, { when: "iteration" }),
      closing,
      replied(1, [done]),
    ]);
    const ready = await resolve(opened.run.parts.tools, opened.run.reply.calls[0]!);
    await drain(verify(opened.run, ready as ResolvedCall));
    expect(asked).toEqual([]);
    expect(opened.run.state.claim?.receipts).toHaveLength(1);
  });
});

describe("a claim is refused, with the reason as its result,", () => {
  test("if another call of the reply failed; then no check is asked", async () => {
    const asked: string[] = [];
    const { added, run } = await verified({ checks: [check("tests", true, asked)] }, [
      result("other", failed("tool_error")),
    ]);
    expect(resultsIn(added())).toEqual([[idOf(1), "claim_refused"]]);
    expect([asked, run.state.claim]).toEqual([[], undefined]);
  });

  test("by the first check that does not pass; those after it are not asked, and the tool does not run", async () => {
    const asked: string[] = [];
    const ending = tool({
      name: "finish",
      description: "Ends.",
      input: z.object({}),
      isLoopBreaking: true,
      run: () => expect.fail("it ran"),
    });
    const checks = [check("types", true, asked), check("tests", false, asked), check("lint", true, asked)];
    const { added } = await verified({ tools: [ending], checks }, [], [call("finish")]);
    expect(asked).toEqual(["types", "tests"]);
    expect(added().at(-1)).toMatchObject({
      result: { ok: false, failure: { kind: "check_failed" }, text: expect.stringContaining("tests said no") },
    });
  });

  test("if its tool was at work when its process died: it is not run a second time", async () => {
    const refund = tool({
      name: "refund",
      description: "Pays and ends.",
      input: z.object({}),
      effect: "write",
      isLoopBreaking: true,
      run: () => expect.fail("it ran a second time"),
    });
    const { added, run } = await verified({ tools: [refund] }, [{ type: "intent", callId: idOf(1) }], [call("refund")]);
    expect(resultsIn(added())).toEqual([[idOf(1), "interrupted"]]);
    expect(run.state.claim).toBeUndefined();
  });

  test.each<[string, () => unknown, string]>([
    ["throws", () => Promise.reject(new Error("no printer")), "no printer"],
    ["returns what JSON can't write", () => new Map([["a", 1]]), "JSON"],
  ])("if its tool %s", async (_what, run, words) => {
    const ending = tool({ name: "finish", description: "Ends.", input: z.object({}), isLoopBreaking: true, run });
    const { added, types } = await verified({ tools: [ending] }, [], [call("finish")]);
    expect(types()).toEqual(["decision", "intent", "result"]);
    expect(added().at(-1)).toMatchObject({ result: { ok: false, text: expect.stringContaining(words) } });
  });

  test("if permission says no", async () => {
    const permission = { decide: () => ({ allowed: false, reason: "not today" }) };
    const { added } = await verified({ permission });
    expect(resultsIn(added())).toEqual([[idOf(1), "denied"]]);
  });
});

test("a claim of an aborted run is not looked at", async () => {
  const opened = openRun({}, [input(1, "go"), replied(1, [done])]);
  const ready = await resolve(opened.run.parts.tools, opened.run.reply.calls[0]!);
  opened.abort.abort(new Error("enough"));
  await expect(drain(verify(opened.run, ready as ResolvedCall))).rejects.toThrow("enough");
  expect(opened.types()).toEqual([]);
});

test("a rule refuses a claim, and advice that fails stands in the receipts alone", async () => {
  const asked: string[] = [];
  const advice: Check = { ...check("advice", false, asked), kind: "advice" };
  const rule: Check = { ...check("rule", false, asked), kind: "rule" };
  const refused = await verified({ tools: [taskCompletion()], checks: [advice, rule] });
  expect(asked).toEqual(["advice", "rule"]);
  expect(JSON.stringify(refused.added())).toContain('because the check \\"rule\\" did not pass');
  const accepted = await verified({ tools: [taskCompletion()], checks: [advice] });
  expect(accepted.added().at(-1)).toMatchObject({
    type: "claim",
    receipts: [{ check: "advice", kind: "advice", passed: false }],
  });
});
