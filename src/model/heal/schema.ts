// Reads the parts of a JSON Schema that healing needs: types, fields and references. Validation is core's work.

import { decodeName } from "../data/decode-name.js";
import type { Json, JsonObject } from "../../core/index.js";
import { isPlainObject } from "../../core/internal.js";
import { admits, anything, both, either, kindsOfType, kindsOfValues, type Kinds } from "./kinds.js";

/** The fields that a schema declares for an object. */
export interface Fields {
  readonly names: ReadonlySet<string>;
  readonly required: ReadonlySet<string>;
  /** True if names that are not declared may be valid too: by additional or pattern properties, or by `anyOf` or `oneOf`. */
  readonly isOpen: boolean;
  /** True if the schema refuses other names. */
  readonly isClosed: boolean;
  /** True if the schema has no parts elsewhere: no references, `allOf`, `anyOf` or `oneOf` at its top. */
  readonly isPlain: boolean;
}

/** The schemas that were read in this process, by their roots. */
const read = new WeakMap<JsonObject, Schema>();

/** Returns the reader of a schema. It is the same reader each time, since the parameters of a tool never change. */
export function schemaOf(root: JsonObject): Schema {
  const schema = read.get(root) ?? new Schema(root);
  read.set(root, schema);
  return schema;
}

/** Reads one tool's schema. Results are kept, so that each part is read once. */
export class Schema {
  readonly root: JsonObject;
  readonly #kinds = new Map<JsonObject, Kinds>();
  #fields: Fields | undefined;

  constructor(root: JsonObject) {
    this.root = root;
  }

  /** The kinds that a schema accepts. */
  kinds(schema: Json | undefined): Kinds {
    if (!isSchema(schema)) return anything;
    const known = this.#kinds.get(schema);
    if (known !== undefined) return known;
    // A schema that refers to itself adds no restriction.
    this.#kinds.set(schema, anything);
    let kinds = kindsOfType(schema["type"], schema["nullable"] === true);
    if (schema["const"] !== undefined) kinds = both(kinds, kindsOfValues([schema["const"]]));
    if (Array.isArray(schema["enum"])) kinds = both(kinds, kindsOfValues(schema["enum"] as readonly Json[]));
    for (const part of [...listOf(schema["allOf"]), this.#target(schema)]) kinds = both(kinds, this.kinds(part));
    for (const forms of formsOf(schema)) kinds = both(kinds, either(forms.map((form) => this.kinds(form))));
    this.#kinds.set(schema, kinds);
    return kinds;
  }

  /** The schemas that apply to this list or object: the schema, its `allOf`, its reference, and the only form that fits. */
  parts(schema: JsonObject, value: Json): readonly JsonObject[] {
    const parts = new Set([schema]);
    // A set may grow during iteration. It holds each schema once, so circular references end.
    for (const part of parts) {
      const forms = formsOf(part).map((each) => this.#fittingForm(each, value));
      for (const next of [...listOf(part["allOf"]), this.#target(part), ...forms]) if (isSchema(next)) parts.add(next);
    }
    return [...parts];
  }

  /**
   * True if these arguments need no healing, as far as a quick look tells. The schema has no forms and references and declares all of their
   * fields. They have all that it requires, and each field is a scalar that it accepts.
   */
  fits(input: JsonObject): boolean {
    const { names, required: needed, isPlain } = this.fields();
    if (!isPlain || !admits(this.kinds(this.root), input)) return false;
    const properties = propertiesOf(this.root);
    for (const name of needed) if (!Object.hasOwn(input, name)) return false;
    return Object.entries(input).every(
      ([name, item]) =>
        names.has(name) && (item === null || typeof item !== "object") && admits(this.kinds(properties[name]), item),
    );
  }

  /** The fields of the arguments. */
  fields(): Fields {
    this.#fields ??= this.#readFields();
    return this.#fields;
  }

  #readFields(): Fields {
    const parts = this.parts(this.root, {});
    const isOpen = parts.some((part) => {
      const { additionalProperties: others, patternProperties: patterns } = part;
      return others === true || isPlainObject(others) || patterns !== undefined || formsOf(part).length > 0;
    });
    return {
      names: new Set(parts.flatMap((part) => Object.keys(propertiesOf(part)))),
      required: required(parts),
      isOpen,
      isClosed: parts.some((part) => part["additionalProperties"] === false),
      isPlain: parts.length === 1 && formsOf(this.root).length === 0,
    };
  }

  /** The schema that `$ref` names: `#`, or an entry of `$defs` or `definitions`. */
  #target(schema: JsonObject): Json | undefined {
    const reference = schema["$ref"];
    if (reference === "#") return this.root;
    if (typeof reference !== "string") return undefined;
    const [, group = "", name = ""] = /^#\/(\$defs|definitions)\/([^/]+)$/.exec(reference) ?? [];
    const definitions = this.root[group];
    if (!isSchema(definitions)) return undefined;
    const plain = decodeName(name);
    return Object.hasOwn(definitions, plain) ? definitions[plain] : undefined;
  }

  /** The only form that the value can be meant as; undefined if none or several are possible. */
  #fittingForm(forms: readonly Json[], value: Json): Json | undefined {
    const possible = forms.filter((form) => admits(this.kinds(form), value) && this.#agrees(form, value));
    if (possible.length < 2) return possible[0];
    const full = possible.filter((form) => {
      const needed = isSchema(form) ? required([form, this.#target(form)].filter(isSchema)) : new Set<string>();
      return [...needed].every((name) => isPlainObject(value) && Object.hasOwn(value, name));
    });
    return full.length === 1 ? full[0] : undefined;
  }

  /** False if a field that distinguishes the forms (`type: "circle"`) has a value of another form. */
  #agrees(form: Json, value: Json): boolean {
    if (!isPlainObject(value)) return true;
    const properties = [form, isSchema(form) ? this.#target(form) : undefined].filter(isSchema).flatMap((part) => {
      return Object.entries(propertiesOf(part));
    });
    return properties.every(([name, property]) => {
      const item = Object.hasOwn(value, name) ? (value[name] as Json) : undefined;
      return typeof item !== "string" || (this.kinds(property).texts?.has(item) ?? true);
    });
  }
}

/** True for a schema that is an object. The schemas `true` and `false` do not help healing. */
export function isSchema(value: Json | undefined): value is JsonObject {
  return isPlainObject(value);
}

/** The declared fields, by name. */
export function propertiesOf(schema: JsonObject): JsonObject {
  return isSchema(schema["properties"]) ? schema["properties"] : {};
}

/** The names of the fields that at least one of these schemas requires. */
export function required(parts: readonly JsonObject[]): ReadonlySet<string> {
  return new Set(parts.flatMap((part) => listOf(part["required"])).filter((name) => typeof name === "string"));
}

function formsOf(schema: JsonObject): readonly (readonly Json[])[] {
  return [listOf(schema["anyOf"]), listOf(schema["oneOf"])].filter((forms) => forms.length > 0);
}

function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? (value as readonly Json[]) : [];
}
