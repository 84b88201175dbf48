import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { Json, JsonObject } from "../../src/core/index.js";
import { compile, strictify, type Strictness } from "../../src/schema/index.js";

type Strict = Extract<Strictness, { readonly ok: true }>;

function strictOf(json: JsonObject): Strict {
  const strictness = strictify(json);
  if (!strictness.ok) throw new Error(strictness.reason);
  return strictness;
}

function object(properties: JsonObject, required: readonly string[] = []): JsonObject {
  return { type: "object", properties, required };
}

function reasonFor(json: JsonObject): string {
  const strictness = strictify(json);
  return strictness.ok ? "none" : strictness.reason;
}

describe("a schema in strict mode", () => {
  it("has every field required, an optional one nullable, and no more fields at any level", () => {
    const { json } = compile(
      z.object({
        path: z.string().describe("Where."),
        limit: z.int().min(1).default(9).describe("How many."),
        inner: z.object({ a: z.string().optional() }).optional(),
        list: z.array(z.object({ b: z.boolean() })),
      }),
    );
    expect(strictOf(json).schema).toEqual({
      type: "object",
      properties: {
        path: { type: "string", description: "Where." },
        limit: { description: "How many.", anyOf: [{ type: "integer", minimum: 1 }, { type: "null" }] },
        inner: {
          anyOf: [
            {
              type: "object",
              properties: { a: { anyOf: [{ type: "string" }, { type: "null" }] } },
              required: ["a"],
              additionalProperties: false,
            },
            { type: "null" },
          ],
        },
        list: {
          type: "array",
          items: {
            type: "object",
            properties: { b: { type: "boolean" } },
            required: ["b"],
            additionalProperties: false,
          },
        },
      },
      required: ["path", "limit", "inner", "list"],
      additionalProperties: false,
    });
  });

  it("takes null once where it was taken before, and adds it to the forms there are", () => {
    const { schema } = strictOf(
      object({
        a: { type: ["string", "null"] },
        b: { anyOf: [{ type: "string" }, { type: "null" }] },
        c: { enum: ["x", null] },
        d: { anyOf: [{ type: "string" }, { type: "number" }] },
      }),
    );
    expect(schema["properties"]).toEqual({
      a: { type: ["string", "null"] },
      b: { anyOf: [{ type: "string" }, { type: "null" }] },
      c: { type: ["string", "null"], enum: ["x", null] },
      d: { anyOf: [{ type: "string" }, { type: "number" }, { type: "null" }] },
    });
  });

  it("keeps recursion, with its definitions under $defs", () => {
    const node = { type: "object", properties: { next: { $ref: "#/definitions/node" } } };
    const json = { ...object({ node: { allOf: [{ $ref: "#/definitions/node" }], description: "N." } }, ["node"]) };
    const { schema, restore } = strictOf({ ...json, definitions: { node } });
    expect(schema).toMatchObject({
      properties: { node: { description: "N.", anyOf: [{ $ref: "#/$defs/node" }] } },
      $defs: { node: { properties: { next: { anyOf: [{ $ref: "#/$defs/node" }, { type: "null" }] } } } },
    });
    expect(schema).not.toHaveProperty("definitions");
    expect(restore({ node: { next: { next: null } } })).toEqual({ node: { next: {} } });
    expect(strictOf(object({ self: { $ref: "#" } })).restore({ self: { self: null } })).toEqual({ self: {} });
  });

  it("writes several forms as anyOf, and leaves out remarks", () => {
    const { json } = compile(
      z.object({
        shape: z.discriminatedUnion("kind", [
          z.object({ kind: z.literal("dot") }),
          z.object({ kind: z.literal("circle"), radius: z.number().optional() }),
        ]),
      }),
    );
    expect(JSON.stringify(strictOf(json).schema)).toContain('"anyOf":[{"type":"object"');
    expect(strictOf(json).restore({ shape: { kind: "circle", radius: null } })).toEqual({ shape: { kind: "circle" } });
    expect(strictOf(object({ a: { type: "string", examples: ["x"], "x-y": 1 } }, ["a"])).schema["properties"]).toEqual({
      a: { type: "string" },
    });
  });

  it("leaves the schema it was made of as it is", () => {
    const json = compile(z.object({ a: z.string().default("x") })).json;
    const before = structuredClone(json);
    strictify(json);
    expect(json).toEqual(before);
  });

  it.each<[JsonObject, string]>([
    [{ type: "array" }, "#: a root that is no object"],
    [object({ a: { type: "string", minLength: 1 } }), "#/properties/a: minLength"],
    [object({ a: {} }), "#/properties/a: a value of any type"],
    [object({ a: true }), "#/properties/a: a schema that is only true"],
    [object({ a: { type: "object" } }), "#/properties/a: an object whose fields have no names"],
    [object({ a: { ...object({}), additionalProperties: {} } }), "#/properties/a: additionalProperties"],
    [object({ a: { type: "array" } }), "#/properties/a: an array whose items are not described by one schema"],
    [object({ a: { type: "array", items: { not: {} } } }), "#/properties/a/items: not"],
    [object({ a: { allOf: [{ type: "string" }, { type: "string" }] } }), "#/properties/a: allOf"],
    [
      object({ a: { $ref: "#/properties/b" }, b: { type: "string" } }),
      '#/properties/a: a reference to "#/properties/b"',
    ],
    [object({ a: { type: "string", format: "uri" } }), '#/properties/a: the format "uri"'],
    [object({ a: { type: "string", pattern: "^(?!x)" } }), "#/properties/a: a pattern that looks ahead or behind"],
    [{ ...object({}), anyOf: [object({})] }, "#: type beside anyOf"],
    [{ ...object({}), $defs: { a: { if: {} } } }, "#/$defs/a: if"],
    [compile(z.object({ a: z.record(z.string(), z.string()) })).json, "#/properties/a: propertyNames"],
  ])("has a reason instead, for %j", (json, reason) => {
    expect(reasonFor(json)).toBe(reason);
  });
});

