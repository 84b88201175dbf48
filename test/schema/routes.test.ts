// Every kind of schema a tool may have: the JSON Schema that is sent, and what its validation says.

import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { scope, type } from "arktype";
import * as v from "valibot";
import { describe, expect, it, vi } from "vitest";
import * as zod from "zod";
import * as zod323 from "zod-3.23";
import * as zod325 from "zod-3.25";
import * as zod325v4 from "zod-3.25/v4";
import * as zod40 from "zod-4.0";
import * as zod41 from "zod-4.1";
import * as zod42 from "zod-4.2";
import * as zod43 from "zod-4.3";
import * as mini from "zod/mini";
import * as zodV3 from "zod/v3";
import { compile } from "../../src/schema/index.js";

/** What the copies of zod have in common, as far as these tests go. */
type AnyZod = typeof zod;
const copiesOf4 = {
  "zod 4.6": zod,
  "zod 4.3": zod43,
  "zod 4.2": zod42,
  "zod 4.1": zod41,
  "zod 4.0": zod40,
  "zod/v4 of zod 3.25": zod325v4,
} as unknown as Readonly<Record<string, AnyZod>>;
const copiesOf3 = { "zod 3.23": zod323, "zod 3.25": zod325, "zod/v3": zodV3 } as unknown as Readonly<
  Record<string, AnyZod>
>;
const copies = Object.entries({ ...copiesOf4, ...copiesOf3 });

/** The same arguments in every library. */
function search({ z }: AnyZod): unknown {
  return z
    .object({
      query: z.string().describe("What to look for."),
      limit: z.number().int().default(5),
      mode: z.enum(["fast", "deep"]).optional(),
      parts: z.array(z.object({ line: z.number() })),
    })
    .describe("The arguments.");
}

/** The JSON Schema of `search`, with what a library adds of its own. */
function sent(more: object = {}): object {
  return {
    type: "object",
    description: "The arguments.",
    properties: {
      query: { type: "string", description: "What to look for." },
      limit: { type: "integer", default: 5 },
      mode: { type: "string", enum: ["fast", "deep"] },
      parts: {
        type: "array",
        items: { type: "object", properties: { line: { type: "number" } }, required: ["line"], ...more },
      },
    },
    required: ["query", "parts"],
    ...more,
  };
}

const wrong = { query: 7, mode: "slow", parts: [{ line: 1 }, { line: "2" }, {}] };

async function issuesOf(schema: unknown, value: unknown): Promise<readonly string[]> {
  const validation = await compile(schema).validate(value);
  if (validation.ok) throw new Error("it was accepted");
  return validation.issues.map(({ path, message }) => `${path}: ${message}`);
}

