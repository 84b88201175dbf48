// fromAiSdk holds the contract of the model port, over the packages of AI SDK 6 and 7 and servers that speak their wires.

import { describe, expect, test } from "vitest";
import { fromAiSdk } from "../../src/ai-sdk/index.js";
import { modelConformance } from "../../src/testing/index.js";
import { makerOf, makers } from "./makers.js";

describe.each(makers)("$name at $version", ({ version, start }) => {
  const cases = modelConformance(async (script) => {
    const running = await start(script);
    const model = fromAiSdk(running.model, { steady: false });
    return { ...model, [Symbol.asyncDispose]: () => running[Symbol.asyncDispose]() };
  });

  test.each(cases)("$name", ({ run }) => run());

  test("has the version that it stands for, and the names of its maker", async () => {
    await using running = await start([]);
    expect(running.model.specificationVersion).toBe(version);
    expect(fromAiSdk(running.model)).toMatchObject({ name: running.model.modelId, provider: running.model.provider });
  });
});

describe("what is passed", () => {
  test.each([
    ["the id of a model", "anthropic/claude", "only the id of a model"],
    [
      "a model of AI SDK 5",
      { specificationVersion: "v2", provider: "p", modelId: "m", doStream: () => 0 },
      "takes v3 and v4, of AI SDK 6 and 7. Install the provider's package of one of them.",
    ],
    [
      "a model of AI SDK 4",
      { specificationVersion: "v1", provider: "google.generative-ai", modelId: "m", doStream: () => 0 },
      "The model has the specification v1, and fromAiSdk takes v3 and v4, of AI SDK 6 and 7. Install the provider's package of one of them: npm install @ai-sdk/google@3",
    ],
    ["a provider", () => 0, "a value of type function. For a provider as a whole, name a model"],
    ["nothing", undefined, "a value of type undefined"],
    ["an object", { specificationVersion: "v3" }, "got another object"],
  ])("is refused if it is %s", (_what, passed, words) => {
    expect(() => fromAiSdk(passed as never)).toThrow(expect.objectContaining({ code: "configuration" }));
    expect(() => fromAiSdk(passed as never)).toThrow(words);
  });

  test.each<[string, object, string]>([
    ["a setting that does not exist", { temperature: 0 }, 'fromAiSdk has no option "temperature"'],
    ["a param that the loop sets", { params: { toolChoice: "none" } }, 'params has no option "toolChoice"'],
    ["a misspelled param", { params: { maxTokens: 5 } }, "params has no option"],
    [
      "a level of reasoning for a model of AI SDK 6",
      { params: { reasoning: "high" } },
      "needs a provider's package of AI SDK 7",
    ],
    ["a time that is none", { idleTimeout: -1 }, "idleTimeout is -1"],
  ])("is refused if it is %s", async (_what, settings, words) => {
    await using running = await makerOf("anthropic", "v3").start([]);
    expect(() => fromAiSdk(running.model, settings)).toThrow(expect.objectContaining({ code: "configuration" }));
    expect(() => fromAiSdk(running.model, settings)).toThrow(words);
  });
});
