// Route 4: JSON Schema as plain data, validated by @cfworker/json-schema, which generates no code, within a bounded time.

import type * as Cfworker from "@cfworker/json-schema";
import { isPlainObject, type CompiledSchema } from "../core/internal.js";
import { within } from "./bounded.js";
import { asIssue } from "./issue.js";
import { problemsOf } from "./json-schema-problem.js";
import { late } from "./late.js";
import { asParameters } from "./tool-parameters.js";
import { subschemas } from "./subschemas.js";

/** True for plain data that looks like JSON Schema. */
export function isJsonSchema(schema: unknown): schema is Readonly<Record<string, unknown>> {
  if (!isPlainObject(schema)) return false;
  const { type, $schema, $ref } = schema;
  return Array.isArray(type) || [type, $schema, $ref].some((text) => typeof text === "string");
}

/**
 * Compiles JSON Schema without changing it. Drafts 4 to 2020-12 are supported; without `$schema` it is 2020-12. Defaults are not
 * filled in.
 * @throws Error with a message for the programmer if the schema can't be used.
 */
export function compileJsonSchema(schema: Readonly<Record<string, unknown>>): CompiledSchema {
  const { type, $ref, $schema } = schema;
  if (type !== "object" && $ref === undefined) {
    const given = type === undefined ? "has no type" : `is of type ${JSON.stringify(type)}`;
    throw new Error(`its JSON Schema ${given}; a tool's arguments are an object, so make it { type: "object", ... }`);
  }
  const json = asParameters(schema);
  const cfworker = late("@cfworker/json-schema", (require) => require("@cfworker/json-schema") as typeof Cfworker);
  // The validator changes its schema, and so does `makeReadable`: both get a copy.
  const read = structuredClone(json) as Cfworker.Schema;
  makeReadable(read);
  const lookup = cfworker.dereference(read);
  for (const { $ref: name, __absolute_ref__: target } of Object.values(lookup).filter(isPlainObject)) {
    if (typeof target !== "string" || target in lookup) continue;
    throw new Error(`its reference ${JSON.stringify(name)} leads nowhere; put what it names under "$defs"`);
  }
  const draft = draftOf($schema);
  const check = (value: unknown): Cfworker.ValidationResult => cfworker.validate(value, read, draft, lookup, false);
  const isBounded = mayTakeLong(read);
  return {
    json,
    validate(value) {
      const checked = isBounded ? within(maxMilliseconds, () => check(value)) : { value: check(value) };
      if (checked === undefined) return { ok: false, issues: [tooSlow] };
      const { valid, errors } = checked.value;
      if (valid) return { ok: true, value };
      return { ok: false, issues: problemsOf(errors, { schema: read, lookup, input: value }).map(asIssue) };
    },
  };
}

/** The drafts that the validator treats differently from 2020-12, with patterns for their URIs. */
const drafts: readonly (readonly [RegExp, Cfworker.SchemaDraft])[] = [
  [/draft-0[34]/, "4"],
  [/draft-0[67]/, "7"],
  [/2019-09/, "2019-09"],
];

function draftOf(dialect: unknown): Cfworker.SchemaDraft {
  const known = typeof dialect === "string" ? drafts.find(([name]) => name.test(dialect)) : undefined;
  return known?.[1] ?? "2020-12";
}

/** The time that a schema with regular expressions or references has for one value, in milliseconds. */
const maxMilliseconds = 500;

const tooSlow = {
  path: "",
  message: `the schema could not be checked within ${String(maxMilliseconds)} ms; give shorter texts and lists`,
};

/** Keywords whose check can take for ever: regular expressions, and references, since each may lead to two other references. */
const slowKeywords = ["pattern", "patternProperties", "format", "$ref", "$dynamicRef", "$recursiveRef"];

/** True if a part of the schema has a keyword whose check can take for ever. */
function mayTakeLong(schema: Readonly<Record<string, unknown>>): boolean {
  if (slowKeywords.some((keyword) => schema[keyword] !== undefined)) return true;
  return [...subschemas(schema, "#")].some(({ schema: part }) => isPlainObject(part) && mayTakeLong(part));
}

const types: readonly unknown[] = ["array", "boolean", "integer", "null", "number", "object", "string"];

/** Removes, in place, the patterns that JavaScript can't compile. Throws for errors that would make every call fail. */
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
