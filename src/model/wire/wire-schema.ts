// Writes the schema of a tool's arguments in the form that every provider takes. Healing and validation use the schema itself.

import type { Json, JsonObject, ToolDescription } from "../../core/index.js";
import { isPlainObject } from "../../core/internal.js";

const written = new WeakMap<ToolDescription, ToolDescription>();

/**
 * The tool with its schema as providers take it. A provider refuses the whole request for one schema of another form. So the root has
 * `properties`, and no `oneOf`, `anyOf`, `allOf`, `not` or `enum`: its forms become one list of fields. Each array has one schema for its
 * items: a tuple becomes an array of its kinds of items, and its description has the order. A schema without such parts stays as it is.
 */
export function wireTool(tool: ToolDescription): ToolDescription {
  const known = written.get(tool);
  if (known !== undefined) return known;
  const { parameters } = tool;
  const flat = withoutForms(parameters, parameters);
  const schema = flat["properties"] === undefined ? { ...flat, properties: {} } : flat;
  const mended = mend(schema);
  const wire = mended === parameters ? tool : { ...tool, parameters: mended };
  written.set(tool, wire);
  return wire;
}

/** The keywords that no provider takes at the root, besides those that list forms. */
const notAtRoot = ["not", "enum", "const"];
const alternatives = ["oneOf", "anyOf"];

/** An object schema whose forms became fields. Fields that not every alternative requires are optional. */
function withoutForms(schema: JsonObject, root: JsonObject, depth = 0): JsonObject {
  if (![...alternatives, "allOf", ...notAtRoot].some((keyword) => schema[keyword] !== undefined)) return schema;
  const { oneOf: _oneOf, anyOf: _anyOf, allOf, not: _not, enum: _enum, const: _const, ...rest } = schema;
  // A schema that refers to itself adds no fields.
  if (depth > 8) return rest;
  const flat = (part: Json): JsonObject => withoutForms(targetOf(part, root), root, depth + 1);
  let fields: JsonObject = rest;
  for (const part of listOf(allOf).map(flat))
    fields = joined(fields, part, [...requiredOf(fields), ...requiredOf(part)]);
  for (const keyword of alternatives) {
    const forms = listOf(schema[keyword]).map(flat);
    if (forms.length > 0) fields = withAlternatives(fields, forms);
  }
  return fields;
}

/** Adds the fields of forms of which one is to be chosen. The description says which belong together. */
function withAlternatives(fields: JsonObject, forms: readonly JsonObject[]): JsonObject {
  const [first, ...others] = forms.map((form) => requiredOf(form));
  const inAll = (first ?? []).filter((name) => others.every((names) => names.includes(name)));
  const before = fields;
  let joint = fields;
  for (const form of forms) joint = joined(joint, form, [...requiredOf(before), ...inAll]);
  const described = forms.slice(0, mostForms).map((form) => inWords(form, before));
  const distinct = [...new Set(described)].filter((words) => words !== "{}");
  if (distinct.length < 2) return joint;
  return describe(joint, `Give the fields of one of these forms: ${distinct.join(" or ")}.`);
}

/** Forms that a description names. */
const mostForms = 10;

/** The fields that the form requires beyond those before, with their values if only one is possible: `{type: "circle", radius}`. */
function inWords(form: JsonObject, before: JsonObject): string {
  const properties = propertiesOf(form);
  const names = requiredOf(form).filter((name) => !requiredOf(before).includes(name));
  const fields = names.map((name) => {
    const { const: value } = isPlainObject(properties[name]) ? (properties[name] as JsonObject) : {};
    return value === undefined ? name : `${name}: ${JSON.stringify(value)}`;
  });
  return `{${fields.join(", ")}}`;
}

/** One schema with the fields of both. */
function joined(one: JsonObject, other: JsonObject, required: readonly string[]): JsonObject {
  const properties: Record<string, Json> = { ...propertiesOf(one) };
  for (const [name, schema] of Object.entries(propertiesOf(other))) {
    const known = Object.hasOwn(properties, name) ? properties[name] : undefined;
    properties[name] = known === undefined ? schema : anyOf([known, schema]);
  }
  const { required: _required, ...rest } = one;
  const names = [...new Set(required)];
  const definitions = Object.fromEntries(
    ["$defs", "definitions"].flatMap((key) =>
      one[key] === undefined && other[key] !== undefined ? [[key, other[key]]] : [],
    ),
  );
  // A form that is closed would refuse the fields of the other forms.
  const { additionalProperties: others, ...open } = rest;
  const isOpened = others === false && Object.keys(properties).length > Object.keys(propertiesOf(one)).length;
  return {
    ...open,
    ...(others !== undefined && !isOpened && { additionalProperties: others }),
    ...definitions,
    properties,
    ...(names.length > 0 && { required: names }),
  };
}

/** A schema for values that fit one of these. Constants become one list of values. */
function anyOf(schemas: readonly Json[]): Json {
  const all = schemas.flatMap((schema) =>
    isPlainObject(schema) && isOnlyForms(schema) ? listOf(schema["anyOf"]) : [schema],
  );
  const distinct = [...new Map(all.map((schema) => [JSON.stringify(schema), schema])).values()];
  const [first, ...others] = distinct;
  if (first !== undefined && others.length === 0) return first;
  const values = distinct.map(valuesOf);
  if (!values.every((list) => list !== undefined)) return { anyOf: distinct };
  const types = new Set(distinct.map((schema) => (schema as JsonObject)["type"]));
  const [type] = types;
  return { ...(types.size === 1 && type !== undefined && { type }), enum: [...new Set(values.flat())] };
}

