import { describe, expect, test } from "vitest";
import { replay, type AgentOptions, type Tool } from "../../../src/core/index.js";
import type { ClaimRecord, RecordBody } from "../../../src/core/internal.js";
import { conclude } from "../../../src/core/loop/conclude.js";
import { call } from "../../../src/testing/index.js";
import { askQuestion, taskCompletion } from "../../../src/tools/index.js";
import { checked, failed, input, iteration, journal, reply, result } from "../journal.js";
import { idOf, openRun, replied } from "../open-run.js";

const done = call("task_completion", { result: "Done." });
const closing: RecordBody = {
  type: "notice",
  about: "closing",
  reason: "max_iterations",
  message: "1 iteration, as many as allowed",
  text: "The run has to end.",
};

/** The verdict after these records. */
function verdict(
  bodies: readonly RecordBody[],
  options: Partial<AgentOptions<readonly Tool[]>> = {},
): ReturnType<typeof conclude> {
  return conclude(replay(journal([input(1, "go"), ...bodies])), openRun(options).run.parts);
}

/** An iteration in which one call came to this failure. */
function broken(number: number, why: ReturnType<typeof failed>): readonly RecordBody[] {
  return [reply(number, ["a"]), result("a", why), iteration(number, [why])];
}

/** A claim that was accepted, after these checks. */
function claimed(ending: ClaimRecord["ending"], checks: readonly RecordBody[] = []): readonly RecordBody[] {
  const receipts = Object.values(replay(journal(checks)).checks).map(({ receipt }) => receipt);
  const claim: RecordBody = { type: "claim", callId: idOf(1), by: "it", ending, value: { n: 1 }, receipts };
  return [replied(1, [done]), ...checks, claim, iteration(1)];
}

describe("the run goes on", () => {
  test("before the first reply, and after an iteration that went well or failed once", () => {
    expect(verdict([])).toBeUndefined();
    expect(verdict([reply(1, ["a"]), result("a"), iteration(1)])).toBeUndefined();
    expect(verdict(broken(1, failed("tool_error")))).toBeUndefined();
  });

  test("while the closing iteration is still to come", () => {
    expect(verdict([closing], { limits: { maxIterations: 1 } })).toBeUndefined();
  });
});

describe("an accepted claim", () => {
  test.each<[string, readonly RecordBody[], string]>([
    ["without a check", [], "unchecked"],
    ["by an opinion alone", [checked(true, { claim: idOf(1) }, { judged: true })], "judged"],
    [
      "by an opinion and a command",
      [
        checked(true, { claim: idOf(1) }, { check: "opinion", judged: true }),
        checked(true, { claim: idOf(1) }, { check: "tests" }),
      ],
      "checked",
    ],
  ])("completes the run; %s it is %s", (_how, checks, verified) => {
    expect(verdict(claimed("completed", checks))).toMatchObject({ status: "completed", by: "it", verified });
  });

  test("of a question makes the run wait under the id of its call", () => {
    expect(verdict(claimed("waiting"))).toMatchObject({ status: "waiting", id: idOf(1), value: { n: 1 } });
  });

  test("that gives up stops the run, with what was given", () => {
    expect(verdict(claimed("stopped"))).toMatchObject({
      status: "stopped",
      reason: "gave_up",
      partial: { claim: { by: "it", value: { n: 1 } } },
    });
  });

  test("counts before any limit", () => {
    expect(verdict(claimed("completed"), { limits: { maxIterations: 1 } })).toMatchObject({ status: "completed" });
  });
});

