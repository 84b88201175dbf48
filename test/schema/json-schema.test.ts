// JSON Schema as plain data, as tools of other systems bring it.

import { describe, expect, it } from "vitest";
import { compile } from "../../src/schema/index.js";

async function issuesOf(schema: unknown, value: unknown): Promise<readonly string[]> {
  const validation = await compile(schema).validate(value);
  if (validation.ok) throw new Error("it was accepted");
  return validation.issues.map(({ path, message }) => (path === "" ? message : `${path}: ${message}`));
}

/** What is wrong with `value` in a field of this schema. */
async function issuesOfField(field: object, value: unknown): Promise<readonly string[]> {
  return issuesOf({ type: "object", properties: { field } }, { field: value });
}

const search = {
  $schema: "http://json-schema.org/draft-07/schema#",
  type: "object",
  properties: {
    query: { type: "string", minLength: 2 },
    limit: { type: "integer", minimum: 1, maximum: 9 },
    mode: { enum: ["fast", "deep"] },
    parts: { type: "array", items: { type: "object", properties: { line: { type: "number" } }, required: ["line"] } },
  },
  required: ["query"],
  additionalProperties: false,
  "x-vendor": { anything: true },
};

describe("JSON Schema as plain data", () => {
  it("is sent as it is, without $schema", () => {
    const { $schema: _dialect, ...rest } = search;
    expect(compile(search).json).toEqual(rest);
  });

  it("is neither changed nor followed later", () => {
    const schema = structuredClone(search) as { $schema: string; required: string[] };
    const { json } = compile(Object.freeze(schema));
    schema.required.push("limit");
    expect(json["required"]).toEqual(["query"]);
    expect(Reflect.ownKeys(search)).toEqual(Reflect.ownKeys(schema));
  });

  it("takes what fits, as it is: defaults are not filled in", async () => {
    const schema = { type: "object", properties: { a: { type: "string", default: "x" } } };
    expect(await compile(schema).validate({ more: 1 })).toEqual({ ok: true, value: { more: 1 } });
  });

  it("says everything that is wrong: where, what was expected, what was received", async () => {
    const value = { limit: 10.5, mode: "slow", parts: [{ line: 1 }, { line: "2" }, {}], other: 1 };
    expect(await issuesOf(search, value)).toEqual([
      "query: expected string, but it is missing",
      "limit: expected integer, received number",
      "limit: expected at most 9, received 10.5",
      'mode: expected one of "fast", "deep", received "slow"',
      "parts[1].line: expected number, received string",
      "parts[2].line: expected number, but it is missing",
      "other: nothing is expected here; leave it out",
    ]);
  });

  it.each([
    [{ type: "string" }, null, "expected string, received null"],
    [{ type: ["string", "null"] }, [1], "expected string or null, received array"],
    [{ const: "on" }, "off", 'expected "on", received "off"'],
    [{ enum: [1, "x"] }, { a: 1 }, 'expected one of 1, "x", received object'],
    [{ exclusiveMinimum: 1 }, 1, "expected more than 1, received 1"],
    [{ exclusiveMaximum: 1 }, 1, "expected less than 1, received 1"],
    [{ multipleOf: 3 }, 4, "expected a multiple of 3, received 4"],
    [{ minLength: 3 }, "ab", 'expected at least 3 characters, received "ab"'],
    [{ maxLength: 1 }, "x".repeat(99), "expected at most 1 characters, received string"],
    [{ pattern: "^a" }, "b", 'expected text that matches ^a, received "b"'],
    [{ format: "email" }, "b", 'expected text of the format email, received "b"'],
    [{ minItems: 2 }, [1], "expected at least 2 items, received array"],
    [{ uniqueItems: true }, [1, 1], "expected items that are all different, received array"],
    [{ minProperties: 1 }, {}, "expected at least 1 fields, received object"],
    [{ not: { type: "string" } }, "b", 'expected something that does not fit {"type":"string"}, received "b"'],
    [{ anyOf: [{ type: "string" }, { type: "null" }] }, 1, "expected string or null, received 1"],
    [{ oneOf: [{ type: "number" }, { minimum: 1 }] }, 1, "it fits more than one of the forms"],
  ])("says of %j what it wanted of %j", async (field, value, words) => {
    expect((await issuesOfField(field, value)).join()).toContain(`field: ${words}`);
  });

  it("says of several forms the one that was meant, or all", async () => {
    const point = { type: "object", properties: { x: { type: "number" } }, required: ["x"] };
    expect(await issuesOfField({ anyOf: [point, { type: "null" }] }, { x: "1" })).toEqual([
      "field.x: expected number, received string",
    ]);
    const text = { type: "string", minLength: 2 };
    expect(await issuesOfField({ anyOf: [text, { ...text, type: "null" }, point] }, 1)).toEqual([
      "field: expected string or null or object, received 1",
    ]);
    expect(await issuesOfField({ anyOf: [{ required: ["a"] }, { required: ["b"] }] }, {})).toEqual([
      "field: it fits none of 2 forms: (field.a: expected a value, but it is missing), or (field.b: expected a value, but it is missing)",
    ]);
  });

  it("takes the form whose name was given for the one that was meant", async () => {
    const form = (kind: string, field: string): object => ({
      type: "object",
      properties: { kind: { const: kind }, [field]: { type: "number" } },
      required: ["kind", field],
    });
    for (const keyword of ["anyOf", "oneOf"]) {
      const forms = { [keyword]: [form("dot", "x"), form("circle", "radius")] };
      expect(await issuesOfField(forms, { kind: "circle" })).toEqual([
        "field.radius: expected number, but it is missing",
      ]);
      expect((await issuesOfField(forms, { kind: "star" })).join()).toContain(
        'field.kind: expected "dot", received "star"',
      );
    }
  });

  it("says of a name that doesn't fit that it is the name", async () => {
    expect(await issuesOf({ type: "object", propertyNames: { pattern: "^a" } }, { b: 1 })).toEqual([
      'Property name "b" does not match schema.',
    ]);
  });

  it("follows references, of recursive schemas too", async () => {
    const tree = {
      type: "object",
      properties: { node: { $ref: "#/$defs/node" }, self: { $ref: "#" } },
      $defs: {
        node: {
          type: "object",
          properties: { name: { type: "string" }, kids: { type: "array", items: { $ref: "#/$defs/node" } } },
          required: ["name"],
        },
      },
    };
    expect(compile(tree).json).toEqual(tree);
    expect(await issuesOf(tree, { self: { node: { name: "a", kids: [{ name: 1 }, {}] } } })).toEqual([
      "self.node.kids[0].name: expected string, received number",
      "self.node.kids[1].name: expected string, but it is missing",
    ]);
  });

  it("may have a reference for its root", () => {
    const node = { type: "object", properties: { next: { $ref: "#/definitions/node" } } };
    expect(compile({ $ref: "#/definitions/node", definitions: { node } }).json).toEqual({
      ...node,
      definitions: { node },
    });
    expect(compile({ $ref: "#/$defs/a", $defs: { a: { type: "object" }, b: true } }).json).toEqual({
      type: "object",
      $defs: { b: true },
    });
  });

  it("is read in the draft that it names", async () => {
    const field = { type: "integer", minimum: 1, exclusiveMinimum: true };
    const schema = { $schema: "http://json-schema.org/draft-04/schema#", type: "object", properties: { field } };
    expect(await issuesOf(schema, { field: 1 })).toHaveLength(1);
    const tuple = { type: "array", prefixItems: [{ type: "string" }] };
    expect(await issuesOfField(tuple, [1])).toEqual(["field[0]: expected string, received number"]);
  });

  it("has names with every letter", async () => {
    const schema = { type: "object", properties: { "a/b~c d#é%41": { type: "string" } }, required: ['it\'s "x"'] };
    expect(await issuesOf(schema, { "a/b~c d#é%41": 1 })).toEqual([
      'it\'s "x": expected a value, but it is missing',
      "a/b~c d#é%41: expected string, received number",
    ]);
  });

  it("says of arguments that are no object what was expected", async () => {
    for (const value of [null, [1], "text", 7]) {
      expect((await issuesOf(search, value)).join()).toContain("expected object, received");
    }
  });

  it("leaves open the patterns that JavaScript can't read, and sends them", async () => {
    const schema = {
      type: "object",
      properties: { a: { type: "string", pattern: "^[\\w-.]+\\Z(?i)$" } },
      patternProperties: { "(": { type: "string" } },
    };
    expect(await compile(schema).validate({ a: "x", b: 1 })).toMatchObject({ ok: true });
    expect(compile(schema).json).toEqual(schema);
  });

  it("is refused where it holds itself instead of a reference", () => {
    const schema: Record<string, unknown> = { type: "object" };
    schema["properties"] = { self: schema };
    expect(() => compile(schema)).toThrow("it can't be written as JSON");
  });

  it.each<[object, string]>([
    [{ type: "string" }, 'its JSON Schema is of type "string"; a tool\'s arguments are an object'],
    [{ type: ["object", "null"] }, 'its JSON Schema is of type ["object","null"]'],
    [{ $schema: "http://json-schema.org/draft-07/schema#", properties: {} }, "its JSON Schema has no type"],
    [{ $ref: "#/$defs/a", $defs: {} }, "a tool's arguments are an object"],
    [{ type: "object", properties: { a: { $ref: "#/$defs/b" } } }, 'its reference "#/$defs/b" leads nowhere'],
    [{ type: "object", properties: { a: { $ref: "https://example.com/a.json" } } }, "leads nowhere"],
    [{ type: "object", properties: { a: { type: "text" } } }, 'no type "text"; look at #/properties/a/type'],
    [{ type: "object", properties: { a: "string" } }, "#/properties/a of its JSON Schema is no schema"],
    [
      { type: "object", properties: { a: { required: true } } },
      "#/properties/a/required of its JSON Schema is no list",
    ],
  ])("is refused when the agent is made: %j", (schema, words) => {
    expect(() => compile(schema)).toThrow(words);
  });
});

