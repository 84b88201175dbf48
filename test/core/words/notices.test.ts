import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { CheckRecord } from "../../../src/core/journal/record.js";
import { tool, type Tool } from "../../../src/core/ports/tool.js";
import { toolbox } from "../../../src/core/ports/toolbox.js";
import { baselineNotice, closingNotice, failingNotice } from "../../../src/core/words/notices.js";
import { compile } from "../../../src/schema/index.js";
import { askQuestion, giveUp, taskCompletion } from "../../../src/tools/index.js";

const read = tool({ name: "read", description: "Reads.", input: z.object({ path: z.string() }) });
const submit = tool({
  name: "submit_report",
  description: "Submits.",
  input: z.object({ body: z.string() }),
  isLoopBreaking: true,
});
const tools: readonly Tool[] = [taskCompletion(), read, askQuestion(), submit, giveUp()];

describe("the notice about the checks before the first request", () => {
  const baselineCheck = (check: string, passed: boolean): CheckRecord => ({
    type: "check",
    when: "baseline",
    check,
    passed,
    output: `output of ${check}`,
    digest: "d",
    duration: 1,
  });

  it("lists each failing check with its output and leaves out those that pass", () => {
    expect(baselineNotice([baselineCheck("a", false), baselineCheck("b", true), baselineCheck("c", false)])).toBe(
      [
        "The task is done when its checks pass. They were run before you began.",
        'The check "a" does not pass yet. It says:\noutput of a',
        'The check "c" does not pass yet. It says:\noutput of c',
      ].join("\n\n"),
    );
  });

  it("says that passing checks prove nothing if all of them pass already", () => {
    expect(baselineNotice([baselineCheck("a", true), baselineCheck("b", true)])).toBe(
      'Before you began, the checks of this task were run, and pass already: "a" and "b". So they do not show that the task is done: see to that yourself.',
    );
  });

  it("is empty if no check ran", () => {
    expect(baselineNotice([])).toBe("");
  });

  it("names rules and advice apart from goals", () => {
    const rule = { ...baselineCheck("r", true), kind: "rule" as const };
    const advice = { ...baselineCheck("a", false), kind: "advice" as const };
    expect(baselineNotice([rule, advice])).toBe(
      "These rules hold for your work. A completion that breaks one is refused:\n- r\nThese rules should hold, too. Nothing is refused for them:\n- a: output of a",
    );
    expect(baselineNotice([rule, baselineCheck("g", true)])).toContain('pass already: "g".');
  });

  it("has other words after an iteration", () => {
    expect(failingNotice([baselineCheck("a", false)])).toBe(
      'The check "a" was run after that and does not pass. It says:\noutput of a',
    );
  });
});

describe("the notice before the closing iteration", () => {
  const message = "3 iterations, as many as allowed";

  it("names the calls that end the run, and why it has to end", () => {
    expect(closingNotice({ status: "closing", reason: "max_iterations", message }, toolbox(tools, compile))).toBe(
      "The run has to end: 3 iterations, as many as allowed. Your next reply is its last. Call ask_question, give_up, submit_report or task_completion, and say what is done and what is not; no other call is run.",
    );
  });

  it("names only completing calls if the goal is reached, or all ending calls if no tool completes", () => {
    const green = { status: "closing", reason: "check_passed", message: "every check passes: tests" } as const;
    expect(closingNotice(green, toolbox(tools, compile))).toBe(
      "The goal is reached: every check passes: tests. Your next reply is the last of this run. Call submit_report or task_completion now and say what was done; no other call is run.",
    );
    expect(closingNotice(green, toolbox([read, askQuestion(), giveUp()], compile))).toContain(
      "Call ask_question or give_up now",
    );
  });
});
