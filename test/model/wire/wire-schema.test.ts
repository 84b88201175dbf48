import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { Json, JsonObject } from "../../../src/core/index.js";
import { wireTool } from "../../../src/model/wire/wire-schema.js";
import { compile } from "../../../src/schema/index.js";

const text = { type: "string" };
const integer = { type: "integer" };

/** The schema that goes out. */
function sent(parameters: JsonObject): JsonObject {
  return wireTool({ name: "t", description: "", parameters }).parameters;
}

/** The schema of one field as it goes out. */
function field(schema: Json): Json | undefined {
  return (sent({ type: "object", properties: { a: schema } })["properties"] as JsonObject)["a"];
}

describe("a tool without arguments", () => {
  it("went out without properties, which OpenAI refuses", () => {
    expect(sent({ type: "object" })).toEqual({ type: "object", properties: {} });
    expect(sent({ type: "object", additionalProperties: true })).toMatchObject({
      properties: {},
      additionalProperties: true,
    });
  });

  it("keeps a bare object of a field, which may have any fields", () => {
    expect(field({ type: "object" })).toEqual({ type: "object" });
  });
});

describe("a tuple went out as a list of schemas, which OpenAI and Gemini refuse", () => {
  const pair = { type: "array", items: { anyOf: [integer, text] }, description: "In this order: integer, string." };

  it.each([
    ["of draft-07", { type: "array", items: [integer, text] }, pair],
    ["of draft 2020-12", { type: "array", prefixItems: [integer, text], items: false }, { ...pair, maxItems: 2 }],
    [
      "that goes on",
      { type: "array", prefixItems: [integer], items: text, minItems: 1 },
      { type: "array", items: { anyOf: [integer, text] }, minItems: 1 },
    ],
    [
      "of equal items",
      { type: "array", items: [integer, integer], minItems: 2 },
      { type: "array", items: integer, minItems: 2 },
    ],
    [
      "of constants",
      { type: "array", items: [{ const: "a" }, { const: "b" }] },
      { type: "array", items: { enum: ["a", "b"] }, description: 'In this order: "a", "b".' },
    ],
    [
      "with words of its own",
      { ...pair, description: "A range.", items: [integer, { ...text, description: "unit" }] },
      {
        ...pair,
        items: { anyOf: [integer, { ...text, description: "unit" }] },
        description: "A range. In this order: integer, unit (string).",
      },
    ],
    ["without items", { type: "array", prefixItems: [] }, { type: "array", items: {} }],
  ] as const)("%s", (_name, given, expected) => {
    expect(field(given)).toEqual(expected);
  });

  it.each(["anyOf", "allOf", "oneOf"])("in %s, in lists, in records and in definitions", (keyword) => {
    const tuple = { type: "array", items: [integer, text] };
    const nested = {
      [keyword]: [{ type: "array", items: { type: "object", additionalProperties: tuple } }, { type: "null" }],
    };
    const schema = sent({ type: "object", properties: { a: nested }, $defs: { Pair: tuple } });
    expect(JSON.stringify(schema)).not.toContain('"items":[');
    expect(schema["$defs"]).toEqual({ Pair: pair });
  });

  it("of zod, whatever its version writes", () => {
    const { json } = compile(z.object({ range: z.tuple([z.int(), z.int()]), more: z.tuple([z.string()], z.int()) }));
    expect(sent(json)["properties"]).toEqual({
      range: { type: "array", items: integer, minItems: 2, maxItems: 2 },
      more: { type: "array", items: { anyOf: [text, integer] }, minItems: 1 },
    });
  });
});

describe("an array without items went out, which OpenAI and Gemini refuse", () => {
  it.each([{ type: "array" }, { type: ["array", "null"] }, { type: "array", items: true }])("%j", (schema) => {
    expect(field(schema)).toEqual({ ...schema, items: {} });
  });
});

describe("forms at the root went out, which Anthropic and OpenAI refuse", () => {
  it("that require one of several fields: none is required, and the description says so", () => {
    const schema = {
      type: "object",
      properties: { id: text, path: text, deep: { type: "boolean" } },
      required: ["deep"],
      additionalProperties: false,
    };
    expect(sent({ ...schema, anyOf: [{ required: ["id"] }, { required: ["path"] }] })).toEqual({
      ...schema,
      description: "Give the fields of one of these forms: {id} or {path}.",
    });
  });

  it("that are told apart by a constant: it becomes a list of values", () => {
    const oneOf = [
      {
        type: "object",
        properties: { type: { const: "circle" }, radius: integer },
        required: ["type", "radius"],
        additionalProperties: false,
      },
      {
        type: "object",
        properties: { type: { const: "square" }, side: integer },
        required: ["type", "side"],
        additionalProperties: false,
      },
    ];
    expect(sent({ type: "object", description: "A shape.", oneOf })).toEqual({
      type: "object",
      description:
        'A shape. Give the fields of one of these forms: {type: "circle", radius} or {type: "square", side}.',
      properties: { type: { enum: ["circle", "square"] }, radius: integer, side: integer },
      required: ["type"],
    });
  });

  it("that all apply: all fields are there, and all that are required", () => {
    const base = { type: "object", properties: { id: text }, required: ["id"] };
    const more = { properties: { id: integer, n: integer }, required: ["n"] };
    expect(sent({ type: "object", allOf: [{ $ref: "#/$defs/Base" }, more], $defs: { Base: base } })).toMatchObject({
      properties: { id: { anyOf: [text, integer] }, n: integer },
      required: ["id", "n"],
    });
  });

  it("within forms, and what the root forbids", () => {
    const inner = {
      anyOf: [
        { properties: { a: text }, required: ["a"] },
        { properties: { b: text }, required: ["b"] },
      ],
    };
    const schema = sent({ type: "object", allOf: [inner], not: { required: ["c"] } });
    expect(Object.keys(schema).filter((key) => /Of$|not/.test(key))).toEqual([]);
    expect(schema["properties"]).toEqual({ a: text, b: text });
  });

  it("and one that refers to itself ends", () => {
    const schema = {
      type: "object",
      properties: { a: text },
      allOf: [{ $ref: "#/$defs/A" }],
      $defs: { A: { allOf: [{ $ref: "#/$defs/A" }] } },
    };
    expect(sent(schema)).toMatchObject({ properties: { a: text } });
  });
});

it("a schema that every provider takes is the same object, with forms in its fields", () => {
  const tool = {
    name: "t",
    description: "",
    parameters: {
      type: "object",
      properties: { a: { anyOf: [text, { type: "array", items: text }] } },
      required: ["a"],
    },
  };
  expect(wireTool(tool)).toBe(tool);
});
