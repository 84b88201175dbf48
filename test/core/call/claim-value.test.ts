// The value of a claim: an outcome has the same value when its run ends and when its journal is read.

import { type as arktype } from "arktype";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { z as z3 } from "zod/v3";
import { createAgent, noUsage, tool, type Outcome, type ToolSchema } from "../../../src/index.js";
import { memoryStore, openSession } from "../../../src/memory/index.js";
import { call, scriptedModel } from "../../../src/testing/index.js";
import { askQuestion } from "../../../src/tools/index.js";

const word = { word: "x" };
const at = "2026-01-02T03:04:05.000Z";
const isoDate = z.codec(z.iso.datetime(), z.date(), {
  decode: (text) => new Date(text),
  encode: (date) => date.toISOString(),
});
class Money {
  readonly cents: number;
  constructor(cents: number) {
    this.cents = cents;
  }
}

/** Schemas with arguments that fit them: plain ones, and such as make what JSON does not keep. */
const schemas: readonly (readonly [name: string, schema: ToolSchema, written: object])[] = [
  ["plain fields", z.object({ word: z.string(), list: z.array(z.int()) }), { word: "x", list: [1] }],
  ["a default", z.object({ word: z.string(), more: z.number().default(3) }), word],
  ["a field that is undefined", z.object({ word: z.string().transform(() => undefined) }), word],
  ["a coerced date", z.object({ due: z.coerce.date() }), { due: "2026-01-01" }],
  ["a codec of a date", z.object({ due: isoDate }), { due: at }],
  [
    "a date from a transform that reads no date back",
    z.object({ ms: z.int().transform((ms) => new Date(ms)) }),
    { ms: 5 },
  ],
  ["a date by default", z.object({ due: z.coerce.date().default(() => new Date()) }), {}],
  [
    "dates in lists, unions and records",
    z.object({ days: z.array(z.union([z.int(), z.coerce.date()])), by: z.record(z.string(), z.coerce.date()) }),
    { days: [1, at], by: { a: at } },
  ],
  ["a transform that can't run twice", z.object({ word: z.string().transform((text) => text.length) }), word],
  [
    "a transform and a date",
    z.object({ word: z.string().transform((text) => text.length), due: z.coerce.date() }),
    { word: "four", due: at },
  ],
  ["a bigint of many digits", z.object({ id: z.coerce.bigint() }), { id: "1234567890123456789" }],
  ["zod 3 with a bigint", z3.object({ id: z3.coerce.bigint() }), { id: "1234567890123456789" }],
  ["NaN", z.object({ word: z.string().transform(Number) }), word],
  ["minus zero", z.object({ n: z.number().transform((n) => -n) }), { n: 0 }],
  ["an instance of a class", z.object({ cents: z.int().transform((cents) => new Money(cents)) }), { cents: 5 }],
  ["a URL", z.object({ link: z.url().transform((text) => new URL(text)) }), { link: "https://a.example/b" }],
  ["zod 3 with a date", z3.object({ due: z3.coerce.date() }), { due: at }],
  ["arktype with a date", arktype({ due: "string.date.parse" }), { due: at }],
  ["JSON Schema", { type: "object", properties: { word: { type: "string" } } } as ToolSchema, word],
];

async function endTwice(schema: ToolSchema, written: object): Promise<readonly Outcome[]> {
  const finish = tool({ name: "finish", description: "Ends.", input: schema, isLoopBreaking: true });
  const model = scriptedModel([[call("ask_question", { question: "Go on?" })], [call("finish", written)]]);
  const agent = createAgent({ model, tools: [askQuestion(), finish] });
  const store = memoryStore();
  const session = (): ReturnType<typeof openSession> => openSession({ store, id: "one" });
  const asked = await agent.run("Begin", { session: session() });
  const answers = asked.status === "waiting" ? asked.id : "";
  const first = await agent.run("yes", { session: session(), answers });
  return [first, await agent.run("yes", { session: session(), answers })];
}

describe("the outcome of a second answer has the value of the first", () => {
  test.each(schemas)("%s", async (_name, schema, written) => {
    const [first, again] = await endTwice(schema, written);
    expect(first).toMatchObject({ status: "completed", by: "finish" });
    expect(again).toStrictEqual({ ...first, joined: true, usage: noUsage, iterations: 0 });
  });

  test("a date that the schema reads is a date both times", async () => {
    const outcomes = await endTwice(z.object({ due: z.coerce.date() }), { due: "2026-01-01" });
    expect(outcomes).toMatchObject([
      { value: { due: new Date("2026-01-01") } },
      { value: { due: new Date("2026-01-01") } },
    ]);
  });
});

test("the session of an outcome is JSON, and stays as it is when the value is changed", async () => {
  const [outcome] = await endTwice(z.object({ days: z.array(z.coerce.date()) }), { days: [at] });
  const before = JSON.stringify(outcome?.session);
  expect(outcome?.session).toEqual(JSON.parse(before));
  const { value } = outcome as { readonly value: { readonly days: Date[] } };
  value.days[0]?.setFullYear(1970);
  value.days.push(new Date());
  expect(JSON.stringify(outcome?.session)).toBe(before);
});

test("a value that run made is its JSON at once, not only when it is read back", async () => {
  const made = { at: new Date(at), price: new Money(5) };
  const finish = tool({
    name: "finish",
    description: "Ends.",
    input: z.object({}),
    isLoopBreaking: true,
    run: () => made as unknown,
  });
  const seen: unknown[] = [];
  const outcome = await createAgent({ model: scriptedModel([[call("finish")]]), tools: [finish] }).run("Go", {
    onEvent: (event) => {
      if (event.type === "claim-accepted") seen.push(event.value);
    },
  });
  expect(outcome).toMatchObject({ status: "completed" });
  expect(outcome).toHaveProperty("value", { at, price: { cents: 5 } });
  expect(seen).toEqual([{ at, price: { cents: 5 } }]);
});
