import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  createAgent,
  failClosed,
  tool,
  type Check,
  type Outcome,
  type Session,
  type Tool,
} from "../../../src/index.js";
import { transcript } from "../../../src/memory/index.js";
import { steady } from "../../../src/model/index.js";
import {
  assertWellFormed,
  call,
  faultPlan,
  scriptedModel,
  virtualClock,
  type PlannedFault,
  type Script,
  type Step,
} from "../../../src/testing/index.js";
import { askQuestion, taskCompletion } from "../../../src/tools/index.js";

const done = call("task_completion", { result: "all done" });

/** Everything that an agent with a plan around all its ports comes to. */
interface Staged {
  readonly plan: ReturnType<typeof faultPlan>;
  readonly tools: readonly Tool[];
  /** What the tool did. */
  readonly written: readonly string[];
  run(input: string, session?: Session): Promise<Outcome>;
}

function stage(faults: readonly PlannedFault[], script: Script): Staged {
  const runtime = virtualClock({ auto: true });
  const plan = faultPlan(faults, { runtime });
  const written: string[] = [];
  const write = tool({
    name: "write",
    description: "Writes",
    input: z.object({ text: z.string() }),
    timeout: 1000,
    async *run({ text }) {
      yield "writing";
      written.push(text);
      return "written";
    },
  });
  const tools = [plan.tool(write), askQuestion(), taskCompletion()] as const;
  const agent = createAgent({
    model: steady(plan.model(scriptedModel(script)), { firstDelay: 1, runtime }),
    memory: plan.memory(transcript),
    permission: plan.permission(failClosed),
    checks: [plan.check({ name: "tests", verify: () => ({ passed: true, output: "" }) })],
    tools,
    runtime,
  });
  const run = (input: string, session?: Session): Promise<Outcome> =>
    agent.run(input, session === undefined ? {} : { session });
  return { plan, tools, written, run };
}

/** The failures the model was told of. */
function failures({ session }: Outcome): readonly string[] {
  return session.records.flatMap((record) =>
    record.type === "result" && record.result.failure ? [record.result.text] : [],
  );
}

describe("a fault plan", () => {
  const write = call("write", { text: "a" });

  it("changes nothing where it plans nothing", async () => {
    const { run, plan, written } = stage([], [[write], [done]]);
    expect(await run("Go.")).toMatchObject({ status: "completed", iterations: 2, verified: "held" });
    expect(written).toEqual(["a"]);
    expect(plan.unused).toEqual([]);
  });

  it.each(["fail", "cut"] as const)("lets a request %s, which is tried again", async (what) => {
    const { run, plan } = stage(
      [{ at: "request", number: 1, do: what }],
      what === "cut" ? [[write], [done]] : [[done]],
    );
    expect(await run("Go.")).toMatchObject({ status: "completed", iterations: 1 });
    expect(plan.unused).toEqual([]);
  });

  it("lets a tool fail before it does anything", async () => {
    const { run, written } = stage([{ at: "call", number: 1, do: "fail" }], [[write], [done]]);
    const outcome = await run("Go.");
    expect(failures(outcome).join()).toContain("call 1 fails, as planned");
    expect(written).toEqual([]);
  });

  it("cuts a tool after it did what it does", async () => {
    const { run, written } = stage([{ at: "call", number: 2, do: "cut" }], [[write], [write], [done]]);
    const outcome = await run("Go.");
    expect(failures(outcome)).toEqual([expect.stringContaining("write ran and its answer was lost, as planned")]);
    expect(written).toEqual(["a", "a"]);
  });

  it("delays a tool past its time", async () => {
    const { run } = stage([{ at: "call", number: 1, do: { delay: 5000 } }], [[write], [done]]);
    expect(failures(await run("Go.")).join()).toContain("ERROR tool_timeout (write): It did not finish within 1000 ms");
  });

  it("lets a decision and a check fail, which is a no", async () => {
    const { run, plan } = stage(
      [
        { at: "decision", number: 1, do: "fail" },
        { at: "check", number: 2, do: "fail" },
      ],
      [[write], [done], [done]],
    );
    const outcome = await run("Go.");
    expect(outcome).toMatchObject({ status: "completed", iterations: 3 });
    expect(failures(outcome)).toEqual([
      expect.stringContaining("decision 1 fails, as planned"),
      expect.stringContaining("check 2 fails, as planned"),
    ]);
    expect(plan.unused).toEqual([]);
  });

  it("lets a check fail before the task begins, which is a no as well", async () => {
    const { run, plan } = stage([{ at: "check", number: 1, do: "fail" }], [[done]]);
    const outcome = await run("Go.");
    expect(outcome).toMatchObject({ status: "completed", receipts: [{ passed: true, passedAtBaseline: false }] });
    const told = outcome.session.records.flatMap((record) => (record.type === "notice" ? [record.text] : []));
    expect(told.join()).toContain("check 1 fails, as planned");
    expect(plan.unused).toEqual([]);
  });

  it("keeps what a check begins with", async () => {
    const plan = faultPlan([]);
    const inner: Check & { readonly started: string } = {
      name: "tests",
      started: "then",
      begin(): string {
        return this.started;
      },
      verify: ({ begun }) => ({ passed: begun === "then", output: "" }),
    };
    const check = plan.check(inner);
    const agent = createAgent({ model: scriptedModel([[done]]), tools: [taskCompletion()], checks: [check] });
    expect(await agent.run("Go.")).toMatchObject({ status: "completed", verified: "held" });
  });

  it("tells which faults did not come to pass", async () => {
    const never = { at: "append", number: 99, do: "fail" } as const;
    const { run, plan } = stage([never, { at: "append", number: 2, do: { delay: 10 } }], [[done]]);
    expect(await run("Go.")).toMatchObject({ status: "completed" });
    expect(plan.unused).toEqual([never]);
  });

  it("refuses a number or a delay that is none", () => {
    expect(() => faultPlan([{ at: "append", number: 0, do: "fail" }])).toThrow("whole number");
    expect(() => faultPlan([{ at: "append", number: 1, do: { delay: -1 } }])).toThrow("milliseconds");
  });
});

/** Two runs in which everything happens. */
const script: readonly Step[] = [
  [call("write", { text: "a" }), call("write", { tex: "b" })],
  "words",
  [call("ask_question", { question: "Which one?" })],
  [call("write", { text: "c" })],
  [done],
];

/** Fails one append, and goes on until the run completes; whatever was recorded is well-formed each time. */
async function failAppend(number: number): Promise<void> {
  const { run, plan, tools } = stage(
    [{ at: "append", number, do: "fail" }],
    ({ number: asked }) => script[asked - 1] ?? [done],
  );
  let outcome = await run("Go.");
  for (let more = 0; more < 3 && outcome.status !== "completed"; more += 1) {
    if (outcome.status === "failed") expect(outcome.fault.code).toBe("store");
    assertWellFormed(outcome.session.records, { tools, ended: false });
    outcome = await run("On.", outcome.session);
  }
  expect(outcome.status).toBe("completed");
  assertWellFormed(outcome.session.records, { tools });
  expect(plan.unused).toEqual([]);
}

describe("a journal that can't be written once", () => {
  /** The inputs of the two runs. */
  const inputs = [1, 19];
  const numbers = Array.from({ length: 29 }, (_none, index) => index + 1);

  it.each(numbers.filter((number) => !inputs.includes(number)))("fails a run that can be gone on from: %i", failAppend);

  it.each(inputs)("begins no run where it is the input: %i", failAppend);
});