describe.each(copies)("a schema of %s", (name, copy) => {
  const { z } = copy;

  it("is sent with its descriptions, defaults and choices, and no more", () => {
    expect(compile(search(copy)).json).toEqual(sent(name in copiesOf3 ? { additionalProperties: false } : {}));
  });

  it("takes what fits and fills in defaults", async () => {
    expect(await compile(search(copy)).validate({ query: "x", parts: [{ line: 1 }] })).toEqual({
      ok: true,
      value: { query: "x", limit: 5, parts: [{ line: 1 }] },
    });
  });

  it("says where something is wrong, what was expected and what was received", async () => {
    const issues = await issuesOf(search(copy), wrong);
    expect(issues.map((issue) => issue.split(": ")[0])).toEqual(["query", "mode", "parts[1].line", "parts[2].line"]);
    expect(issues[0]).toMatch(/expected string, received number$/i);
    expect(issues[2]).toMatch(/expected number, received string$/i);
    expect(issues[3]).toMatch(/expected number, but it is missing$/i);
  });

  it("says of a union what any of its forms would have been", async () => {
    expect(await issuesOf(z.object({ a: z.union([z.string(), z.number()]) }), { a: null })).toEqual([
      "a: expected string or number, received null",
    ]);
    const either = z.object({ a: z.union([z.object({ b: z.string() }), z.array(z.number())]) });
    expect((await issuesOf(either, { a: { b: 1 } })).join()).toMatch(/^a\.b: .*expected string, received number$/i);
  });

  it("says of several forms the one whose name was given", async () => {
    const dot = z.object({ kind: z.literal("dot"), x: z.number() });
    const shape = z.union([dot, z.object({ kind: z.literal("circle"), radius: z.number() })]);
    expect(await issuesOf(z.object({ shape }), { shape: { kind: "circle" } })).toEqual([
      expect.stringMatching(/^shape\.radius: .*expected number, but it is missing$/),
    ]);
  });

  it("is refused for a date that isn't coerced, at any depth; a coerced one is a text", () => {
    const date = z.array(z.object({ when: z.date().optional() }));
    expect(() => compile(z.object({ date }))).toThrow("use z.coerce.date()");
    expect(compile(z.object({ when: z.coerce.date() })).json["properties"]).toEqual({
      when: { type: "string", format: "date-time" },
    });
  });

  it("leaves open what JSON can't say", () => {
    const schema = z.object({ own: z.custom<URL>(() => true).describe("Own.") });
    expect(compile(schema).json["properties"]).toEqual({ own: { description: "Own." } });
  });

  it("is refused for a type that no JSON value fits, with its path and what to use instead", () => {
    const inside = (v: zod.ZodType): unknown => z.object({ list: z.array(z.object({ v: v.optional() })) });
    expect(() => compile(inside(z.map(z.string(), z.string())))).toThrow("list[].v: JSON has no maps; use z.record");
    expect(() => compile(inside(z.set(z.string())))).toThrow("list[].v: JSON has no sets; use z.array");
    expect(() => compile(inside(z.bigint()))).toThrow("list[].v: JSON has no bigints; use z.coerce.bigint()");
  });

  it("may be recursive", async () => {
    const warn = vi.spyOn(console, "warn");
    interface Node {
      readonly name: string;
      readonly kids: readonly Node[];
    }
    const node: zod.ZodType<Node> = z.object({ name: z.string(), kids: z.lazy(() => z.array(node)) });
    const { json } = compile(node);
    expect(json).toMatchObject({ type: "object", properties: { kids: { items: { $ref: "#" } } } });
    const tree = z.object({ tree: node, again: node });
    expect(JSON.stringify(compile(tree).json)).toMatch(/"\$ref":"#\/.+"/);
    expect(
      await issuesOf(tree, { tree: { name: "a", kids: [{ name: 1, kids: [] }] }, again: { name: "", kids: [] } }),
    ).toEqual([expect.stringMatching(/^tree\.kids\[0\]\.name: .*expected string, received number$/i)]);
    expect(warn).not.toHaveBeenCalled();
  });

  it("is refused where it is no object", () => {
    expect(() => compile(z.array(z.string()))).toThrow("a tool's arguments are an object");
  });

  it("is written the same every time, and as plain data", () => {
    const [one, two] = [compile(search(copy)).json, compile(search(copy)).json];
    expect(JSON.stringify(one)).toBe(JSON.stringify(two));
    expect(JSON.parse(JSON.stringify(one))).toEqual(one);
    expect(one).not.toHaveProperty("$schema");
  });

  it("waits for checks that take time", async () => {
    const schema = z.object({ a: z.string().refine(async (text) => text === "yes", "say yes") });
    expect(await compile(schema).validate({ a: "yes" })).toEqual({ ok: true, value: { a: "yes" } });
    expect(await issuesOf(schema, { a: "no" })).toEqual(["a: say yes"]);
  });
});

describe.each(Object.entries(copiesOf4))("a schema of %s besides", (name, { z }) => {
  it("keeps titles and examples", () => {
    const schema = z.object({ city: z.string().meta({ title: "City", examples: ["Rome"], description: "Where." }) });
    expect(compile(schema).json["properties"]).toEqual({
      city: { type: "string", title: "City", examples: ["Rome"], description: "Where." },
    });
  });

  it("keeps descriptions of what is optional, nullable, listed and has a default", () => {
    const schema = z.object({
      a: z.string().describe("A.").optional(),
      b: z.string().describe("B.").nullable(),
      c: z.array(z.string().describe("Each.")).describe("All."),
      d: z.string().default("x").describe("D."),
    });
    expect(compile(schema).json["properties"]).toMatchObject({
      a: { description: "A." },
      c: { description: "All.", items: { description: "Each." } },
      d: { description: "D.", default: "x" },
    });
    expect(JSON.stringify(compile(schema).json)).toContain("B.");
  });

  it("may have an id; its root is an object all the same", () => {
    const schema = z.object({ path: z.string() }).meta({ id: `Arguments of ${name}` });
    expect(compile(schema).json).toMatchObject({ type: "object", properties: { path: { type: "string" } } });
    expect(compile(schema).json).not.toHaveProperty("definitions");
  });
});