function isOnlyForms(schema: Readonly<Record<string, unknown>>): boolean {
  return Object.keys(schema).join(" ") === "anyOf";
}

/** The only values of a schema that says nothing else; undefined for any other schema. */
function valuesOf(schema: Json): readonly Json[] | undefined {
  if (!isPlainObject(schema)) return undefined;
  const { type: _type, const: value, enum: values, ...rest } = schema as JsonObject;
  if (Object.keys(rest).length > 0) return undefined;
  if (value !== undefined) return [value];
  return Array.isArray(values) ? (values as readonly Json[]) : undefined;
}

/** Keywords whose value is a schema, a list of schemas, or a table of schemas. */
const schemas = new Set([
  ...["additionalProperties", "contains", "else", "if", "items", "not", "propertyNames", "then"],
  ...["unevaluatedItems", "unevaluatedProperties"],
]);
const lists = new Set(["allOf", "anyOf", "oneOf"]);
const tables = new Set(["$defs", "definitions", "dependentSchemas", "patternProperties", "properties"]);

/** The schema with one schema for the items of each array, at every depth. It is the same object if nothing was to be mended. */
function mend(schema: JsonObject): JsonObject {
  const whole = withItems(schema);
  const entries = Object.entries(whole).map(([keyword, value]) => [keyword, mendUnder(keyword, value)] as const);
  const isSame = whole === schema && entries.every(([keyword, value]) => value === schema[keyword]);
  return isSame ? schema : Object.fromEntries(entries);
}

function mendUnder(keyword: string, value: Json): Json {
  if (schemas.has(keyword)) return mendPart(value);
  if (lists.has(keyword) && Array.isArray(value)) {
    const parts = value as readonly Json[];
    const mended = parts.map(mendPart);
    return mended.every((part, index) => part === parts[index]) ? parts : mended;
  }
  if (!tables.has(keyword) || !isPlainObject(value)) return value;
  const mended = Object.entries(value as JsonObject).map(([name, part]) => [name, mendPart(part)] as const);
  return mended.every(([name, part]) => part === value[name]) ? value : Object.fromEntries(mended);
}

function mendPart(part: Json): Json {
  return isPlainObject(part) ? mend(part) : part;
}

/** An array schema with `items` that are one schema. */
function withItems(schema: JsonObject): JsonObject {
  const { items, prefixItems, additionalItems, ...rest } = schema;
  const isArray = [schema["type"]].flat().includes("array");
  const places = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : undefined;
  if (places === undefined) return isArray && !isPlainObject(items) ? { ...schema, items: {} } : schema;
  const list = places as readonly Json[];
  const more = Array.isArray(items) ? additionalItems : items;
  const kinds = [...list, ...(isPlainObject(more) ? [more as Json] : [])].map((kind) =>
    isPlainObject(kind) ? kind : {},
  );
  const ends = more === false && rest["maxItems"] === undefined ? { maxItems: list.length } : {};
  const mended = { ...rest, ...ends, items: kinds.length === 0 ? {} : anyOf(kinds) };
  const order = list.slice(0, mostPlaces).map(kindOf);
  // Equal kinds have no order to tell.
  return new Set(order).size > 1 ? describe(mended, `In this order: ${order.join(", ")}.`) : mended;
}

/** Places of a tuple that a description names. */
const mostPlaces = 20;

/** A word or two for the values of a schema. */
function kindOf(schema: Json): string {
  const { title, description, type, const: value } = isPlainObject(schema) ? (schema as JsonObject) : {};
  const named = [title, description].filter(isText).find(({ length }) => length <= 40);
  const kind = value === undefined ? [type].flat().filter(isText).join(" or ") || "any value" : JSON.stringify(value);
  return named === undefined ? kind : `${named} (${kind})`;
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function describe(schema: JsonObject, words: string): JsonObject {
  const { description } = schema;
  return {
    ...schema,
    description: typeof description === "string" && description !== "" ? `${description} ${words}` : words,
  };
}

/** The schema that a reference names; the schema itself without one. */
function targetOf(schema: Json, root: JsonObject): JsonObject {
  if (!isPlainObject(schema)) return {};
  const { $ref: reference } = schema;
  const [, group = "", name = ""] = isText(reference)
    ? (/^#\/(\$defs|definitions)\/([^/]+)$/.exec(reference) ?? [])
    : [];
  const definitions = root[group];
  const target = isPlainObject(definitions) ? definitions[name] : undefined;
  return isPlainObject(target) ? target : schema;
}

function propertiesOf({ properties }: JsonObject): JsonObject {
  return isPlainObject(properties) ? properties : {};
}

function requiredOf({ required }: JsonObject): readonly string[] {
  return Array.isArray(required) ? (required as readonly unknown[]).filter(isText) : [];
}

function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? (value as readonly Json[]) : [];
}
