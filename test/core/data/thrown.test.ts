import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createAgent, tool, type Event, type Execution, type Hook } from "../../../src/index.js";
import { describeThrown } from "../../../src/core/data/thrown.js";
import { allowAll } from "../../../src/permission/index.js";
import { call, scriptedModel } from "../../../src/testing/index.js";
import { taskCompletion } from "../../../src/tools/index.js";

const key = `sk-proj-${"Ab3".repeat(16)}`;

/** Runs one call of a tool that does this, and returns what each reader learns of it. */
async function ranWith(options: Partial<Parameters<typeof tool>[0]>) {
  const broken = tool({ name: "t", description: "d", input: z.object({}), ...(options as { run?: () => unknown }) });
  const model = scriptedModel([[call("t")], [call("task_completion", { result: "x" })]]);
  const events: Event[] = [];
  const executions: Execution[] = [];
  const hook: Hook = {
    async *call(frozen, next) {
      const execution = yield* next(frozen);
      if (frozen.name === "t") executions.push(execution);
      return execution;
    },
  };
  const agent = createAgent({ model, tools: [broken, taskCompletion()], hooks: [hook], permission: allowAll() });
  const outcome = await agent.run("x", { onEvent: (event) => void events.push(event) });
  const end = events.find((event) => event.type === "call-end");
  return { outcome, events, end: end!, execution: executions[0], prompts: JSON.stringify(model.requests) };
}

describe("an error in a tool, which the run survives", () => {
  test("lost its stack everywhere: now watchers and hooks have it, and the journal and the model do not", async () => {
    const { outcome, end, execution, prompts } = await ranWith({
      run: () => {
        const nothing = undefined as unknown as { readonly y: number };
        return nothing.y;
      },
    });
    expect(end.error).toMatchObject({ name: "TypeError", stack: expect.stringContaining("thrown.test.ts") });
    expect(JSON.stringify(end)).toContain("thrown.test.ts");
    expect(execution).toMatchObject({ ok: false, error: expect.any(TypeError) });
    expect(outcome.status).toBe("completed");
    expect(JSON.stringify(outcome.session)).not.toContain("thrown.test.ts");
    expect(prompts).toContain("Cannot read properties of undefined");
    expect(prompts).not.toContain("thrown.test.ts");
  });

  test("keeps its causes and codes", async () => {
    const cause = Object.assign(new Error("connect"), { code: "ECONNREFUSED" });
    const { end } = await ranWith({ run: () => Promise.reject(new Error("fetch failed", { cause })) });
    expect(end.error).toMatchObject({ message: "fetch failed", cause: { message: "connect", code: "ECONNREFUSED" } });
  });

  test("has no secret in it, for watchers and hooks", async () => {
    const cause = new AggregateError([new Error(`401 for ${key}`)], "all failed");
    const { end, execution } = await ranWith({
      run: () => Promise.reject(new Error(`no ${key}`, { cause })),
    });
    expect(JSON.stringify(end)).not.toContain(key);
    const { error } = execution as { readonly error: Error };
    expect(error.stack).not.toContain(key);
    expect(error.cause).not.toHaveProperty("errors");
  });

  test("is told as well if its schema or its reach threw", async () => {
    const input = z.object({}).transform(() => {
      throw new RangeError("in the schema");
    });
    expect((await ranWith({ input })).end.error).toMatchObject({ name: "RangeError" });
    const reach = (): never => {
      throw new RangeError("in reach");
    };
    expect((await ranWith({ reach })).end.error).toMatchObject({ name: "RangeError", message: "in reach" });
  });

  test("is no error if the tool failed in another way", async () => {
    const { end } = await ranWith({ run: () => new Map([[1, 2]]) });
    expect(end.result.failure?.kind).toBe("tool_error");
    expect(end).not.toHaveProperty("error");
  });
});

test("an error of a permission and of a check reaches watchers with its stack", async () => {
  const broken = (): never => {
    throw new RangeError("broken");
  };
  const events: Event[] = [];
  const model = scriptedModel([[call("task_completion", { result: "x" })]]);
  const agent = createAgent({
    model,
    tools: [taskCompletion()],
    permission: { decide: broken },
    checks: [{ name: "c", verify: () => ({ passed: true, output: "" }) }],
    circuit: { identical: 1, inARow: 1 },
  });
  await agent.run("x", { onEvent: (event) => void events.push(event) });
  expect(events.find((event) => event.type === "call-end")?.error).toMatchObject({ name: "RangeError" });
  const checked: Event[] = [];
  const checking = createAgent({
    model: scriptedModel([[call("task_completion", { result: "x" })]]),
    tools: [taskCompletion()],
    checks: [{ name: "c", verify: broken }],
    maxAttempts: 1,
  });
  await checking.run("x", { onEvent: (event) => void checked.push(event) });
  expect(checked.find((event) => event.type === "check-end")?.error).toMatchObject({ name: "RangeError" });
});

describe("a thrown value of any type has a description:", () => {
  test.each([["a text"], [undefined], [{ a: 1 }], [Symbol("s")], [null]])("%s", (value) => {
    expect(typeof describeThrown(value).message).toBe("string");
  });

  test("an error that causes itself ends", () => {
    const error = new Error("again");
    error.cause = error;
    expect(JSON.stringify(describeThrown(error)).length).toBeLessThan(100_000);
  });
});
