import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/core/index.js";
import { inputOf, read, toolWith } from "./describe-tool.js";
import { processorTime } from "../../processor-time.js";

const text = { type: "string" };
const integer = { type: "integer" };
const number = { type: "number" };
const boolean = { type: "boolean" };
const texts = { type: "array", items: text };

/** The value of the field `a` after reading it with this schema; "left out" if it was removed. */
function field(
  value: unknown,
  schema: JsonObject,
  rest: JsonObject = {},
  required: readonly string[] = ["a"],
): unknown {
  const input = inputOf(JSON.stringify({ a: value }), toolWith({ a: schema }, required, rest));
  return Object.hasOwn(input as JsonObject, "a") ? (input as JsonObject)["a"] : "left out";
}

describe("a value of another type than the schema's is read by the schema", () => {
  it.each([
    ["a whole number", "10", integer, 10],
    ["a negative one", "-3", number, -3],
    ["a decimal", "1.50", number, 1.5],
    ["a boolean", "false", boolean, false],
    ["a Python boolean", "True", boolean, true],
    ["null where null is taken", "null", { type: ["integer", "null"] }, null],
    ["a number where null is taken too", "4", { type: "integer", nullable: true }, 4],
    ["a list", '["x"]', texts, ["x"]],
    ["a Python list", "['x']", texts, ["x"]],
    ["an object, and what is in it", '{"b":"2"}', { type: "object", properties: { b: integer } }, { b: 2 }],
    ["elements", ["1", "2"], { type: "array", items: integer }, [1, 2]],
    ["elements by their place", ["1", "2"], { type: "array", prefixItems: [integer, text] }, [1, "2"]],
    ["elements in JSON texts", ['{"b":"2"}'], { items: { type: "object", properties: { b: integer } } }, [{ b: 2 }]],
    ["fields of any name", { x: "1" }, { type: "object", additionalProperties: integer }, { x: 1 }],
    ["the number among the only values", "2", { enum: [1, 2] }, 2],
    ["the number beside the only text", "2", { anyOf: [{ const: "all" }, integer] }, 2],
    ["one of several forms", "7", { oneOf: [integer, { type: "null" }] }, 7],
    ["all of several rules", "7", { allOf: [{ minimum: 1 }, integer] }, 7],
    ["what a list may hold of two forms", ["1", null], { items: { anyOf: [integer, { type: "null" }] } }, [1, null]],
  ])("%s", (_name, value, schema, expected) => {
    expect(field(value, schema as JsonObject)).toEqual(expected);
  });

  it("through references, also of a schema to itself", () => {
    const node = { type: "object", properties: { n: integer, next: { $ref: "#/$defs/a~1node" } } };
    const input = { a: { n: "1", next: { n: "2", next: '{"n":"3"}' } } };
    const tool = toolWith({ a: { $ref: "#/$defs/a~1node", description: "first" } }, ["a"], {
      $defs: { "a/node": node },
    });
    expect(inputOf(JSON.stringify(input), tool)).toEqual({ a: { n: 1, next: { n: 2, next: { n: 3 } } } });
    expect(field("1", { $ref: "#/definitions/n" }, { definitions: { n: integer } })).toBe(1);
  });

  it("in the form that a field names, or that has all its fields", () => {
    const circle = { type: "object", properties: { kind: { const: "circle" }, size: integer } };
    const label = { type: "object", properties: { kind: { const: "label" }, size: text } };
    expect(field({ kind: "circle", size: "1" }, { anyOf: [circle, label] })).toEqual({ kind: "circle", size: 1 });
    expect(field({ kind: "label", size: "1" }, { anyOf: [circle, label] })).toEqual({ kind: "label", size: "1" });
    const one = { type: "object", properties: { x: integer }, required: ["x"] };
    const two = { type: "object", properties: { y: integer }, required: ["y"] };
    expect(field({ y: "1" }, { oneOf: [one, two] })).toEqual({ y: 1 });
  });

  it("and null for an optional field that doesn't take it is left out", () => {
    expect(field(null, integer, {}, [])).toBe("left out");
    expect(field(null, integer)).toBeNull();
    expect(field(null, { type: ["integer", "null"] }, {}, [])).toBeNull();
    expect(field(null, {}, {}, [])).toBeNull();
    expect(field(null, integer, { allOf: [{ required: ["a"] }] }, [])).toBeNull();
  });

  it("and each is told, but not thousands of them", () => {
    const tool = toolWith({ a: { type: "array", items: integer }, b: boolean });
    const reading = read(JSON.stringify({ a: ["1", "2"], b: "true" }), tool);
    expect(reading).toMatchObject({ repairs: ['"a[]": a text read as integer', '"b": a text read as boolean'] });
    const many = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`k${String(index)}`, "1"]));
    const repaired = read(JSON.stringify(many), toolWith({}, [], { additionalProperties: integer }));
    expect(repaired.ok && repaired.repairs.length).toBe(20);
  });
});

