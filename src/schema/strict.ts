// Converts JSON Schema to OpenAI's strict mode: every field is required, and an optional field may be null instead.

import type { Json, JsonObject } from "../core/index.js";
import { isPlainObject, toJson } from "../core/internal.js";
import { subschemas } from "./subschemas.js";
import { acceptsNull, formsOf, plain, restorer } from "./restore.js";

/** A schema in strict mode, or the reason why it can't be converted. */
export type Strictness =
  | {
      readonly ok: true;
      readonly schema: JsonObject;
      /** Drops the nulls that stand for omitted optional fields. Call it before validation, which would reject them. */
      readonly restore: (value: unknown) => unknown;
    }
  | {
      readonly ok: false;
      /** The part of the schema that strict mode can't express, with its path. */
      readonly reason: string;
    };

/**
 * Converts an object schema from `compile` to OpenAI's strict mode: every field is required, an optional field is nullable,
 * and additional fields are forbidden at every level. Defaults, examples and other annotations are removed. A schema with a
 * rule that strict mode can't express is not weakened: the result has a reason instead, and the schema can be sent unchanged.
 */
export function strictify(json: JsonObject): Strictness {
  const reason = json["type"] === "object" ? objection(json, json, "#") : "#: a root that is no object";
  if (reason !== undefined) return { ok: false, reason };
  return { ok: true, schema: strict(json, json), restore: restorer(json) };
}

/** Annotations, which do not affect validation. */
const remarks: ReadonlySet<string> = new Set([
  "$comment",
  "default",
  "deprecated",
  "examples",
  "readOnly",
  "writeOnly",
]);

const keywords: ReadonlySet<string> = new Set([
  ...[
    "$defs",
    "$ref",
    "additionalProperties",
    "anyOf",
    "const",
    "definitions",
    "description",
    "enum",
    "items",
    "title",
  ],
  ...["properties", "required", "type"],
  ...["exclusiveMaximum", "exclusiveMinimum", "maximum", "minimum", "multipleOf"],
  ...["format", "maxItems", "minItems", "pattern"],
]);

const formats: readonly unknown[] = [
  ...["date", "date-time", "duration", "email", "hostname", "ipv4", "ipv6", "time", "uuid"],
];

/** The keywords that may stand beside `anyOf`: descriptions and definitions, but no rules. */
const besideForms: ReadonlySet<string> = new Set(["$defs", "anyOf", "definitions", "description", "title"]);

/** The reason why this part can't be converted to strict mode; undefined if it can. */
function objection(given: unknown, root: JsonObject, at: string): string | undefined {
  if (!isPlainObject(given)) return `${at}: a schema that is only ${String(given)}`;
  const schema = plain(given as JsonObject);
  const known = Object.keys(schema).filter((keyword) => !isRemark(keyword));
  const unknown = known.find((keyword) => !keywords.has(keyword));
  if (unknown !== undefined) return `${at}: ${unknown}`;
  const own = ruleBroken(schema, known, root);
  if (own !== undefined) return `${at}: ${own}`;
  return subschemas(schema, at)
    .filter(({ path }) => path !== `${at}/additionalProperties`)
    .map(({ path, schema: part }) => objection(part, root, path))
    .find((reason) => reason !== undefined);
}

function ruleBroken(schema: JsonObject, known: readonly string[], root: JsonObject): string | undefined {
  const { $ref, type, anyOf, properties, additionalProperties, items, format, pattern } = schema;
  if ($ref !== undefined) return isReachable($ref, root) ? undefined : `a reference to ${toJson($ref) ?? ""}`;
  if (anyOf !== undefined) {
    const beside = known.find((keyword) => !besideForms.has(keyword));
    return beside === undefined ? undefined : `${beside} beside anyOf`;
  }
  const types = [type ?? kindsOf(schema)].flat() as readonly unknown[];
  if (types.length === 0) return "a value of any type";
  if (types.includes("object")) {
    if (!isPlainObject(properties)) return "an object whose fields have no names";
    if (additionalProperties !== undefined && additionalProperties !== false) return "additionalProperties";
  }
  if (types.includes("array") && !isPlainObject(items)) return "an array whose items are not described by one schema";
  if (format !== undefined && !formats.includes(format)) return `the format ${toJson(format) ?? ""}`;
  if (typeof pattern === "string" && /\(\?<?[=!]/.test(pattern)) return "a pattern that looks ahead or behind";
  return undefined;
}

function isRemark(keyword: string): boolean {
  return remarks.has(keyword) || keyword.startsWith("x-");
}

function isReachable($ref: unknown, root: JsonObject): boolean {
  if ($ref === "#") return true;
  if (typeof $ref !== "string") return false;
  const [, group = "", name = ""] = /^#\/(\$defs|definitions)\/([^/]+)$/.exec($ref) ?? [];
  const definitions = root[group];
  return isPlainObject(definitions) && Object.hasOwn(definitions, name);
}

/** Converts a schema that has no objection. */
function strict(given: JsonObject, root: JsonObject): JsonObject {
  const { $ref, anyOf, properties, items, $defs, definitions, required: _required, ...rest } = plain(given);
  const kept = Object.fromEntries(Object.entries(rest).filter(([keyword]) => !isRemark(keyword)));
  const defs = { ...($defs as JsonObject | undefined), ...(definitions as JsonObject | undefined) };
  const forms = anyOf as readonly JsonObject[] | undefined;
  if (typeof $ref === "string") {
    const reference = { $ref: $ref.replace("#/definitions/", "#/$defs/") };
    return Object.keys(kept).length === 0 ? reference : { ...kept, anyOf: [reference] };
  }
  return {
    ...(forms === undefined && kept["type"] === undefined && { type: kindsOf(plain(given)) }),
    ...kept,
    ...(forms !== undefined && { anyOf: forms.map((form) => strict(form, root)) }),
    ...(items !== undefined && { items: strict(items as JsonObject, root) }),
    ...(properties !== undefined && strictFields(given, properties as JsonObject, root)),
    ...(Object.keys(defs).length > 0 && { $defs: strictTable(defs, root) }),
  };
}

function strictTable(table: JsonObject, root: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(table).map(([name, part]) => [name, strict(part as JsonObject, root)]));
}

function strictFields(schema: JsonObject, properties: JsonObject, root: JsonObject): JsonObject {
  const required = (schema["required"] ?? []) as readonly string[];
  const fields = Object.entries(properties as Readonly<Record<string, JsonObject>>).map(([name, part]) => {
    const field = strict(part, root);
    return [name, required.includes(name) || acceptsNull(part, root) ? field : nullable(field)] as const;
  });
  return { properties: Object.fromEntries(fields), required: Object.keys(properties), additionalProperties: false };
}

function nullable(schema: JsonObject): JsonObject {
  const { description, anyOf, ...rest } = schema;
  const annotation = description === undefined ? {} : { description };
  const nullType = { type: "null" };
  if (anyOf !== undefined) return { ...rest, ...annotation, anyOf: [...(anyOf as readonly Json[]), nullType] };
  return { ...annotation, anyOf: [rest, nullType] };
}

/** The types of the values in `enum` or `const`: one, several or none. */
function kindsOf(schema: JsonObject): string | readonly string[] {
  const values = formsOf(schema, "enum") ?? (schema["const"] === undefined ? [] : [schema["const"]]);
  const kinds = values.map((value) => (value === null ? "null" : Array.isArray(value) ? "array" : typeof value));
  const [first, ...others] = new Set(kinds);
  return first !== undefined && others.length === 0 ? first : [...new Set(kinds)];
}
