// The outcome of an agent with tool sources: it waits if the type of a list says that one of the tools may ask.
import { describe, expectTypeOf, it } from "vitest";
import { z } from "zod";
import { createAgent, tool, type AgentOptions, type Model, type Tool, type ToolSource } from "../../../src/index.js";
import { taskCompletion } from "../../../src/tools/index.js";

declare const model: Model;

const peek = tool({ name: "peek", description: "Looks", input: z.object({}), run: () => "seen" });
const book = tool({
  name: "book",
  description: "Books",
  input: z.object({ seat: z.string() }),
  asks: z.object({ row: z.int() }),
  run: async (_, { ask }) => ask({ row: 4 }),
});
type Ended = "completed" | "stopped" | "aborted" | "failed";

describe("a tool source made by hand", () => {
  it("makes no run wait if its tools ask nothing", async () => {
    const quiet = { tools: [peek] };
    const named: { readonly tools: readonly Tool<string, unknown, unknown, "never">[] } = quiet;
    for (const agent of [
      createAgent({ model, tools: [taskCompletion()], toolSources: [quiet] }),
      createAgent({ model, tools: [taskCompletion()], toolSources: [named, quiet] }),
      createAgent({ model, tools: [taskCompletion()], toolSources: [{ tools: [peek] }] }),
      createAgent({ model, tools: [taskCompletion()], toolSources: [] }),
    ]) {
      const outcome = await agent.run("Go.");
      expectTypeOf(outcome.status).toEqualTypeOf<Ended>();
      expectTypeOf<Awaited<ReturnType<typeof agent.waiting>>>().toEqualTypeOf<undefined>();
      if (outcome.status === "completed") expectTypeOf(outcome.value.result).toBeString();
    }
  });

  it("has the question of each of its tools as a case, beside the questions of other sources", async () => {
    const check = tool({ name: "check", description: "Checks", input: z.object({}), asks: z.string(), run: () => "" });
    const agent = createAgent({
      model,
      tools: [taskCompletion()],
      toolSources: [{ tools: [peek, book] }, { tools: [check] }],
    });
    const outcome = await agent.run("Go.");
    if (outcome.status !== "waiting") return;
    expectTypeOf(outcome.by).toEqualTypeOf<"book" | "check">();
    if (outcome.by === "book") expectTypeOf(outcome.value).toEqualTypeOf<{ row: number }>();
    else expectTypeOf(outcome.value).toBeString();
  });

  it("may ask anything if its tools are known only at run time, and still ends no run", async () => {
    const some: ToolSource = { tools: [peek] };
    const listed: readonly ToolSource[] | undefined = [some];
    for (const agent of [
      createAgent({ model, tools: [taskCompletion()], toolSources: [some] }),
      createAgent({ model, tools: [taskCompletion()], toolSources: listed }),
      createAgent({ model, tools: [taskCompletion()], toolSources: [{ tools: [peek] }, some] }),
    ]) {
      const outcome = await agent.run("Go.");
      expectTypeOf(outcome.status).toEqualTypeOf<Ended | "waiting">();
      if (outcome.status === "waiting") expectTypeOf(outcome.value).toBeUnknown();
      if (outcome.status === "completed") expectTypeOf(outcome.value.result).toBeString();
    }
  });
});

it("options that were typed without sources take none, and their agent does not wait", async () => {
  const options: AgentOptions<readonly [ReturnType<typeof taskCompletion>]> = { model, tools: [taskCompletion()] };
  const outcome = await createAgent(options).run("Go.");
  expectTypeOf(outcome.status).toEqualTypeOf<Ended>();
  // @ts-expect-error Their type has no sources.
  createAgent<readonly Tool[]>({ model, tools: [taskCompletion()], toolSources: [{ tools: [book] }] });
});