describe("a pattern of a foreign schema", () => {
  const evil = { type: "string", pattern: "^(a+)+$" };
  const text = `${"a".repeat(50)}!`;

  it.each([
    ["in a field", evil, text],
    ["deep in the schema", { type: "array", items: { anyOf: [evil] } }, [text]],
    ["for names of fields", { type: "object", patternProperties: { "^(a+)+$": {} } }, { [text]: 1 }],
  ])("that would take for ever is stopped, %s", async (_where, field, value) => {
    const start = performance.now();
    expect(await issuesOfField(field, value)).toEqual([
      "the schema could not be checked within 500 ms; give shorter texts and lists",
    ]);
    expect(performance.now() - start).toBeLessThan(20_000);
    expect(await issuesOfField(field, 1)).not.toEqual([]);
  });

  it("is no worse than references that double with each step, which are stopped too", async () => {
    const step = (index: number): object => ({ allOf: [1, 2].map(() => ({ $ref: `#/$defs/s${String(index + 1)}` })) });
    const $defs = Object.fromEntries(Array.from({ length: 40 }, (_none, index) => [`s${String(index)}`, step(index)]));
    const schema = { type: "object", $defs: { ...$defs, s40: { type: "object" } }, $ref: "#/$defs/s0" };
    const start = performance.now();
    expect(await compile(schema).validate({})).toMatchObject({ ok: false });
    expect(performance.now() - start).toBeLessThan(20_000);
  });

  it("holds as before if it is quick", async () => {
    const schema = { type: "object", properties: { field: evil } };
    expect(await compile(schema).validate({ field: "aaa" })).toEqual({ ok: true, value: { field: "aaa" } });
    expect(await issuesOfField(evil, "b")).toEqual(['field: expected text that matches ^(a+)+$, received "b"']);
  });
});
