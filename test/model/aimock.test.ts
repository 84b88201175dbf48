// Runs agents against an independent mock provider, @copilotkit/aimock, over both APIs.

import { LLMock, type Fixture } from "@copilotkit/aimock";
import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { createAgent, tool, type Event, type Outcome } from "../../src/index.js";
import { openai, type OpenAIOptions } from "../../src/model/index.js";
import { taskCompletion } from "../../src/tools/index.js";

let mock: LLMock;

afterEach(() => mock.stop());

type Answer = Pick<Fixture, "response"> & Omit<Partial<Fixture>, "match">;

/** Starts a provider that gives these answers, one for each request. Returns its base URL. */
async function serve(answers: readonly Answer[]): Promise<string> {
  mock = new LLMock({ port: 0, logLevel: "silent" });
  for (const [index, answer] of answers.entries()) {
    mock.addFixture({ ...answer, match: { predicate: () => mock.getRequests().length === index } });
  }
  await mock.start();
  return `${mock.url}/v1`;
}

interface Ran {
  readonly outcome: Outcome;
  readonly events: readonly Event[];
  readonly keys: readonly string[];
}

async function run(options: OpenAIOptions, answers: readonly Answer[]): Promise<Ran> {
  const baseURL = await serve(answers);
  const keys: string[] = [];
  const lookup = tool({
    name: "lookup",
    description: "Looks a key up.",
    input: z.object({ key: z.string() }),
    effect: "read",
    run: ({ key }) => {
      keys.push(key);
      return `value of ${key}`;
    },
  });
  const steady = { attempts: 3, firstDelay: 1, maxDelay: 5 };
  const agent = createAgent({
    model: openai({ baseURL, steady, idleTimeout: 2000, ...options }),
    tools: [lookup, taskCompletion()],
  });
  const events: Event[] = [];
  const outcome = await agent.run("Look a and b up.", { onEvent: (event) => void events.push(event) });
  return { outcome, events, keys };
}

const lookups = (...keys: readonly string[]): Answer => ({
  response: { toolCalls: keys.map((key) => ({ name: "lookup", arguments: JSON.stringify({ key }) })) },
});
const done: Answer = {
  response: { toolCalls: [{ name: "task_completion", arguments: JSON.stringify({ result: "all – 👀 – done" }) }] },
};

describe.each(["chat", "responses"] as const)("over %s", (api) => {
  it("several turns of streamed calls, in pieces of any size", async () => {
    for (const chunkSize of [1, 3, 1000]) {
      const { outcome, keys } = await run({ api }, [
        { ...lookups("a", "b"), chunkSize },
        { ...lookups('quo"te\nline'), chunkSize },
        { ...done, chunkSize },
      ]);
      expect(keys).toEqual(["a", "b", 'quo"te\nline']);
      expect(outcome).toMatchObject({ status: "completed", value: { result: "all – 👀 – done" }, iterations: 3 });
      await mock.stop();
    }
    await serve([]);
  });

  it("reasoning and words beside a call", async () => {
    const response = {
      content: "Looking.",
      reasoning: "Hm, a.",
      toolCalls: [{ name: "lookup", arguments: '{"key":"a"}' }],
    };
    const { outcome, events } = await run({ api }, [{ response }, done]);
    expect(outcome.status).toBe("completed");
    const of = (type: string): string =>
      events.map((event) => (event.type === type && "text" in event ? event.text : "")).join("");
    expect(of("reasoning-delta")).toContain("Hm, a.");
    expect(of("text-delta")).toContain("Looking.");
  });

  it("words alone are told, and mended", async () => {
    const { outcome, events } = await run({ api }, [{ response: { content: "Hello!" } }, done]);
    expect(outcome.status).toBe("completed");
    expect(events.filter(({ type }) => type === "reply-failure")).toMatchObject([
      { failure: { kind: "no_tool_call" } },
    ]);
  });

  it("429 and 5xx are asked again, and cost no iteration", async () => {
    const { outcome, events } = await run({ api }, [
      { response: { error: { message: "slow down" }, status: 429, retryAfter: 0 } },
      { response: { error: { message: "broken" }, status: 503 } },
      done,
    ]);
    expect(outcome).toMatchObject({ status: "completed", iterations: 1 });
    expect(events.filter(({ type }) => type === "request-retry").length).toBe(2);
  });

  it("a key that is refused ends the run at once", async () => {
    const { outcome, events } = await run({ api }, [{ response: { error: { message: "bad key" }, status: 401 } }]);
    expect(outcome).toMatchObject({ status: "failed", fault: { code: "authentication" } });
    expect(events.filter(({ type }) => type === "request-retry")).toEqual([]);
  });

  it("a stream that is cut runs nothing of it and is asked again", async () => {
    const { outcome, keys, events } = await run({ api }, [
      { ...lookups("a"), chunkSize: 4, truncateAfterChunks: 3 },
      { ...lookups("b"), chunkSize: 4, latency: 20, disconnectAfterMs: 50 },
      lookups("c"),
      done,
    ]);
    expect(outcome.status).toBe("completed");
    expect(events.some(({ type }) => type === "request-retry")).toBe(true);
    expect(keys.at(-1)).toBe("c");
    expect(keys).not.toContain("a");
    expect(events.filter(({ type }) => type === "circuit-failure")).toEqual([]);
  });

  it("arguments that are broken come back to the model as its own mistake", async () => {
    const { outcome, keys } = await run({ api }, [
      { response: { toolCalls: [{ name: "lookup", arguments: '{"key" "a"}' }] } },
      lookups("a"),
      done,
    ]);
    expect(outcome.status).toBe("completed");
    expect(keys).toEqual(["a"]);
  });
});
