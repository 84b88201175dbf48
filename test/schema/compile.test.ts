import { toStandardJsonSchema } from "@valibot/to-json-schema";
import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { z as z3 } from "zod/v3";
import { z as zod323 } from "zod-3.23";
import { compile } from "../../src/schema/index.js";

/** The JSON Schema of one field of this schema. */
function fieldOf(schema: z.ZodType): unknown {
  return (compile(z.object({ field: schema })).json["properties"] as Readonly<Record<string, unknown>>)["field"];
}

describe("the JSON Schema of a zod 4 schema", () => {
  it.each<[string, z.ZodType, unknown]>([
    ["a text", z.string(), { type: "string" }],
    ["a number", z.number(), { type: "number" }],
    ["a boolean", z.boolean(), { type: "boolean" }],
    ["null", z.null(), { type: "null" }],
    ["anything", z.unknown(), {}],
    ["a list", z.array(z.string()), { type: "array", items: { type: "string" } }],
    ["a choice", z.enum(["fast", "safe"]), { type: "string", enum: ["fast", "safe"] }],
    ["one value", z.literal("on"), { type: "string", const: "on" }],
    [
      "one of several types",
      z.union([z.array(z.string()), z.null()]),
      { anyOf: [{ type: "array", items: { type: "string" } }, { type: "null" }] },
    ],
    ["a number with bounds of its own", z.number().min(1).max(9), { type: "number", minimum: 1, maximum: 9 }],
    ["a text that becomes something else", z.string().transform(Number), { type: "string" }],
    ["a text that is checked by a function", z.string().refine((text) => text !== "x"), { type: "string" }],
  ])("has %s", (_what, schema, expected) => {
    expect(fieldOf(schema)).toEqual(expected);
  });

  it("requires what has neither a default nor is optional", () => {
    const { json } = compile(
      z.object({
        must: z.string(),
        may: z.string().optional(),
        preset: z.string().default("x"),
        nullable: z.string().nullable(),
      }),
    );
    expect(json["required"]).toEqual(["must", "nullable"]);
  });

  it("keeps a default", () => {
    expect(fieldOf(z.number().default(7))).toEqual({ type: "number", default: 7 });
  });

  it("keeps descriptions, of the whole, of fields, of items and of choices", () => {
    const { json } = compile(
      z
        .object({
          path: z.string().describe("Where."),
          parts: z.array(z.string().describe("One part.")).describe("All parts."),
          mode: z.enum(["a", "b"]).optional().describe("How."),
        })
        .describe("The arguments."),
    );
    expect(json).toMatchObject({
      description: "The arguments.",
      properties: {
        path: { description: "Where." },
        parts: { description: "All parts.", items: { description: "One part." } },
        mode: { description: "How." },
      },
    });
  });

  it("goes into nested objects", () => {
    expect(fieldOf(z.object({ deep: z.array(z.object({ line: z.int() })) }))).toEqual({
      type: "object",
      properties: {
        deep: {
          type: "array",
          items: { type: "object", properties: { line: { type: "integer" } }, required: ["line"] },
        },
      },
      required: ["deep"],
    });
  });

  it("leaves out the bounds that int() always adds, and keeps those that were asked for", () => {
    expect(fieldOf(z.int())).toEqual({ type: "integer" });
    expect(fieldOf(z.number().int())).toEqual({ type: "integer" });
    expect(fieldOf(z.int().min(0).max(10))).toEqual({ type: "integer", minimum: 0, maximum: 10 });
    expect(fieldOf(z.int().min(0))).toEqual({ type: "integer", minimum: 0 });
  });

  it("is refused where a date can't be read from JSON, with what can be used instead", () => {
    expect(() => compile(z.object({ when: z.date() }))).toThrow("use z.coerce.date() or z.iso.datetime()");
  });

  it.each([
    ["a map", z.map(z.string(), z.number()), /^list\[\]\.v: JSON has no maps; use z\.record/],
    ["a set", z.set(z.string()), /^list\[\]\.v: JSON has no sets; use z\.array/],
    ["a bigint", z.bigint(), /^list\[\]\.v: JSON has no bigints; use z\.coerce\.bigint\(\)/],
    ["an instance of a class", z.instanceof(URL), /^list\[\]\.v: JSON has no instances of URL; use z\.object/],
    ["a function", z.function(), /^list\[\]\.v: JSON has no functions/],
    ["a symbol", z.symbol(), /^list\[\]\.v: JSON has no symbols/],
    ["a file", z.file(), /^list\[\]\.v: JSON has no files/],
    ["NaN", z.nan(), /^list\[\]\.v: JSON has no NaN/],
    ["a date", z.date(), /^list\[\]\.v: JSON has no dates/],
  ])("that no JSON value fits is refused with its path and what to use instead: %s", (_name, schema, message) => {
    for (const v of [schema, z.optional(schema)]) {
      let thrown: unknown;
      try {
        compile(z.object({ list: z.array(z.object({ v: v as z.ZodType })) }));
      } catch (error) {
        thrown = error;
      }
      expect((thrown as Error | undefined)?.message).toMatch(message);
    }
  });

  it("may be a codec that reads JSON as a map, a date or a bigint", async () => {
    const map = z.codec(z.record(z.string(), z.int()), z.map(z.string(), z.int()), {
      decode: (record) => new Map(Object.entries(record)),
      encode: (entries) => Object.fromEntries(entries),
    });
    const schema = compile(z.object({ map, big: z.coerce.bigint() }));
    expect(await schema.validate({ map: { a: 1 }, big: "5" })).toEqual({
      ok: true,
      value: { map: new Map([["a", 1]]), big: 5n },
    });
  });

  it.each([
    [z.coerce.date(), "tomorrow", 'expected a date as text, such as 2026-01-31, received "tomorrow"'],
    [z3.coerce.date(), "tomorrow", 'expected a date as text, such as 2026-01-31, received "tomorrow"'],
    [z.coerce.number(), "many", 'expected number, received "many"'],
  ])(
    "says of junk that a coercion could not read what was given, not what it made of it",
    async (v, given, message) => {
      const schema = compile(v instanceof z3.ZodType ? z3.object({ v }) : z.object({ v: v as z.ZodType }));
      expect(await schema.validate({ v: given })).toEqual({ ok: false, issues: [{ path: "v", message }] });
    },
  );

  it("has a date as a text with a date and time", () => {
    expect(fieldOf(z.coerce.date().describe("When."))).toEqual({
      type: "string",
      format: "date-time",
      description: "When.",
    });
  });

  it("describes a bigint as a text of digits, since a number of JSON has too few", () => {
    expect(fieldOf(z.coerce.bigint())).toEqual({ type: "string", pattern: "^-?[0-9]+$" });
  });

  it("leaves open what JSON can't say", () => {
    expect(fieldOf(z.instanceof(Array))).toEqual({});
    expect(fieldOf(z.custom<URL>((value) => value instanceof URL))).toEqual({});
  });

  it("says for a strict object that there is nothing more", () => {
    expect(compile(z.strictObject({ a: z.string() })).json["additionalProperties"]).toBe(false);
  });

  it("is an object schema without $schema, plain data that can be sent", () => {
    const { json } = compile(z.object({ a: z.string() }));
    expect(json).toEqual({ type: "object", properties: { a: { type: "string" } }, required: ["a"] });
    expect(JSON.parse(JSON.stringify(json))).toEqual(json);
  });

  it("is the same every time it is made", () => {
    const make = (): string => JSON.stringify(compile(z.object({ b: z.int(), a: z.coerce.date().optional() })).json);
    expect(make()).toBe(make());
  });

  it("may be of an object without fields, and of a table", () => {
    expect(compile(z.object({})).json).toMatchObject({ type: "object" });
    expect(compile(z.record(z.string(), z.number())).json).toMatchObject({ type: "object" });
  });
});

