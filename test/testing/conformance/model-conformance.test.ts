import { describe, expect, it, test } from "vitest";
import type { Model, ModelEvent, WrittenReply } from "../../../src/core/index.js";
import { asFault } from "../../../src/core/internal.js";
import { openai, type OpenAIOptions } from "../../../src/model/index.js";
import { modelConformance, scriptedModel, scriptedProvider, type ModelMaker } from "../../../src/testing/index.js";
import { breaches } from "../breaches.js";

/** Makes openai() on a provider of its own. */
function openaiOn(options: OpenAIOptions): ModelMaker {
  return async (script) => {
    const provider = await scriptedProvider(script);
    const model = openai({ baseURL: provider.url, model: "scripted", ...options });
    return { ...model, [Symbol.asyncDispose]: () => provider.close() };
  };
}

describe.each<[string, ModelMaker]>([
  ["scriptedModel", (script) => scriptedModel(script)],
  ["openai, bare", openaiOn({ steady: false })],
  ["openai, steady", openaiOn({ steady: { firstDelay: 1 } })],
  ["openai over the Responses API, bare", openaiOn({ api: "responses", steady: false })],
  ["openai over the Responses API, steady", openaiOn({ api: "responses", steady: { firstDelay: 1 } })],
])("%s", (_name, make) => {
  it.concurrent.each(modelConformance(make))("$name", ({ run }) => run());
});

/** A scripted model that something is wrong with. */
function broken(respond: (model: Model) => Model["respond"]): ModelMaker {
  return (script) => {
    const model = scriptedModel(script);
    return { ...model, respond: respond(model) };
  };
}

/** Reads to the end, and makes another reply of the reply. */
function replying(change: (reply: WrittenReply) => WrittenReply): ModelMaker {
  return broken(
    (model) =>
      async function* (request, signal) {
        return change(yield* model.respond(request, signal));
      },
  );
}

/** Shows other events than the model does. */
function showing(change: (event: ModelEvent) => readonly ModelEvent[]): ModelMaker {
  return broken(
    (model) =>
      async function* (request, signal) {
        const source = model.respond(request, signal);
        for (;;) {
          const next = await source.next();
          if (next.done === true) return next.value;
          yield* change(next.value);
        }
      },
  );
}

const never = new AbortController().signal;

test.each<[string, ModelMaker, readonly string[]]>([
  [
    "drops calls that can't be read",
    replying((reply) => ({ ...reply, calls: reply.calls.filter(({ type }) => type === "call") })),
    ["UnreadableCall"],
  ],
  [
    "guesses what a broken call means",
    replying((reply) => ({ ...reply, calls: reply.calls.map(({ name }) => ({ type: "call", name, input: {} })) })),
    ["as it was written", "add up", "UnreadableCall"],
  ],
  [
    "turns the calls round",
    replying((reply) => ({ ...reply, calls: [...reply.calls].reverse() })),
    ["as it was written", "add up"],
  ],
  [
    "counts no tokens",
    replying(({ usage: _usage, ...reply }) => ({
      ...reply,
      usage: { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0, reasoningTokens: 0 },
    })),
    ["cost"],
  ],
  [
    "takes every end for a whole reply",
    replying((reply) => ({ ...reply, finish: "complete" })),
    ["length limit", "filter"],
  ],
  [
    "says its reasoning aloud",
    showing((event) => (event.type === "reasoning-delta" ? [{ ...event, type: "text-delta" }] : [event])),
    ["add up"],
  ],
  ["never retracts", showing((event) => (event.type === "reply-retracted" ? [] : [event])), ["retracts", "retracts"]],
  [
    "takes what broke off for a reply",
    broken(
      (model) =>
        async function* (request, signal) {
          let text = "";
          try {
            for await (const event of model.respond(request, signal))
              if (event.type === "text-delta") text += event.text;
          } catch (thrown) {
            if (asFault(thrown).code !== "provider_unavailable") throw thrown;
          }
          return {
            text,
            calls: [],
            finish: "complete",
            usage: { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0, reasoningTokens: 0 },
          };
        },
    ),
    ["no reply that broke off", "no reply that broke off"],
  ],
  [
    "throws what it likes",
    broken(
      (model) =>
        async function* (request, signal) {
          try {
            return yield* model.respond(request, signal);
          } catch {
            throw new Error("oh no");
          }
        },
    ),
    ["broke off", "rejects", "refuses the key"],
  ],
  [
    "is deaf to the signal",
    broken((model) => (request) => model.respond(request, never)),
    ["before it is asked", "before the first byte", "while a reply arrives"],
  ],
  [
    "changes the request",
    broken((model) => (request, signal) => {
      (request.messages as unknown[]).push({ role: "user", text: "Be quick." });
      return model.respond(request, signal);
    }),
    ["never changes the request"],
  ],
])("a model that %s is caught", async (_what, make, names) => {
  const found = await breaches(modelConformance(make));
  for (const name of names) expect(found).toContainEqual(expect.stringContaining(name));
});
