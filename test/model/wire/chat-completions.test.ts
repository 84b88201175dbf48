// Replies that their server broke off, over chat completions: runs, summaries and the ladder.

import { describe, expect, it } from "vitest";
import { createAgent, type Event } from "../../../src/index.js";
import { openai } from "../../../src/model/index.js";
import { taskCompletion } from "../../../src/tools/index.js";
import { chunk, done, loopback, type Answer } from "../loopback.js";

/** Half an answer that ends with this reason. */
const half = (reason: string): Answer => ({ body: [chunk({ content: "First you must" }), chunk({}, reason)] });

async function runWith(baseURL: string, more: { readonly onText?: "task_completion" } = {}) {
  const model = openai({ baseURL, model: "m", steady: { firstDelay: 1 } });
  const events: Event[] = [];
  const outcome = await createAgent({ model, tools: [taskCompletion()], ...more }).run("Name the steps.", {
    onEvent: (event) => void events.push(event),
  });
  return { outcome, events };
}

describe("half an answer is no answer", () => {
  it.each(["abort", "network_error", "insufficient_system_resource", "error", "cancelled"])(
    "of a server that gave up with %j: the same request is sent again",
    async (reason) => {
      await using server = await loopback((number) => (number === 1 ? half(reason) : { body: done }));
      const { outcome, events } = await runWith(server.url, { onText: "task_completion" });
      expect(outcome).toMatchObject({ status: "completed", value: { result: "done" }, iterations: 1 });
      expect(events.find(({ type }) => type === "request-retry")).toMatchObject({
        reason: expect.stringContaining(JSON.stringify(reason)) as string,
      });
      expect(server.requests[1]?.text).toBe(server.requests[0]?.text);
    },
  );

  it.each(["model_context_window_exceeded", "repetition", "pause_turn", "a word of tomorrow", "other"])(
    "that ends with %j: the model is told that it was cut",
    async (reason) => {
      await using server = await loopback((number) => (number === 1 ? half(reason) : { body: done }));
      const { outcome, events } = await runWith(server.url, { onText: "task_completion" });
      expect(outcome).toMatchObject({ status: "completed", value: { result: "done" }, iterations: 2 });
      expect(events.find(({ type }) => type === "reply-failure")).toMatchObject({ failure: { kind: "truncated" } });
      expect(events.some(({ type }) => type === "reply-retracted")).toBe(true);
    },
  );

  it("that a filter ended stops the run", async () => {
    await using server = await loopback(() => half("sensitive"));
    expect((await runWith(server.url)).outcome).toMatchObject({ status: "stopped", reason: "refused" });
  });
});

it.each(["abort", "a word of tomorrow", "length"])(
  "a reply that ends with %j leaves the ladder where it is",
  async (reason) => {
    await using server = await loopback((number) => (number === 1 ? half(reason) : { body: done }));
    await runWith(server.url);
    expect(server.requests.map(({ choice }) => choice)).toEqual(["required", "required"]);
  },
);

it("a word that nobody knows does no harm to whole calls", async () => {
  await using server = await loopback(() => ({ body: done.with(-1, chunk({}, "rested")) }));
  expect((await runWith(server.url)).outcome).toMatchObject({ status: "completed", iterations: 1 });
});

it("the end of a run that a server broke off again and again names its reason", async () => {
  await using server = await loopback(() => half("abort"));
  const { outcome } = await runWith(server.url);
  expect(outcome).toMatchObject({ status: "failed", fault: { code: "provider_unavailable" } });
  expect(outcome.status === "failed" && outcome.fault.message).toContain('"abort". (tried 4 times)');
});
