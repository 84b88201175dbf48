// Route 4: JSON Schema as plain data, validated by @cfworker/json-schema, which makes no code of it.

import type * as Cfworker from "@cfworker/json-schema";
import { isPlainObject, type CompiledSchema } from "../core/internal.js";
import { asIssue } from "./issue.js";
import { problemsOf } from "./json-schema-problem.js";
import { late } from "./late.js";
import { asParameters } from "./tool-parameters.js";
import { subschemas } from "./subschemas.js";

/** True for plain data that is meant as JSON Schema. */
export function isJsonSchema(schema: unknown): schema is Readonly<Record<string, unknown>> {
  if (!isPlainObject(schema)) return false;
  const { type, $schema, $ref } = schema;
  return Array.isArray(type) || [type, $schema, $ref].some((text) => typeof text === "string");
}

/**
 * Compiles JSON Schema as it is: draft 4 to 2020-12, the last where it doesn't say. Defaults are not filled in.
 * @throws Error with words for the programmer where it can't be used.
 */
export function compileJsonSchema(schema: Readonly<Record<string, unknown>>): CompiledSchema {
  const { type, $ref, $schema } = schema;
  if (type !== "object" && $ref === undefined) {
    const given = type === undefined ? "has no type" : `is of type ${JSON.stringify(type)}`;
    throw new Error(`its JSON Schema ${given}; a tool's arguments are an object, so make it { type: "object", ... }`);
  }
  const json = asParameters(schema);
  const cfworker = late("@cfworker/json-schema", (require) => require("@cfworker/json-schema") as typeof Cfworker);
  // The validator writes into the schema it reads, and so do we.
  const read = structuredClone(json) as Cfworker.Schema;
  makeReadable(read);
  const lookup = cfworker.dereference(read);
  for (const { $ref: name, __absolute_ref__: target } of Object.values(lookup).filter(isPlainObject)) {
    if (typeof target !== "string" || target in lookup) continue;
    throw new Error(`its reference ${JSON.stringify(name)} leads nowhere; put what it names under "$defs"`);
  }
  const draft = draftOf($schema);
  return {
    json,
    validate(value) {
      const { valid, errors } = cfworker.validate(value, read, draft, lookup, false);
      if (valid) return { ok: true, value };
      return { ok: false, issues: problemsOf(errors, { schema: read, lookup, input: value }).map(asIssue) };
    },
  };
}

/** The drafts that the validator reads otherwise than 2020-12, by what their names have in common. */
const drafts: readonly (readonly [RegExp, Cfworker.SchemaDraft])[] = [
  [/draft-0[34]/, "4"],
  [/draft-0[67]/, "7"],
  [/2019-09/, "2019-09"],
];

function draftOf(dialect: unknown): Cfworker.SchemaDraft {
  const known = typeof dialect === "string" ? drafts.find(([name]) => name.test(dialect)) : undefined;
  return known?.[1] ?? "2020-12";
}

const types: readonly unknown[] = ["array", "boolean", "integer", "null", "number", "object", "string"];

/** Leaves out, in place, the patterns that JavaScript can't read; refuses what would fail at every call. */
function makeReadable(schema: Record<string, unknown>, at = "#"): void {
  const { type, required, pattern, patternProperties } = schema;
  const unknown = [type ?? []].flat().find((name) => !types.includes(name));
  if (unknown !== undefined) {
    throw new Error(`JSON has no type ${JSON.stringify(unknown)}; look at ${at}/type of its JSON Schema`);
  }
  if (required !== undefined && !Array.isArray(required)) {
    throw new Error(`${at}/required of its JSON Schema is no list; list the names of the fields that must be there`);
  }
  if (pattern !== undefined && !isPattern(pattern)) delete schema["pattern"];
  if (isPlainObject(patternProperties)) {
    const readable = Object.entries(patternProperties).filter(([name]) => isPattern(name));
    schema["patternProperties"] = Object.fromEntries(readable);
  }
  for (const { path, schema: part } of subschemas(schema, at)) {
    if (isPlainObject(part)) makeReadable(part, path);
    else if (typeof part !== "boolean") throw new Error(`${path} of its JSON Schema is no schema; make it an object`);
  }
}

function isPattern(text: unknown): boolean {
  try {
    return new RegExp(String(text), "u") instanceof RegExp;
  } catch {
    return false;
  }
}
