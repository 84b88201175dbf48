import { expect, test } from "vitest";
import { askFirst } from "../../../src/approval/index.js";
import { LastcallError, type AgentOptions, type FrozenCall, type Tool } from "../../../src/core/index.js";
import { assemble } from "../../../src/core/agent/assemble.js";
import { compile } from "../../../src/schema/index.js";
import { scriptedModel, virtualClock } from "../../../src/testing/index.js";
import { askQuestion, converse, taskCompletion } from "../../../src/tools/index.js";

/** The parts that these options make. */
function parts(options: Partial<AgentOptions<readonly Tool[]>> = {}) {
  return assemble({ model: scriptedModel([]), tools: [taskCompletion()], ...options }, { compile, askFirst });
}

test("an agent has bounds of its own without a word of the caller", () => {
  expect(parts()).toMatchObject({
    maxAttempts: 5,
    circuit: { identical: 5, inARow: 10, stall: { nudge: 3, stop: 6 } },
    clip: 8000,
    limits: { warnAt: 0.8, reserve: 0.1 },
    checks: [],
    hooks: [],
    onText: undefined,
    price: undefined,
  });
});

test("permission fails closed by default: nothing that changes anything is allowed", async () => {
  const { permission } = parts();
  const deciding = { signal: new AbortController().signal, session: "s", preview: async () => undefined };
  const call = (effect: FrozenCall["effect"]): FrozenCall => ({ id: "c", name: "x", effect, input: {} });
  expect(await permission.decide(call("write"), deciding)).toMatchObject({ allowed: false });
  expect(await permission.decide(call("read"), deciding)).toMatchObject({ allowed: true });
});

test("permission is told the names of the tools before anything runs", () => {
  let told: readonly string[] = [];
  const permission = {
    prepare: (names: readonly string[]) => void (told = names),
    decide: () => ({ allowed: true, reason: "" }),
  };
  parts({ permission, tools: [taskCompletion(), askQuestion()] });
  expect(told).toEqual(["ask_question", "task_completion"]);
});

test("the instructions come first in the system prompt, and the rules of the loop after them", () => {
  const { system } = parts({ instructions: "Be brief." });
  expect(system).toMatch(/^Be brief\.\n\n/);
  expect(system).toContain("task_completion");
});

test("the overhead of a request is its system prompt and its tools", () => {
  const { system, tools, overhead } = parts();
  expect(overhead).toBe(system.length + JSON.stringify(tools.descriptions).length);
});

test("where no person is ever there, no tool waits for one", () => {
  const tools = [taskCompletion(), askQuestion()];
  expect(parts({ tools }).tools.names).toEqual(["ask_question", "task_completion"]);
  expect(parts({ tools, interactive: false }).tools.names).toEqual(["task_completion"]);
});

test("the price is that of the agent's own model", () => {
  const prices = { scripted: { input: 1, output: 2 }, other: { input: 3, output: 4 } };
  expect(parts({ limits: { prices } }).price).toEqual({ input: 1, output: 2 });
});

test("words alone go to the field that their tool streams", () => {
  const tools = [converse(), taskCompletion()];
  expect(parts({ tools, onText: "converse" }).onText).toEqual({ tool: "converse", field: "message" });
});

test("secrets are left out of what people are warned of, unless that is switched off", () => {
  const key = `sk-proj-${"Ab3".repeat(16)}`;
  for (const [secrets, shown] of [
    [undefined, false],
    [false, true],
  ] as const) {
    const runtime = virtualClock();
    parts({ runtime, secrets }).runtime.warn(new LastcallError("store", `no ${key}`));
    expect(runtime.warnings[0]?.message.includes(key)).toBe(shown);
  }
});
