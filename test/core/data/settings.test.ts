import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createAgent, outcomeOf, tool } from "../../../src/index.js";
import {
  checkOptions,
  choiceOf,
  listOf,
  nearest,
  needed,
  objectWith,
  recordOf,
} from "../../../src/core/data/settings.js";
import { memoryStore, openSession, windowed } from "../../../src/memory/index.js";
import { openai } from "../../../src/model/index.js";
import { aguiMapper, createHandler } from "../../../src/server/index.js";
import { scriptedModel } from "../../../src/testing/index.js";
import { taskCompletion } from "../../../src/tools/index.js";

const model = scriptedModel([]);
const base = { model, tools: [taskCompletion()] };
const plain = { name: "a", description: "d", input: z.object({}) };

describe("a mistake that JavaScript lets pass is refused with the remedy:", () => {
  test.each<[string, () => unknown, string]>([
    [
      "a misspelt option",
      () => createAgent({ ...base, instruction: "x" } as never),
      'createAgent has no option "instruction". Did you mean "instructions"?',
    ],
    [
      "a memory without its options",
      () => windowed(undefined as never),
      "windowed needs an object of options. It has: window,",
    ],
    ["a mapper without its options", () => aguiMapper(undefined as never), "aguiMapper needs an object of options"],
    ["a hub of nothing", () => createHandler(undefined as never), "createHandler needs an object of options"],
    [
      "a limit of another library",
      () => createAgent({ ...base, limits: { maxSteps: 3 } as never }),
      'limits has no option "maxSteps". It has: maxIterations,',
    ],
    [
      "a limit in another case",
      () => createAgent({ ...base, limits: { maxtokens: 3 } as never }),
      'Did you mean "maxTokens"?',
    ],
    [
      "an option of a tool",
      () => tool({ ...plain, isLoopbreaking: true } as never),
      'tool "a" has no option "isLoopbreaking". Did you mean "isLoopBreaking"?',
    ],
    [
      "an option of the model",
      () => openai({ baseUrl: "http://127.0.0.1:1/v1", model: "m" } as never),
      'openai has no option "baseUrl". Did you mean "baseURL"?',
    ],
    [
      "an option of a run",
      () => createAgent(base).stream("go", { sesion: {} } as never),
      'run has no option "sesion". Did you mean "session"?',
    ],
    [
      "a tool that is not called",
      () => createAgent({ model, tools: [taskCompletion] as never }),
      "tools[0] is a function that makes a tool: call it, taskCompletion().",
    ],
    [
      "a plain object",
      () => createAgent({ model, tools: [taskCompletion(), plain] as never }),
      'tools[1] ("a") is no tool: make it with tool({ ... }).',
    ],
    [
      "an id as session",
      () => createAgent(base).stream("go", { session: "order-7" } as never),
      'openSession({ store, id: "order-7" })',
    ],
    [
      "a store as session",
      () => createAgent(base).stream("go", { session: memoryStore() } as never),
      'The session is no session but a store: give openSession({ store, id: "..." }).',
    ],
    [
      "messages as session",
      () => createAgent(base).stream("go", { session: [] } as never),
      "The session is no session but a list: give fromMessages([...])",
    ],
    [
      "an outcome as session",
      () => outcomeOf({ outcome: "stopped", session: {} } as never),
      "The session is no session but an outcome: give its field `session`.",
    ],
    [
      "a stored session in place of plain data",
      () => outcomeOf(openSession({ store: memoryStore() }) as never),
      "The session is not plain data: give `await session.toJSON()`.",
    ],
    [
      "a session without a version",
      () => outcomeOf({ id: "s", records: [] } as never),
      "The session has no version: give `outcome.session` as it was returned.",
    ],
  ])("%s", (_what, make, words) => {
    expect(make).toThrow(expect.objectContaining({ code: "configuration", message: expect.stringContaining(words) }));
  });

  test("a run rejects with the same words", async () => {
    await expect(createAgent(base).run("go", { session: 7 } as never)).rejects.toThrow(
      "The session is no session but number",
    );
  });
});

test("an option that is undefined is accepted, and the whole context of a tool is refused with what to give", async () => {
  expect(() => {
    checkOptions("x", { a: 1, b: undefined }, { a: "number" });
  }).not.toThrow();
  const context = { callId: "c", records: [], note: () => undefined, context: undefined };
  await expect(createAgent(base).run("go", context)).rejects.toThrow("give { session: await context.child() }");
});

test.each([
  ["sesion", "session"],
  ["maxCosts", "maxCost"],
  ["name", undefined],
  ["", undefined],
])("the known name nearest to %j is %j", (name, expected) => {
  expect(nearest(name, ["session", "maxCost", "effect"])).toBe(expected);
});

const store = { read: () => "" };
const kinds = {
  store: needed(objectWith("a store", "read")),
  words: listOf("text"),
  by: recordOf("number"),
  mode: choiceOf("all", "none"),
  steady: ["object", choiceOf(false)],
  signal: "signal",
} as const;

test.each<[Record<string, unknown>, string]>([
  [{}, "x needs the option store: give a store."],
  [{ store: "sessions" }, "The option store of x is a text: give a store."],
  [{ store: Promise.resolve() }, "The option store of x is a promise (await it first): give a store."],
  [{ store: null }, "The option store of x is null: give a store."],
  [{ store, words: "one" }, "The option words of x is a text: give a list: each member is a text."],
  [
    { store, words: ["one", 2] },
    "The option words of x has the member 1, which is 2: give a list: each member is a text.",
  ],
  [
    { store, by: { a: "b" } },
    'The option by of x has the field "a", which is a text: give an object: each field is a number.',
  ],
  [{ store, mode: "nome" }, 'The option mode of x is "nome": give one of "all", "none". Did you mean "none"?'],
  [{ store, steady: true }, "The option steady of x is true: give an object, or one of false."],
  [{ store, signal: new AbortController() }, "The option signal of x is an object: give an AbortSignal, for example"],
])("a value of another kind was taken as it was: %o", (given, words) => {
  expect(() => {
    checkOptions("x", given, kinds);
  }).toThrow(words);
});
