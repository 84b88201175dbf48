// The outcome of a tree of agents: the endings and questions of the agents in tools are in it, by type.
import { expectTypeOf, it } from "vitest";
import { z } from "zod";
import { createAgent, tool, type Later, type Model, type Tool } from "../../../src/index.js";
import {
  askQuestion,
  delegate,
  taskCompletion,
  type ChildApproval,
  type ChildQuestion,
  type Question,
  type Task,
} from "../../../src/tools/index.js";

declare const model: Model;

const found = tool({
  name: "found",
  description: "Ends the search",
  input: z.object({ file: z.string() }),
  isLoopBreaking: true,
});
const pay = tool({ name: "pay", description: "Pays", input: z.object({ cents: z.int() }), effect: "network" });
const later: Later = { later: true, reason: "it costs money" };

it("has the value of the agent's completion as the value of the call", () => {
  const leaf = createAgent({ model, tools: [found] });
  const search = delegate(leaf, { name: "search", description: "Searches" });
  expectTypeOf(search).toExtend<Tool<"search", Task, { file: string }, "never">>();
});

it("does not wait if no agent of the tree may", async () => {
  const search = delegate(createAgent({ model, tools: [found] }), { name: "search", description: "Searches" });
  const outcome = await createAgent({ model, tools: [search, taskCompletion()] }).run("Go.");
  expectTypeOf(outcome.status).toEqualTypeOf<"completed" | "stopped" | "aborted" | "failed">();
});

it("has the questions and approvals of all levels as cases, with the tool that asks, and is exhaustive", async () => {
  const leaf = createAgent({ model, tools: [pay, found, askQuestion()], permission: () => later });
  const search = delegate(leaf, { name: "search", description: "Searches" });
  const middle = createAgent({ model, tools: [search, taskCompletion()] });
  const research = delegate(middle, { name: "research", description: "Researches" });
  const root = createAgent({ model, tools: [research, askQuestion(), taskCompletion()] });
  const outcome = await root.run("Go.");
  switch (outcome.status) {
    case "waiting": {
      if (outcome.by === "ask_question") return;
      expectTypeOf(outcome.by).toEqualTypeOf<"research">();
      const { value } = outcome;
      if (value.approval === undefined) {
        expectTypeOf(value).toEqualTypeOf<ChildQuestion<"ask_question", Question>>();
      } else {
        expectTypeOf(value.by).toEqualTypeOf<"pay" | "found" | "ask_question">();
        if (value.by === "pay") expectTypeOf(value).toEqualTypeOf<ChildApproval<"pay", { cents: number }>>();
      }
      return;
    }
    case "completed":
    case "stopped":
    case "aborted":
    case "failed":
      return;
    default:
      outcome satisfies never;
  }
});

it("takes arguments of a schema, and makes the task from them", () => {
  const leaf = createAgent({ model, tools: [found] });
  delegate(leaf, {
    name: "search",
    description: "Searches",
    input: z.object({ what: z.string() }),
    brief: (input) => {
      expectTypeOf(input).toEqualTypeOf<{ what: string }>();
      return input.what;
    },
  });
});
