// Converts a value in strict mode back to a value that fits the original schema.

import type { Json, JsonObject } from "../core/index.js";
import { isPlainObject, toJson } from "../core/internal.js";

/** Makes the conversion for a schema: it drops nulls that stand for omitted optional fields, and keeps everything else. */
export function restorer(root: JsonObject): (value: unknown) => unknown {
  return (value) => restored(root, value, root);
}

/** Simplifies a schema: an `allOf` with a single schema is merged into it, and `oneOf` becomes `anyOf`. */
export function plain(schema: JsonObject): JsonObject {
  const { allOf, oneOf, ...rest } = schema;
  if (oneOf !== undefined && rest["anyOf"] === undefined && allOf === undefined) return { ...rest, anyOf: oneOf };
  const [only, ...others] = formsOf(schema, "allOf") ?? [];
  if (!isPlainObject(only) || others.length > 0 || oneOf !== undefined) return schema;
  return plain({ ...(only as JsonObject), ...rest });
}

/** The list under a keyword; undefined if it is not a list. */
export function formsOf(schema: JsonObject, keyword: string): readonly Json[] | undefined {
  const list = schema[keyword];
  return Array.isArray(list) ? (list as readonly Json[]) : undefined;
}

/** True if null is a valid value of the schema, so that it can't stand for an omitted field. */
export function acceptsNull(part: JsonObject, root: JsonObject): boolean {
  return fits(part, null, root);
}

function restored(part: JsonObject, value: unknown, root: JsonObject): unknown {
  const schema = resolved(part, root);
  const forms = formsOf(schema, "anyOf") as readonly JsonObject[] | undefined;
  if (forms !== undefined) {
    const form = forms.find((candidate) => fits(candidate, value, root));
    return form === undefined ? value : restored(form, value, root);
  }
  if (Array.isArray(value)) {
    const { items } = schema;
    return items === undefined ? value : value.map((item) => restored(items as JsonObject, item, root));
  }
  if (!isPlainObject(value)) return value;
  const fields = Object.entries(value).flatMap(([name, field]) => {
    const given = fieldOf(schema, name);
    if (given === undefined) return [[name, field] as const];
    if (field === null && isLeftOut(schema, name, root)) return [];
    return [[name, restored(given, field, root)] as const];
  });
  return Object.fromEntries(fields);
}

/** True if the value fits the schema in strict mode, with nulls for omitted fields. Limits on sizes and amounts are ignored. */
function fits(part: JsonObject, value: unknown, root: JsonObject): boolean {
  const schema = resolved(part, root);
  const forms = formsOf(schema, "anyOf") as readonly JsonObject[] | undefined;
  if (forms !== undefined) return forms.some((form) => fits(form, value, root));
  const choices = formsOf(schema, "enum") ?? (schema["const"] === undefined ? undefined : [schema["const"]]);
  if (choices !== undefined && !choices.some((choice) => toJson(choice) === toJson(value))) return false;
  const { type, items } = schema;
  if (type !== undefined && ![type].flat().some((name) => isOf(name, value))) return false;
  if (Array.isArray(value)) return items === undefined || value.every((item) => fits(items as JsonObject, item, root));
  if (!isPlainObject(value)) return true;
  const required = (schema["required"] ?? []) as readonly string[];
  if (!required.every((name) => Object.hasOwn(value, name))) return false;
  return Object.entries(value).every(([name, field]) => {
    const given = fieldOf(schema, name);
    if (given === undefined) return false;
    return (field === null && isLeftOut(schema, name, root)) || fits(given, field, root);
  });
}

function isLeftOut(schema: JsonObject, name: string, root: JsonObject): boolean {
  const required = (schema["required"] ?? []) as readonly string[];
  const given = fieldOf(schema, name);
  return !required.includes(name) && given !== undefined && !acceptsNull(given, root);
}

function fieldOf(schema: JsonObject, name: string): JsonObject | undefined {
  const properties = (schema["properties"] ?? {}) as Readonly<Record<string, JsonObject>>;
  return Object.hasOwn(properties, name) ? properties[name] : undefined;
}

function isOf(type: unknown, value: unknown): boolean {
  switch (type) {
    case "null":
      return value === null;
    case "array":
      return Array.isArray(value);
    case "object":
      return isPlainObject(value);
    case "integer":
      return Number.isInteger(value);
    default:
      return typeof value === type;
  }
}

/** The schema that a reference names. Chains of references are followed. */
function resolved(part: JsonObject, root: JsonObject, seen: readonly unknown[] = []): JsonObject {
  const schema = plain(part);
  const { $ref } = schema;
  if (typeof $ref !== "string" || seen.includes($ref)) return schema;
  const [, group = "", name = ""] = $ref.split("/");
  const target = $ref === "#" ? root : (root[group] as Readonly<Record<string, JsonObject>> | undefined)?.[name];
  return target === undefined ? schema : resolved(target, root, [...seen, $ref]);
}
