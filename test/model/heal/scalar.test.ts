import { describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../../../src/core/index.js";
import { schemaOf } from "../../../src/model/heal/schema.js";
import { inputOf, kindOf, problemOf, read, toolWith } from "./describe-tool.js";

const text = { type: "string" };
const integer = { type: "integer" };
const number = { type: "number" };

/** The field `id` of arguments that were written with these characters. */
function idOf(written: string, schema: Json): unknown {
  return (inputOf(`{"id":${written}}`, toolWith({ id: schema })) as JsonObject)["id"];
}

/** Numbers that would get other digits. */
const long = ["9007199254740993", "1234567890123456789", "-9007199254740993", "1234567890123456789.0", "9".repeat(400)];

describe("a number with more digits than a number keeps", () => {
  it.each(long)("was rounded without a word: %s stays itself in every field that takes texts", (digits) => {
    for (const schema of [text, {}, { type: ["integer", "string"] }, { anyOf: [number, text] }, { enum: [1, digits] }])
      expect(idOf(digits, schema)).toBe(digits);
  });

  it.each(long)("is refused for a field of numbers, and the model reads what to do: %s", (digits) => {
    for (const schema of [
      integer,
      number,
      { type: ["integer", "null"] },
      { enum: [1, 2] },
      { anyOf: [number, { type: "null" }] },
    ]) {
      const problem = problemOf(`{"id":${digits}}`, toolWith({ id: schema }));
      expect(problem).toMatch(/^The number -?\d+.*field "id" has more digits than a number keeps: it would become /);
      expect(problem).toContain("Write it as a text");
    }
  });

  it.each([
    ["in a list of numbers", '{"id":[1,9007199254740993]}', { type: "array", items: integer }],
    ["in a record of numbers", '{"id":{"a":9007199254740993}}', { type: "object", additionalProperties: number }],
    ["at its place in a tuple", '{"id":["a",9007199254740993]}', { type: "array", prefixItems: [text, integer] }],
    [
      "in the object that fits",
      '{"id":{"k":9007199254740993}}',
      { anyOf: [{ type: "object", properties: { k: number } }, text] },
    ],
    ["in JSON inside a text", '{"id":"[9007199254740993]"}', { type: "array", items: integer }],
  ])("is refused %s", (_place, source, schema) => {
    expect(kindOf(source, toolWith({ id: schema }))).toBe("malformed_call");
  });

  it.each([
    ["in a list of texts", '{"id":[9007199254740993]}', { type: "array", items: text }, ["9007199254740993"]],
    ["in a field without a schema", '{"id":{"a":[9007199254740993]}}', {}, { a: ["9007199254740993"] }],
    ["in a schema that is true", '{"id":[{"b":9007199254740993}]}', true, [{ b: "9007199254740993" }]],
    ["in JSON inside a text", '{"id":"[9007199254740993]"}', { type: "array" }, ["9007199254740993"]],
    ["in a wrapper", '{"arguments":{"id":9007199254740993}}', text, "9007199254740993"],
    ["after an empty object", '{}{"id":9007199254740993}', text, "9007199254740993"],
    ["in a Python dialect", "{'id': 9007199254740993, }", text, "9007199254740993"],
  ])("becomes a text %s, and a repair says so", (_place, source, schema, expected) => {
    const reading = read(source, toolWith({ id: schema }, ["id"]));
    expect(reading).toMatchObject({ ok: true, input: { id: expected } });
    expect(JSON.stringify(reading)).toContain("a number with more digits than a number keeps read as a text");
  });

  it("keeps its digits in a field that the tool does not declare", () => {
    const open = toolWith({ a: text }, [], { additionalProperties: true });
    expect(inputOf('{"a":"x","other":{"id":9007199254740993}}', open)).toEqual({
      a: "x",
      other: { id: "9007199254740993" },
    });
  });
});

describe("a number that JSON writes with the same digits stays a number", () => {
  it.each([
    ["42", 42],
    ["9007199254740991", 9007199254740991],
    ["9007199254740992", 9007199254740992],
    ["-10000000000000000000", -1e19],
    ["1000000000000000000000", 1e21],
    ["6.02214076e23", 6.02214076e23],
    ["0.0000602214076E28", 6.02214076e23],
    ["1.7976931348623157e308", Number.MAX_VALUE],
  ])("%s", (written, expected) => {
    expect(idOf(written, number)).toBe(expected);
  });

  it("of a fraction below 2^53, whose last digits every reader rounds", () => {
    expect(idOf("3.14159265358979323846", number)).toBe(Math.PI);
    expect(idOf("0.1000000000000000055511151231257827", number)).toBe(0.1);
  });

  it("but no number is made of what is bigger than every number", () => {
    expect(problemOf('{"id":1e400}', toolWith({ id: number }))).toContain("is too big");
  });
});

it("arguments without a long number take the quick look", () => {
  expect(schemaOf(toolWith({ id: integer }).parameters).fits({ id: 5 })).toBe(true);
});
