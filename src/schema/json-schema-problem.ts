// Converts the reports of @cfworker/json-schema to problems: the path, the expected and the received value.

import { isPlainObject } from "../core/internal.js";
import { mismatch, ofForms, shortly, valueAt, type Problem } from "./issue.js";

/** A report of the validator about one keyword that failed. The reports of nested schemas follow it. */
interface Report {
  readonly keyword: string;
  readonly keywordLocation: string;
  readonly instanceLocation: string;
  readonly error: string;
}

/** The schema and the validated value. */
interface Subject {
  readonly schema: unknown;
  /** All schemas by their absolute references. */
  readonly lookup: Readonly<Record<string, unknown>>;
  readonly input: unknown;
}

/** Keywords that fail because a nested schema failed. The report of the nested schema says more, so these are skipped. */
const containers: ReadonlySet<string> = new Set([
  "$recursiveRef",
  "$ref",
  "additionalItems",
  "additionalProperties",
  "allOf",
  "dependentSchemas",
  "if",
  "items",
  "patternProperties",
  "prefixItems",
  "properties",
  "unevaluatedItems",
  "unevaluatedProperties",
]);

/** Keywords whose own report says more than the reports of the nested schemas, so the nested reports are skipped. */
const hidden: ReadonlySet<string> = new Set(["anyOf", "dependencies", "oneOf", "propertyNames"]);

/** Converts reports, which must be in the order of validation. */
export function problemsOf(reports: readonly Report[], subject: Subject): readonly Problem[] {
  const problems: Problem[] = [];
  for (let index = 0; index < reports.length; index += 1) {
    const report = reports[index];
    if (report === undefined || containers.has(report.keyword)) continue;
    const within = hidden.has(report.keyword) ? reportsWithin(report, reports.slice(index + 1)) : [];
    if (report.keyword === "anyOf" || report.keyword === "oneOf") {
      problems.push(...problemsOfForms(report, within, subject));
    } else problems.push(problemOf(report, subject));
    index += within.length;
  }
  return problems;
}

function reportsWithin({ keywordLocation }: Report, after: readonly Report[]): readonly Report[] {
  // The report of the schema `false` has the location in the value instead of the location in the schema.
  const end = after.findIndex(
    (report) => report.keyword !== "false" && !report.keywordLocation.startsWith(`${keywordLocation}/`),
  );
  return end === -1 ? after : after.slice(0, end);
}

function problemsOfForms(report: Report, within: readonly Report[], subject: Subject): readonly Problem[] {
  const { keywordLocation, instanceLocation } = report;
  const keys = keysOf(instanceLocation, subject.input);
  const forms: Report[][] = [];
  let form = "";
  for (const inner of within) {
    const name =
      inner.keyword === "false" ? form : inner.keywordLocation.slice(keywordLocation.length + 1).split("/")[0];
    if (name !== form || forms.length === 0) forms.push([]);
    form = name ?? "";
    forms.at(-1)?.push(inner);
  }
  const all = keywordAt(keywordLocation, subject);
  if (Array.isArray(all) && forms.length < all.length) {
    return [{ keys, message: "it fits more than one of the forms of which it must fit exactly one" }];
  }
  return ofForms(
    keys,
    forms.map((reports) => problemsOf(reports, subject)),
    valueAt(subject.input, keys),
  );
}

function problemOf({ keyword, keywordLocation, instanceLocation, error }: Report, subject: Subject): Problem {
  const keys = keysOf(instanceLocation, subject.input);
  const limit = keywordAt(keywordLocation, subject);
  if (keyword === "required")
    return missing(error, keys, keywordAt(`${parentOf(keywordLocation)}/properties`, subject));
  if (keyword === "false") return { keys, message: "nothing is expected here; leave it out" };
  const words = expectations.get(keyword)?.(limit);
  const received = valueAt(subject.input, keys);
  if (words === undefined) return { keys, message: error };
  const message = keyword === "type" ? mismatch(words, received) : mismatch(words, received, shortly(received));
  return { keys, expected: words, message, isOther: keyword === "const" || keyword === "enum" };
}

/** The problem of a missing field. The validator names the field only in its message, so it is parsed from there. */
function missing(error: string, above: readonly PropertyKey[], properties: unknown): Problem {
  const [, name = ""] = /^Instance does not have required property "(.*)"\.$/s.exec(error) ?? [];
  const field = isPlainObject(properties) ? properties[name] : undefined;
  const { type, enum: choices } = isPlainObject(field) ? field : {};
  const expected = choices === undefined ? type && listed(type) : expectations.get("enum")?.(choices);
  return { keys: [...above, name], message: mismatch(typeof expected === "string" ? expected : "a value", undefined) };
}

/** The expected value by keyword, given the value of the keyword. */
const expectations: ReadonlyMap<string, (limit: unknown) => string> = new Map<string, (limit: unknown) => string>([
  ["type", listed],
  ["const", (only) => JSON.stringify(only)],
  [
    "enum",
    (choices) =>
      `one of ${[choices]
        .flat()
        .map((choice) => JSON.stringify(choice))
        .join(", ")}`,
  ],
  ["minimum", (limit) => `at least ${String(limit)}`],
  ["maximum", (limit) => `at most ${String(limit)}`],
  ["exclusiveMinimum", (limit) => `more than ${String(limit)}`],
  ["exclusiveMaximum", (limit) => `less than ${String(limit)}`],
  ["multipleOf", (limit) => `a multiple of ${String(limit)}`],
  ["minLength", (limit) => `at least ${String(limit)} characters`],
  ["maxLength", (limit) => `at most ${String(limit)} characters`],
  ["pattern", (pattern) => `text that matches ${String(pattern)}`],
  ["format", (format) => `text of the format ${String(format)}`],
  ["minItems", (limit) => `at least ${String(limit)} items`],
  ["maxItems", (limit) => `at most ${String(limit)} items`],
  ["uniqueItems", () => "items that are all different"],
  ["minProperties", (limit) => `at least ${String(limit)} fields`],
  ["maxProperties", (limit) => `at most ${String(limit)} fields`],
  ["not", (other) => `something that does not fit ${JSON.stringify(other)}`],
]);

function listed(type: unknown): string {
  return [type].flat().join(" or ");
}

function parentOf(pointer: string): string {
  return pointer.slice(0, pointer.lastIndexOf("/"));
}

/** The keys of a JSON pointer; array indices become numbers. */
function keysOf(pointer: string, input: unknown): readonly PropertyKey[] {
  const keys: PropertyKey[] = [];
  for (const token of tokensOf(pointer)) keys.push(Array.isArray(valueAt(input, keys)) ? Number(token) : token);
  return keys;
}

/** The value of a keyword. References on the path are followed. */
function keywordAt(pointer: string, { schema, lookup }: Subject): unknown {
  let current: unknown = schema;
  for (const token of tokensOf(pointer)) {
    const reference = token === "$ref" ? valueAt(current, ["__absolute_ref__"]) : undefined;
    current = typeof reference === "string" ? lookup[reference] : valueAt(current, [token]);
  }
  return current;
}

function tokensOf(pointer: string): readonly string[] {
  const [, ...tokens] = pointer.split("/");
  return tokens.map((token) => decodeURIComponent(token).replaceAll("~1", "/").replaceAll("~0", "~"));
}
