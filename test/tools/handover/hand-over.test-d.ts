// The outcome of an agent that hands over: the endings of every agent that may end the run are in it, by type.
import { expectTypeOf, it } from "vitest";
import { z } from "zod";
import { createAgent, tool, type Decision, type Later, type Model, type Tool } from "../../../src/index.js";
import { askQuestion, delegate, handBack, handOver, taskCompletion, type Question } from "../../../src/tools/index.js";

declare const model: Model;

const refunded = tool({
  name: "refunded",
  description: "Ends it",
  input: z.object({ cents: z.int() }),
  isLoopBreaking: true,
});
const pay = tool({ name: "pay", description: "Pays", input: z.object({ cents: z.int() }), effect: "network" });
const later: Later = { later: true, reason: "it costs money" };
const billing = createAgent({ model, tools: [refunded, handBack()] });
const support = createAgent({ model, tools: [askQuestion(), taskCompletion(), handBack()] });

it("has the endings of every agent, and is exhaustive", async () => {
  const desk = createAgent({ model, tools: [handOver({ billing, support })] });
  const outcome = await desk.run("Go.");
  switch (outcome.status) {
    case "completed":
      expectTypeOf(outcome.by).toEqualTypeOf<"refunded" | "task_completion">();
      if (outcome.by === "refunded") expectTypeOf(outcome.value).toEqualTypeOf<{ cents: number }>();
      return;
    case "waiting":
      expectTypeOf(outcome.by).toEqualTypeOf<"ask_question">();
      expectTypeOf(outcome.value).toEqualTypeOf<Question>();
      return;
    case "stopped":
    case "aborted":
    case "failed":
      expectTypeOf(outcome.speaker).toEqualTypeOf<string | undefined>();
      return;
  }
  outcome satisfies never;
});

it("has the approvals of an agent two hand-overs away, whose own permission decides", async () => {
  const teller = createAgent({ model, tools: [pay, refunded], permission: (): Decision | Later => later });
  const middle = createAgent({ model, tools: [handOver({ teller }), taskCompletion()] });
  const desk = createAgent({ model, tools: [handOver({ middle }), taskCompletion()] });
  const outcome = await desk.run("Go.");
  if (outcome.status === "waiting" && outcome.by === "pay") {
    expectTypeOf(outcome.input).toEqualTypeOf<{ cents: number }>();
  }
  const waiting = await desk.waiting(outcome.session);
  if (waiting?.by === "pay") expectTypeOf(waiting.input).toEqualTypeOf<{ cents: number }>();
});

it("names no agent that is not there, and is a value of no completion", async () => {
  handOver({ billing }, { when: { billing: "refunds" } });
  // @ts-expect-error there is no such agent
  handOver({ billing }, { when: { sales: "refunds" } });
  expectTypeOf(handOver({ billing })).toExtend<Tool<"hand_over", { to: "billing"; message: string }>>();
  const desk = createAgent({ model, tools: [handOver({ billing }), taskCompletion()] });
  const help = delegate(desk, { name: "help", description: "Helps" });
  expectTypeOf<Awaited<ReturnType<typeof help.run>>>().toExtend<unknown>();
  const outcome = await createAgent({ model, tools: [help, taskCompletion()] }).run("Go.");
  expectTypeOf(outcome.status).toEqualTypeOf<"completed" | "stopped" | "aborted" | "failed">();
});

it("needs the context of the agents that it may come to", async () => {
  const owner = z.object({ user: z.string() });
  const read = tool({
    name: "read",
    description: "Reads",
    input: z.object({}),
    context: owner,
    run: (_, { context }) => context.user,
  });
  const reader = createAgent({ model, tools: [read, taskCompletion()] });
  const desk = createAgent({ model, tools: [handOver({ reader }), taskCompletion()] });
  await desk.run("Go.", { context: { user: "Ada" } });
  // @ts-expect-error the tool of the next agent needs a context
  await desk.run("Go.");
});