describe("restoring a value of strict mode", () => {
  it("drops the nulls of what was optional, and keeps those of what is nullable", () => {
    const { restore } = strictOf(
      compile(
        z.object({
          a: z.string().optional(),
          b: z.string().nullable(),
          c: z.string().nullish(),
          d: z.array(z.object({ e: z.int().default(1) })),
        }),
      ).json,
    );
    expect(restore({ a: null, b: null, c: null, d: [{ e: null }, { e: 2 }] })).toEqual({
      b: null,
      c: null,
      d: [{}, { e: 2 }],
    });
  });

  it("leaves what doesn't fit for validation to say, and changes nothing it is given", () => {
    const { restore } = strictOf(object({ a: { anyOf: [{ type: "string" }, { type: "number" }] }, b: object({}) }));
    const value = Object.freeze({ a: true, b: [null], c: null });
    for (const other of [value, null, 7, "x", [null], undefined]) expect(restore(other)).toEqual(other);
  });

  it("gives a value that the schema takes, whatever the schema", async () => {
    await fc.assert(
      fc.asyncProperty(schemaAndValue, async ([json, value]) => {
        const { schema, restore } = strictOf(json);
        expect(await compile(schema).validate(value)).toMatchObject({ ok: true });
        expect(await compile(json).validate(restore(value))).toMatchObject({ ok: true });
      }),
      { numRuns: 1000 },
    );
  });
});

/** A schema, and a value of it with null for every optional field that is left out. */
type Case = readonly [schema: JsonObject, value: fc.Arbitrary<Json>];

const name = fc.oneof(fc.constantFrom("a", "b", "c"), fc.string({ minLength: 1, maxLength: 3 }));

const { part } = fc.letrec<{ part: Case; object: Case }>((tie) => ({
  part: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom<Case>(
      [{ type: "string" }, fc.string()],
      [{ type: "number" }, fc.integer()],
      [{ type: "integer" }, fc.integer()],
      [{ type: "boolean" }, fc.boolean()],
      [{ type: ["string", "null"] }, fc.option(fc.string())],
      [{ enum: ["x", "y"] }, fc.constantFrom("x", "y")],
      [{ type: "string", const: "on" }, fc.constant("on")],
    ),
    tie("part").map<Case>(([items, value]) => [{ type: "array", items }, fc.array(value, { maxLength: 3 })]),
    fc
      .array(tie("part"), { minLength: 1, maxLength: 3 })
      .map<Case>((forms) => [{ anyOf: forms.map(([form]) => form) }, fc.oneof(...forms.map(([, value]) => value))]),
    tie("object"),
  ),
  object: fc
    .uniqueArray(fc.tuple(name, tie("part"), fc.boolean()), { maxLength: 4, selector: ([key]) => key })
    .map((fields) => fields.filter(([key]) => key !== "__proto__"))
    .map<Case>((fields) => [
      object(
        Object.fromEntries(fields.map(([key, [schema]]) => [key, schema])),
        fields.filter(([, , required]) => required).map(([key]) => key),
      ),
      fc
        .tuple(...fields.map(([, [, value], required]) => (required ? value : fc.option(value))))
        .map((values) => Object.fromEntries(fields.map(([key], index) => [key, values[index] ?? null]))),
    ]),
}));

const schemaAndValue = part
  .filter(([schema]) => schema["type"] === "object")
  .chain(([schema, value]) => value.map((made) => [schema, made] as const));