describe("a schema of zod 3 besides", () => {
  it("has the missing field's type where zod says no more than Required", async () => {
    expect(await issuesOf(zod323.z.object({ path: zod323.z.string() }), {})).toEqual([
      "path: Required: expected string, but it is missing",
    ]);
  });

  it("writes a schema out each time it is used", () => {
    const { z } = zod325;
    const point = z.object({ x: z.number() });
    expect(JSON.stringify(compile(z.object({ from: point, to: point })).json)).not.toContain("$ref");
  });
});

describe("a schema of zod/mini", () => {
  const schema = mini.object({ path: mini.string(), count: mini.optional(mini.int()) });

  it("is written by our zod, for it can't write itself", () => {
    expect(compile(schema).json).toEqual({
      type: "object",
      properties: { path: { type: "string" }, count: { type: "integer" } },
      required: ["path"],
    });
  });

  it("says what was expected and received", async () => {
    expect(await issuesOf(schema, { path: 1 })).toEqual([
      expect.stringMatching(/^path: .*expected string, received number$/),
    ]);
  });
});

describe("a schema of arktype", () => {
  const schema = type({ query: "string", "limit?": "number.integer", parts: type({ line: "number" }).array() });

  it("writes itself", () => {
    expect(compile(schema).json).toEqual({
      type: "object",
      properties: {
        query: { type: "string" },
        limit: { type: "integer" },
        parts: {
          type: "array",
          items: { type: "object", properties: { line: { type: "number" } }, required: ["line"] },
        },
      },
      required: ["parts", "query"],
    });
  });

  it("validates, and says where, what was expected and what was received", async () => {
    const value = { query: "x", parts: [{ line: 1 }] };
    expect(await compile(schema).validate(value)).toEqual({ ok: true, value });
    expect(await issuesOf(schema, { parts: [{ line: "2" }] })).toEqual([
      "parts[0].line: must be a number (was a string)",
      "query: must be a string (was missing)",
    ]);
  });

  it("is refused for a date, and takes one that is parsed", () => {
    expect(() => compile(type({ when: "Date" }))).toThrow('use "string.date.parse" for "Date"');
    expect(() => compile(type({ when: "Map" }))).toThrow("JSON has no instances of Map");
    expect(() => compile(type({ when: type("Date").atOrAfter(new Date(0)) }))).toThrow("JSON has no dates");
    expect(compile(type({ when: "string.date.parse" })).json["properties"]).toMatchObject({ when: { type: "string" } });
  });

  it("may be recursive", async () => {
    const { node } = scope({ node: { name: "string", "kids?": "node[]" } }).export();
    const { json } = compile(node);
    expect(json).toMatchObject({ type: "object", properties: { name: {}, kids: {} } });
    expect(JSON.stringify(json)).toContain("$ref");
    expect(await issuesOf(node, { name: "a", kids: [{ name: 1 }] })).toHaveLength(1);
  });

  it("is refused where it is no object", () => {
    expect(() => compile(type("string[]"))).toThrow("a tool's arguments are an object");
  });
});

describe("a schema of valibot within toStandardJsonSchema", () => {
  const schema = toStandardJsonSchema(
    v.object({
      query: v.pipe(v.string(), v.description("What to look for.")),
      limit: v.optional(v.pipe(v.number(), v.integer()), 5),
    }),
  );

  it("writes itself", () => {
    expect(compile(schema).json).toEqual({
      type: "object",
      properties: {
        query: { type: "string", description: "What to look for." },
        limit: { type: "integer", default: 5 },
      },
      required: ["query"],
    });
  });

  it("validates, and says where, what was expected and what was received", async () => {
    expect(await compile(schema).validate({ query: "x" })).toEqual({ ok: true, value: { query: "x", limit: 5 } });
    expect(await issuesOf(schema, { query: 1 })).toEqual(["query: Invalid type: Expected string but received 1"]);
  });

  it("is refused for a date", () => {
    expect(() => compile(toStandardJsonSchema(v.object({ when: v.date() })))).toThrow('"date"');
  });
});