describe("validation", () => {
  it("returns the value as the schema makes it: defaults, coercion, unknown keys dropped", async () => {
    const schema = compile(
      z.object({ n: z.number().default(3), when: z.coerce.date(), len: z.string().transform((s) => s.length) }),
    );
    expect(await schema.validate({ when: "2026-01-02T00:00:00Z", len: "four", more: 1 })).toEqual({
      ok: true,
      value: { n: 3, when: new Date("2026-01-02T00:00:00Z"), len: 4 },
    });
  });

  it("says what is wrong and where", async () => {
    const schema = compile(
      z.object({
        path: z.string(),
        list: z.array(z.object({ line: z.number() })),
        "odd key": z.object({ x: z.null() }),
      }),
    );
    const validation = await schema.validate({ path: 1, list: [{ line: 1 }, { line: "2" }], "odd key": { x: 1 } });
    if (validation.ok) throw new Error("it was accepted");
    expect(validation.issues.map(({ path }) => path)).toEqual(["path", "list[1].line", "odd key.x"]);
    for (const { message } of validation.issues) expect(message).toMatch(/expected/i);
  });

  it("gives an issue of the whole an empty path", async () => {
    for (const value of ["text", null, [1], 7]) {
      const validation = await compile(z.object({ a: z.string() })).validate(value);
      expect(validation).toMatchObject({ ok: false, issues: [{ path: "" }] });
    }
  });

  it("starts the path of an issue in a list of lists with the field", async () => {
    const validation = await compile(z.object({ rows: z.array(z.array(z.number())) })).validate({
      rows: [[1], [2, "x"]],
    });
    expect(validation).toMatchObject({ ok: false, issues: [{ path: "rows[1][1]" }] });
  });

  it("uses the schema's own words", async () => {
    const schema = compile(z.object({ a: z.string().min(3, "three letters at least") }));
    expect(await schema.validate({ a: "x" })).toEqual({
      ok: false,
      issues: [{ path: "a", message: "three letters at least" }],
    });
  });

  it("waits for checks that take time", async () => {
    const schema = compile(z.object({ a: z.string().refine(async (text) => text === "yes", "say yes") }));
    expect(await schema.validate({ a: "yes" })).toEqual({ ok: true, value: { a: "yes" } });
    expect(await schema.validate({ a: "no" })).toMatchObject({
      ok: false,
      issues: [{ path: "a", message: "say yes" }],
    });
  });

  it("does not change the value it is given", async () => {
    const value = Object.freeze({ a: Object.freeze({ b: "x" }) });
    const schema = compile(z.object({ a: z.object({ b: z.string(), c: z.string().default("y") }) }));
    expect(await schema.validate(value)).toEqual({ ok: true, value: { a: { b: "x", c: "y" } } });
    expect(value).toEqual({ a: { b: "x" } });
  });
});

