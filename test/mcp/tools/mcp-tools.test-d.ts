// The outcome of an agent with the tools of MCP servers: they end no run, and their questions are cases of it.
import { describe, expectTypeOf, it } from "vitest";
import { z } from "zod";
import { createAgent, tool, type Later, type Model, type Session, type ToolSource } from "../../../src/index.js";
import { mcpTools, type ElicitedQuestion, type McpTools } from "../../../src/mcp/index.js";
import {
  askQuestion,
  delegate,
  handOver,
  inBackground,
  taskCompletion,
  type ChildQuestion,
  type Question,
} from "../../../src/tools/index.js";

declare const model: Model;
declare const session: Session;
declare const server: Awaited<ReturnType<typeof mcpTools>>;

const files = await mcpTools({ name: "files", command: "files" });
const web = await mcpTools({ name: "web", url: "https://web.example/mcp" });
const answered = await mcpTools({ name: "answered", command: "files", elicit: () => ({ action: "decline" }) });
const refunded = tool({
  name: "refunded",
  description: "Ends it",
  input: z.object({ cents: z.int() }),
  isLoopBreaking: true,
});
const own = [refunded, taskCompletion()] as const;
const later: Later = { later: true, reason: "it costs money" };

describe("an agent with the tools of a server", () => {
  it("has the completions of its other tools, and is exhaustive", async () => {
    for (const agent of [
      createAgent({ model, tools: [...server.tools, ...own] }),
      createAgent({ model, tools: own, toolSources: [server] }),
      createAgent({ model, tools: [...server.tools, ...own], toolSources: [server] }),
    ]) {
      const outcome = await agent.run("Go.");
      switch (outcome.status) {
        case "completed":
          switch (outcome.by) {
            case "task_completion":
              expectTypeOf(outcome.value.result).toBeString();
              return;
            case "refunded":
              expectTypeOf(outcome.value).toEqualTypeOf<{ cents: number }>();
              return;
            default:
              outcome satisfies never;
              return;
          }
        case "waiting":
          expectTypeOf(outcome.value).toEqualTypeOf<ElicitedQuestion>();
          return;
        case "stopped":
          expectTypeOf<NonNullable<typeof outcome.partial.claim>["by"]>().toEqualTypeOf<
            "refunded" | "task_completion"
          >();
          return;
        case "aborted":
        case "failed":
          return;
        default:
          outcome satisfies never;
      }
    }
  });

  it("has the value of its only completion", async () => {
    const outcome = await createAgent({ model, tools: [...server.tools, taskCompletion()] }).run("Go.");
    if (outcome.status === "completed") expectTypeOf(outcome.value.result).toBeString();
  });

  it("tells the question of a server from one of its own by the name, also if the server's name is not known", async () => {
    for (const agent of [
      createAgent({ model, tools: [...server.tools, askQuestion(), ...own] }),
      createAgent({ model, tools: [askQuestion(), ...own], toolSources: [server] }),
    ]) {
      const outcome = await agent.run("Go.");
      if (outcome.status !== "waiting") return;
      if (outcome.by === "ask_question") expectTypeOf(outcome.value).toEqualTypeOf<Question>();
      else expectTypeOf(outcome.value).toEqualTypeOf<ElicitedQuestion>();
    }
  });

  it("tells two servers apart, whichever way each is given", async () => {
    for (const agent of [
      createAgent({ model, tools: [...files.tools, ...web.tools, ...own] }),
      createAgent({ model, tools: [...files.tools, ...own], toolSources: [web] }),
      createAgent({ model, tools: own, toolSources: [files, web] }),
    ]) {
      const outcome = await agent.run("Go.");
      if (outcome.status !== "waiting") continue;
      expectTypeOf(outcome.by).toEqualTypeOf<`files__${string}` | `web__${string}`>();
      // @ts-expect-error No server has this name.
      expectTypeOf(outcome.by === "mail__send");
      const waiting = await agent.waiting(session);
      if (waiting !== undefined) expectTypeOf(waiting.value).toEqualTypeOf<ElicitedQuestion>();
    }
  });

  it("does not wait if the program answers the server's questions", async () => {
    for (const agent of [
      createAgent({ model, tools: [...answered.tools, ...own] }),
      createAgent({ model, tools: own, toolSources: [answered] }),
    ]) {
      const outcome = await agent.run("Go.");
      expectTypeOf(outcome.status).toEqualTypeOf<"completed" | "stopped" | "aborted" | "failed">();
      expectTypeOf<Awaited<ReturnType<typeof agent.waiting>>>().toEqualTypeOf<undefined>();
    }
    const outcome = await createAgent({ model, tools: own, toolSources: [answered, web] }).run("Go.");
    if (outcome.status === "waiting") expectTypeOf(outcome.by).toEqualTypeOf<`web__${string}`>();
  });

  it("does not wait if its calls go on in the background, where nobody is asked", async () => {
    const outcome = await createAgent({ model, tools: [...inBackground(...files.tools), ...own] }).run("Go.");
    expectTypeOf(outcome.status).toEqualTypeOf<"completed" | "stopped" | "aborted" | "failed">();
  });

  it("has the calls that wait for an approval, the server's and its own", async () => {
    const pay = tool({ name: "pay", description: "Pays.", input: z.object({ cents: z.int() }), effect: "network" });
    const agent = createAgent({
      model,
      tools: [pay, ...own],
      toolSources: [files],
      permission: (call) => (call.name === "pay" && call.input.cents < 5 ? true : later),
    });
    const outcome = await agent.run("Go.");
    if (outcome.status !== "waiting" || outcome.approval === undefined) return;
    expectTypeOf(outcome.by).toEqualTypeOf<`files__${string}` | "pay" | "refunded" | "task_completion">();
    if (outcome.by === "pay") expectTypeOf(outcome.input).toEqualTypeOf<{ cents: number }>();
  });

  it("has a permission that may name the tools of the server", () => {
    createAgent({ model, tools: own, toolSources: [files], permission: ({ name }) => name === "files__read" });
    createAgent({ model, tools: [...files.tools, ...own], permission: ({ name }) => name === "files__read" });
    // @ts-expect-error There is no such tool.
    createAgent({ model, tools: own, toolSources: [files], permission: ({ name }) => name === "web__read" });
  });

  it("has its question and its completion as the tool of another agent", async () => {
    for (const agent of [
      createAgent({ model, tools: [...files.tools, taskCompletion()] }),
      createAgent({ model, tools: [taskCompletion()], toolSources: [files] }),
    ]) {
      const search = delegate(agent, { name: "search", description: "Searches" });
      expectTypeOf<Awaited<ReturnType<typeof search.run>>>().toExtend<{ result: string } | AsyncGenerator>();
      const outcome = await createAgent({ model, tools: [search, ...own] }).run("Go.");
      if (outcome.status !== "waiting") continue;
      expectTypeOf(outcome.by).toEqualTypeOf<"search">();
      expectTypeOf(outcome.value).toEqualTypeOf<ChildQuestion<`files__${string}`, ElicitedQuestion>>();
    }
  });

  it("has its question in the outcome of an agent that hands over to it", async () => {
    const reader = createAgent({ model, tools: [taskCompletion()], toolSources: [files] });
    const outcome = await createAgent({ model, tools: [handOver({ reader }), refunded] }).run("Go.");
    if (outcome.status === "waiting") expectTypeOf(outcome.by).toEqualTypeOf<`files__${string}`>();
    if (outcome.status === "completed") expectTypeOf(outcome.by).toEqualTypeOf<"refunded" | "task_completion">();
  });
});

it("a server is a tool source and any server, whoever answers its questions", () => {
  expectTypeOf(files).toExtend<ToolSource>();
  expectTypeOf<readonly [typeof files, typeof answered]>().toExtend<readonly McpTools[]>();
  expectTypeOf(files.name).toEqualTypeOf<"files">();
});
