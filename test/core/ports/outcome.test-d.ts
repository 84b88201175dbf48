// Outcomes that wait for an approval: they exist only for agents whose permission can answer later.
import { describe, expectTypeOf, it } from "vitest";
import { z } from "zod";
import {
  createAgent,
  tool,
  type AwaitedApproval,
  type Event,
  type FrozenCall,
  type Later,
  type Model,
  type Outcome,
  type Parked,
  type Session,
} from "../../../src/index.js";
import { gate } from "../../../src/permission/index.js";
import type { Approver } from "../../../src/index.js";
import { askQuestion, taskCompletion, type Question } from "../../../src/tools/index.js";

declare const model: Model;
declare const session: Session;

const pay = tool({ name: "pay", description: "Pays.", input: z.object({ cents: z.int() }), effect: "network" });
const tools = [pay, askQuestion(), taskCompletion()] as const;
const later: Later = { later: true, reason: "it costs money" };

describe("an agent whose permission decides at once", () => {
  it("waits for questions alone, as it always did", async () => {
    for (const agent of [
      createAgent({ model, tools }),
      createAgent({ model, tools, permission: () => true }),
      createAgent({ model, tools, permission: gate({ root: "." }) }),
      createAgent({ model, tools, permission: { decide: () => ({ allowed: true, reason: "all is" }) } }),
    ]) {
      const outcome = await agent.run("Go.");
      if (outcome.status === "waiting") expectTypeOf(outcome.value).toEqualTypeOf<Question>();
      expectTypeOf<Extract<typeof outcome, { status: "waiting" }>["by"]>().toEqualTypeOf<"ask_question">();
    }
  });
});

describe("an agent whose permission may answer later", () => {
  const approver: Approver<FrozenCall, boolean | Later> = () => later;
  const agents = [
    createAgent({ model, tools, permission: () => later }),
    createAgent({ model, tools, permission: async ({ name }) => (name === "pay" ? later : true) }),
    createAgent({ model, tools, permission: () => ({ later: true, reason: "it costs money" }) }),
    createAgent({ model, tools, permission: gate({ root: ".", approver }) }),
    createAgent({ model, tools, permission: (_call, { why }) => ({ later: true, reason: why }) }),
    createAgent({ model, tools, permission: { decide: (_call, { approval }) => approval ?? later } }),
    createAgent({
      model,
      tools,
      permission: { decide: ({ name }, { approval }) => approval ?? { later: true, reason: name } },
    }),
    createAgent({
      model,
      tools,
      permission: {
        decide: async (call, { approval }) =>
          call.name === "pay" && call.input.cents > 5 ? (approval ?? later) : { allowed: true, reason: "it is little" },
      },
    }),
  ] as const;

  it("has an outcome with the tool and its input, told apart by approval", async () => {
    for (const agent of agents) {
      const outcome = await agent.run("Go.");
      if (outcome.status !== "waiting") continue;
      if (outcome.approval === undefined) {
        expectTypeOf(outcome.value).toEqualTypeOf<Question>();
        continue;
      }
      expectTypeOf(outcome.approval).toEqualTypeOf<AwaitedApproval>();
      expectTypeOf(outcome.by).toEqualTypeOf<"pay" | "ask_question" | "task_completion">();
      if (outcome.by === "pay") expectTypeOf(outcome.input).toEqualTypeOf<{ cents: number }>();
    }
  });

  it("has no value on it: who forgets approvals is told by the compiler", async () => {
    const outcome = await agents[0].run("Go.");
    if (outcome.status !== "waiting") return;
    // @ts-expect-error Property 'value' does not exist on type 'Parked<...>'.
    expectTypeOf(outcome.value);
  });

  it("takes an answer, and tells what a session waits for", async () => {
    const due = await agents[0].waiting(session);
    if (due?.approval !== undefined && due.by === "pay") expectTypeOf(due.input.cents).toBeNumber();
    await agents[0].run({ allowed: true, digest: "abc" }, { session, answers: due?.id });
    await agents[0].run({ allowed: false, reason: "no" }, { session });
  });

  it("can be watched by a watcher of any agent, whose last event may wait for an approval", () => {
    const watch = (event: Event): void => {
      if (event.type === "run-end" && event.outcome.status === "waiting" && event.outcome.approval !== undefined)
        expectTypeOf(event.outcome.input).toBeUnknown();
    };
    void agents[0].run("Go.", { onEvent: watch });
    void createAgent({ model, tools }).run("Go.", { onEvent: watch });
  });
});

it("an outcome without types is that of an agent that decides at once", () => {
  expectTypeOf<Extract<Outcome, Parked<string, unknown>>>().toBeNever();
});