describe("the run stops", () => {
  test("once the checks failed as often as allowed, and not before", () => {
    const attempt = broken(1, failed("check_failed"));
    expect(verdict(attempt, { maxAttempts: 2 })).toBeUndefined();
    expect(verdict([...attempt, ...attempt], { maxAttempts: 2 })).toMatchObject({ reason: "checks_failed" });
  });

  test("once the same failure came as often in a row as allowed, and says which", () => {
    const same = broken(1, failed("tool_error"));
    const circuit = { identical: 2 };
    expect(verdict(same, { circuit })).toBeUndefined();
    expect(verdict([...same, ...same], { circuit })).toMatchObject({
      status: "stopped",
      reason: "circuit_open",
      message: expect.stringMatching(/2 times.*tool_error/),
    });
  });

  test("once any failures came as often in a row as allowed", () => {
    const two = [...broken(1, failed("tool_error", "a")), ...broken(2, failed("denied", "b"))];
    expect(verdict(two, { circuit: { inARow: 2 } })).toMatchObject({ reason: "circuit_open" });
    expect(verdict(two, { circuit: { inARow: 3 } })).toBeUndefined();
  });

  test("once the same calls had the same results as often as allowed, unless that is switched off", () => {
    const same = [reply(1, ["a"]), result("a"), iteration(1)];
    const stall = { nudge: 2, stop: 3 };
    expect(verdict([...same, ...same], { circuit: { stall } })).toBeUndefined();
    expect(verdict([...same, ...same, ...same], { circuit: { stall } })).toMatchObject({ reason: "stalled" });
    expect(verdict([...same, ...same, ...same], { circuit: { stall: false } })).toBeUndefined();
  });

  test("if the provider refused to answer, or no prompt fits the window", () => {
    expect(verdict([replied(1, [], { finish: "refused" }), iteration(1)])).toMatchObject({ reason: "refused" });
    expect(verdict([{ type: "overflow", message: "12 tokens too many" }])).toMatchObject({
      reason: "context_full",
      message: "12 tokens too many",
    });
  });
});

describe("the run is closed with one last iteration", () => {
  const one = [reply(1, ["a"], "so far"), result("a"), iteration(1)];

  test("at a limit, unless nothing is kept in reserve", () => {
    expect(verdict(one, { limits: { maxIterations: 2 } })).toBeUndefined();
    expect(verdict(one, { limits: { maxIterations: 1 } })).toMatchObject({
      status: "closing",
      reason: "max_iterations",
    });
    expect(verdict(one, { limits: { maxIterations: 1, reserve: 0 } })).toMatchObject({
      status: "stopped",
      reason: "max_iterations",
      partial: { text: "so far" },
    });
  });

  test("if an iteration took too long and the run has time left", () => {
    const expired: RecordBody = { type: "expiry", message: "the time is up", elapsed: 900 };
    expect(verdict([expired], { limits: { timeout: 1000 } })).toMatchObject({ status: "closing", reason: "timeout" });
    expect(verdict([expired], { limits: { timeout: 900 } })).toMatchObject({ status: "stopped", reason: "timeout" });
    expect(verdict([expired], { limits: { timeout: 1000, reserve: 0 } })).toMatchObject({ status: "stopped" });
  });

  test("if every check passes after a change, and one of them did not before", () => {
    const check = { name: "npm test", every: "iteration" as const, verify: () => ({ passed: true, output: "" }) };
    const edited = [reply(1, ["a"]), { type: "intent" as const, callId: "a" }, result("a")];
    const before = checked(false, { when: "baseline" });
    const green = [before, ...edited, checked(true, { when: "iteration" }), iteration(1)];
    expect(verdict(green, { checks: [check] })).toMatchObject({ status: "closing", reason: "check_passed" });
    expect(verdict([checked(true, { when: "baseline" }), ...green.slice(1)], { checks: [check] })).toBeUndefined();
    expect(verdict([before, ...edited, iteration(1)], { checks: [check] })).toBeUndefined();
  });
});

describe("after the closing iteration the run stops for the reason it was closed for", () => {
  test("with the words of a claim that was not accepted", () => {
    const refused = [replied(1, [done]), result(idOf(1), failed("check_failed")), iteration(1)];
    expect(verdict([closing, ...refused])).toMatchObject({
      status: "stopped",
      reason: "max_iterations",
      partial: { text: "Done." },
    });
  });

  test("with a claim that was accepted unchecked, which the model had to make", () => {
    expect(verdict([closing, ...claimed("completed")])).toMatchObject({
      status: "stopped",
      reason: "max_iterations",
      partial: { claim: { by: "it" } },
    });
  });

  test("with a claim whose checks had passed before anything was done, which proves nothing", () => {
    const passed = [checked(true, { when: "baseline" }), checked(true, { claim: idOf(1) })];
    const held = [closing, ...claimed("completed", passed)];
    expect(verdict(held)).toMatchObject({ status: "stopped", partial: { claim: { by: "it" } } });
  });

  test("unless the claim was checked: then the run is completed", () => {
    const passed = checked(true, { claim: idOf(1) });
    expect(verdict([closing, ...claimed("completed", [passed])])).toMatchObject({ status: "completed" });
  });

  test("also with a question, which nobody answers", () => {
    const tools = [askQuestion(), taskCompletion()];
    expect(verdict([closing, ...claimed("waiting")], { tools })).toMatchObject({ status: "stopped" });
  });
});
