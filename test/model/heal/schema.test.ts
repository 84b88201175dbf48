import { describe, expect, test } from "vitest";
import type { Json, JsonObject } from "../../../src/core/index.js";
import { coerce } from "../../../src/model/heal/coerce.js";
import { schemaOf } from "../../../src/model/heal/schema.js";
import { withoutSurplus } from "../../../src/model/heal/surplus.js";
import { unwrap } from "../../../src/model/heal/wrapping.js";

const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({ type: "object", properties, ...more });

const schemas: Readonly<Record<string, JsonObject>> = {
  plain: object({ path: { type: "string" }, line: { type: "integer" } }, { required: ["path"] }),
  closed: object({ path: { type: "string" } }, { additionalProperties: false }),
  open: object({ path: { type: "string" } }, { additionalProperties: true }),
  nullable: object({ path: { type: ["string", "null"] }, line: { type: "number" } }),
  named: object({ name: { type: "string" }, arguments: { type: "string" } }),
  words: object({ path: { enum: ["a", "b"] }, line: { const: 1 } }),
  free: object({ path: {}, line: true }),
  nested: object({ path: { type: "object" }, line: { type: "array", items: { type: "integer" } } }),
  reference: object({ path: { $ref: "#/$defs/path" } }, { $defs: { path: { type: "string" } } }),
  forms: { anyOf: [object({ path: { type: "string" } }), object({ line: { type: "integer" } })] },
  elsewhere: { $ref: "#/$defs/all", $defs: { all: object({ path: { type: "string" } }) } },
  none: object({}),
  anything: {},
};

const scalars: readonly Json[] = [
  null,
  true,
  0,
  1,
  1.5,
  "",
  "a",
  "1",
  "true",
  "null",
  '{"path":"a"}',
  [],
  [1],
  {},
  { path: "a" },
];
const keys = ["path", "line", "name", "arguments", "input", "other"];
const inputs: readonly JsonObject[] = [
  {},
  ...keys.flatMap((key) => scalars.map((value) => ({ [key]: value }))),
  ...keys.flatMap((key) => scalars.flatMap((value) => scalars.map((other) => ({ path: value, [key]: other })))),
];

describe.each(Object.keys(schemas))("the schema %s", (name) => {
  const schema = schemaOf(schemas[name]!);

  test("says that arguments fit only if healing would leave them as they are", () => {
    for (const input of inputs.filter((one) => schema.fits(one))) {
      expect(unwrap(input, new Set(["tool"]), schema)).toBeUndefined();
      expect(withoutSurplus(input, schema)).toEqual({ input, repairs: [] });
      for (const leaves of ["values", "texts"] as const)
        expect(coerce(input, schema, leaves)).toEqual({ input, repairs: [] });
    }
  });
});

test("usual arguments fit at a look, and wrong ones do not", () => {
  const schema = schemaOf(schemas["plain"]!);
  expect(schema.fits({ path: "a", line: 1 })).toBe(true);
  expect(schema.fits({ path: "a" })).toBe(true);
  for (const wrong of [
    {},
    { line: 1 },
    { path: 1 },
    { path: "a", line: "1" },
    { path: "a", line: null },
    { path: "a", to: "b" },
  ])
    expect(schema.fits(wrong)).toBe(false);
});