describe("refused, with words for the programmer, is", () => {
  it.each<[string, unknown]>([
    ["a text", z.string()],
    ["a list", z.array(z.string())],
    ["one of several objects", z.union([z.object({ a: z.string() }), z.object({ b: z.string() })])],
    ["anything", z.unknown()],
  ])("%s where an object is due", (_what, schema) => {
    expect(() => compile(schema)).toThrow(
      "a tool's arguments are an object; wrap it, for example z.object({ value: ... })",
    );
  });

  it("the shape of an object instead of a schema", () => {
    for (const shape of [{ path: z.string() }, { path: zod323.string() }, { type: z.string() }]) {
      expect(() => compile(shape)).toThrow("it is the shape of an object; wrap it");
    }
  });

  it.each<[string, unknown, string]>([
    ["nothing", undefined, "nothing was given"],
    ["null", null, "nothing was given"],
    ["a text", "object", "a string was given"],
    ["a function", () => z.object({}), "a function was given"],
    ["an object that says nothing", {}, "an object that is no schema was given"],
  ])("%s instead of a schema", (_what, schema, words) => {
    expect(() => compile(schema)).toThrow(`${words}; give a zod schema, for example z.object({ path: z.string() })`);
  });

  it("a Standard Schema that can't write itself as JSON Schema", () => {
    const validate = (value: unknown): { readonly value: unknown } => ({ value });
    expect(() => compile({ "~standard": { version: 1, vendor: "mine", validate } })).toThrow(
      "a schema of mine can't write itself as JSON Schema; give a zod schema, or JSON Schema as plain data",
    );
  });

  it("a schema of valibot alone, with how to wrap it", () => {
    expect(() => compile(v.object({ path: v.string() }))).toThrow(
      "wrap it in toStandardJsonSchema() from @valibot/to-json-schema",
    );
  });
});

describe("compiled a second time,", () => {
  it.each<[string, object]>([
    ["zod 4", z.object({ path: z.string() })],
    ["zod 3", z3.object({ path: z3.string() })],
    ["valibot", toStandardJsonSchema(v.object({ path: v.string() }))],
  ])("a schema of %s is the one that it was", (_library, schema) => {
    expect(compile(schema)).toBe(compile(schema));
  });

  it("plain data that has changed is read anew", () => {
    const schema = { type: "object", properties: {}, required: ["path"] };
    expect(compile(schema).json["required"]).toEqual(["path"]);
    schema.required = ["name"];
    expect(compile(schema).json["required"]).toEqual(["name"]);
  });
});