describe("a value with no one reading stays as it is:", () => {
  it.each([
    ["a decimal for a whole number", "3.14", integer],
    ["a whole number with a fraction", "3.0", integer],
    ["an exponent", "1e3", number],
    ["a leading zero", "007", integer],
    ["a plus", "+1", integer],
    ["white space around", " 1 ", integer],
    ["digits that a number can't keep", "12345678901234567890", integer],
    ["a fraction that a number can't keep", "0.12345678901234567890", number],
    ["negative zero", "-0", number],
    ["one for true", "1", boolean],
    ["yes for true", "yes", boolean],
    ["a number for a text", 94110, text],
    ["a list for a text", ["x"], text],
    ["a text for a list", "x", texts],
    ["an object for a list", { x: ["y"] }, texts],
    ["a text for a text, whatever it looks like", '{"a": [1]}', text],
    ["a text that may be a text", "1", { type: ["integer", "string"] }],
    ["a JSON text that may be a text", "[1]", { anyOf: [text, texts] }],
    ["a list in a text for an object", "[1]", { type: "object" }],
    ["an object in a text that was cut", '{"a":1', { type: "object" }],
    ["an object in a text with a key twice", '{"a":1,"a":2}', { type: "object" }],
    [
      "an object that two forms fit",
      { n: "1" },
      { anyOf: [{ properties: { n: integer } }, { properties: { n: text } }] },
    ],
    ["a text for a reference in a ring", "1", { $ref: "#/$defs/a" }],
    ["a text for a reference to nothing", "1", { $ref: "#/$defs/none" }],
    ["a text for a reference elsewhere", "1", { $ref: "https://example.com/schema" }],
    ["a text without a schema", "1", {}],
  ])("%s", (_name, value, schema) => {
    const ring = { $defs: { a: { $ref: "#/$defs/b" }, b: { anyOf: [{ $ref: "#/$defs/a" }], allOf: [{ $ref: "#" }] } } };
    expect(field(value, schema as JsonObject, ring)).toEqual(value);
  });
});

describe("fields of texts are typed by the schema, without a repair:", () => {
  it.each([
    ["numbers, trimmed", { a: "\n 12 " }, integer, 12],
    ["booleans, trimmed", { a: " true\n" }, boolean, true],
    ["texts, byte by byte", { a: " \n12 " }, text, " \n12 "],
    ["texts of a few, trimmed where they fit only so", { a: "\nx " }, { enum: ["x", "y"] }, "x"],
    ["texts of a few that fit with their space", { a: " x" }, { enum: ["x", " x"] }, " x"],
    ["JSON for a list", { a: '\n["x"]\n' }, texts, ["x"]],
    ["elements", { a: { item: ["1", "2"] } }, { type: "array", items: integer }, [1, 2]],
    ["one element", { a: { item: "1" } }, { type: "array", items: integer }, [1]],
    ["one object", { a: { item: { n: "1" } } }, { type: "array", items: { properties: { n: integer } } }, [{ n: 1 }]],
    ["a list as it is", { a: ["1"] }, { type: "array", items: integer }, [1]],
    ["an object as it is", { a: { item: ["1"] } }, { type: "object" }, { item: ["1"] }],
    ["no elements where there are two names", { a: { x: "1", y: "2" } }, texts, { x: "1", y: "2" }],
    [
      "no elements where an element has the name",
      { a: { n: { n: "1" } } },
      { type: "array", items: { properties: { n: {} } } },
      { n: { n: "1" } },
    ],
    ["no list of a text", { a: "x" }, texts, "x"],
    ["null where it is taken", { a: "null" }, { type: ["integer", "null"] }, null],
  ])("%s", (_name, source, schema, expected) => {
    const reading = read(source, toolWith({ a: schema }));
    expect(reading).toEqual({ ok: true, name: "edit", input: { a: expected }, repairs: [] });
  });

  it("and what no text may hold is refused as it is in JSON", () => {
    expect(read({ a: { b: ["x\0"] } })).toMatchObject({ ok: false, problem: expect.stringMatching(/"b".*NUL/) });
    expect(read({ a: { constructor: "x" } })).toMatchObject({
      ok: false,
      problem: expect.stringContaining("constructor"),
    });
    expect(read({ a: "x\ud800" })).toMatchObject({ ok: true, input: { a: "x\ufffd" }, repairs: [expect.any(String)] });
    expect(read({ "a\ud800": "x", "a\ufffd": "y" })).toMatchObject({
      ok: false,
      problem: expect.stringContaining("twice"),
    });
    let nested: JsonObject = {};
    for (let depth = 0; depth < 5000; depth += 1) nested = { a: nested };
    expect(read(nested)).toMatchObject({ ok: false, problem: expect.stringContaining("deep") });
  });
});

describe("long values take time linear in their length:", () => {
  const element = { type: "object", properties: { n: integer, next: { $ref: "#/$defs/element" } }, required: ["n"] };
  it.each([
    [
      "50,000 elements",
      { a: Array.from({ length: 50_000 }, () => ({ n: "1" })) },
      { items: { $ref: "#/$defs/element" } },
    ],
    [
      "50,000 elements of two forms",
      { a: Array.from({ length: 50_000 }, () => ({ n: "1" })) },
      { items: { anyOf: [element, text] } },
    ],
    ["a text of 1 MB for a number", { a: "1".repeat(1_000_000) }, integer],
    ["a text of 1 MB for a list", { a: `[${"1,".repeat(500_000)}1]` }, { type: "array", items: integer }],
  ])("%s", (_name, value, schema) => {
    const source = JSON.stringify(value);
    const spent = processorTime();
    read(source, toolWith({ a: schema }, [], { $defs: { element } }));
    expect(spent()).toBeLessThan(1500);
  });
});
