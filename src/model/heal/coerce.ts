// Converts values of the wrong type to the type that the schema declares, if exactly one reading exists.

import type { Json, JsonObject } from "../../core/index.js";
import { isPlainObject } from "../../core/internal.js";
import { readContainer } from "./arguments-text.js";
import { maxDepth } from "./lenient-json.js";
import { admits, kindOf, type Kinds } from "./kinds.js";
import { digitsOf, longNumberRepair, readScalar, withDigits } from "./scalar.js";
import { isSchema, propertiesOf, required, type Schema } from "./schema.js";
import { briefPath, longNumber, type Defect } from "./explain.js";

/** The most repairs that are reported, because a long list may need thousands. */
const maxRepairs = 20;

/**
 * Fits arguments to their schema. `leaves` says how they were written: `values` have JSON types, so each conversion is a
 * repair; `texts` come from a dialect without types, so reading them by the schema is no repair. A value that does not
 * fit and does not have exactly one reading stays unchanged: validation reports it to the model. There is a defect if a field of numbers
 * has a number that it can't keep.
 */
export function coerce(
  input: JsonObject,
  schema: Schema,
  leaves: "values" | "texts",
): { readonly input: Json; readonly repairs: readonly string[]; readonly defect?: Defect } {
  const coercion = new Coercion(schema, leaves === "texts");
  const fitted = coercion.fit(input, schema.root, "", 0);
  const { defect, holdsDigits } = coercion;
  const repairs = [...coercion.repairs];
  return { input: holdsDigits ? withDigits(fitted) : fitted, repairs, ...(defect !== undefined && { defect }) };
}

class Coercion {
  readonly repairs = new Set<string>();
  defect: Defect | undefined;
  /** True if a text that was read has long numbers. */
  holdsDigits = false;
  readonly #schema: Schema;
  readonly #isText: boolean;

  constructor(schema: Schema, isText: boolean) {
    this.#schema = schema;
    this.#isText = isText;
  }

  fit(value: Json, schema: Json | undefined, path: string, depth: number): Json {
    // Texts may hold JSON that nests again; this bounds the recursion.
    if (!isSchema(schema) || depth > 2 * maxDepth) return value;
    const kinds = this.#schema.kinds(schema);
    const fitting = admits(kinds, value) ? value : this.#convert(value, kinds, schema, path);
    if (!admits(kinds, fitting) || typeof fitting !== "object" || fitting === null) return fitting;
    return this.#fitParts(fitting, schema, path, depth);
  }

  /** The digits, for a field that takes this text. A field that takes numbers alone would get another number. */
  #fitDigits(digits: string, kinds: Kinds, path: string): Json {
    if (!admits(kinds, digits)) this.defect ??= longNumber(briefPath(path), digits);
    return digits;
  }

  #fitParts(value: Json, schema: JsonObject, path: string, depth: number): Json {
    const parts = this.#schema.parts(schema, value);
    const needed = required(parts);
    let fitting = value;
    for (const part of parts) {
      if (Array.isArray(fitting)) fitting = this.#fitList(fitting as readonly Json[], part, path, depth);
      else if (isPlainObject(fitting)) fitting = this.#fitObject(fitting, { part, needed, path, depth });
    }
    return fitting;
  }

  #fitList(list: readonly Json[], { items, prefixItems }: JsonObject, path: string, depth: number): Json {
    const first = (Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : []) as readonly Json[];
    if (first.length === 0 && !isSchema(items)) return list;
    return list.map((item, index) => this.fit(item, first[index] ?? items, `${path}[]`, depth + 1));
  }

  #fitObject(
    object: JsonObject,
    at: {
      readonly part: JsonObject;
      readonly needed: ReadonlySet<string>;
      readonly path: string;
      readonly depth: number;
    },
  ): JsonObject {
    const properties = propertiesOf(at.part);
    const others = at.part["additionalProperties"];
    const fitted: Record<string, Json> = {};
    for (const [name, item] of Object.entries(object)) {
      const path = at.path === "" ? name : `${at.path}.${name}`;
      const isDeclared = Object.hasOwn(properties, name);
      const schema = isDeclared ? properties[name] : others;
      const isLeftOut = item === null && isDeclared && !at.needed.has(name) && !this.#takesNull(schema);
      if (isLeftOut) this.#report(path, "null for an optional field left out");
      else fitted[name] = this.fit(item, schema, path, at.depth + 1);
    }
    return fitted;
  }

  #takesNull(schema: Json | undefined): boolean {
    return this.#schema.kinds(schema).types.has("null");
  }

  /** Converts a value to a fitting type if it has exactly one reading; else returns it unchanged. */
  #convert(value: Json, kinds: Kinds, schema: JsonObject, path: string): Json {
    if (typeof value !== "string") return this.#isText ? this.#listOf(value, kinds, schema) : value;
    const digits = digitsOf(value);
    if (digits !== undefined) return this.#fitDigits(digits, kinds, path);
    const text = this.#isText ? value.trim() : value;
    if (this.#isText && kinds.types.has("string") && admits(kinds, text)) return text;
    const scalar = readScalar(text, kinds);
    if (scalar !== undefined) {
      this.#report(path, `a text read as ${kindOf(scalar)}`);
      return scalar;
    }
    if (!kinds.types.has("array") && !kinds.types.has("object")) return value;
    const read = readContainer(text);
    if (read === undefined || !admits(kinds, read.value)) return value;
    this.#report(path, `a text read as ${kindOf(read.value)}`);
    this.holdsDigits ||= read.repairs.includes(longNumberRepair);
    for (const repair of read.repairs) this.#add(`${briefPath(path)}: ${repair}`);
    return read.value;
  }

  /** Unwraps a list that was written as elements: `<edits><edit>..</edit></edits>` arrives as { edit: .. }. */
  #listOf(value: Json, kinds: Kinds, schema: JsonObject): Json {
    if (!isPlainObject(value) || !kinds.types.has("array") || kinds.types.has("object")) return value;
    const [[name, only] = [], ...others] = Object.entries(value as JsonObject);
    if (name === undefined || only === undefined || others.length > 0) return value;
    const elements = this.#schema.parts(schema, []).flatMap(({ items }) => (isSchema(items) ? [items] : []));
    // If the elements have a field of this name, the object could be the only element.
    const isField = elements.some((items) => {
      return this.#schema.parts(items, value).some((part) => Object.hasOwn(propertiesOf(part), name));
    });
    if (isField) return value;
    if (Array.isArray(only)) return only as Json;
    if (typeof only === "object") return [only];
    // A single text becomes a list of one element only if the elements are scalars.
    const isScalar = elements.some((items) => {
      const { types } = this.#schema.kinds(items);
      return !types.has("object") && !types.has("array");
    });
    return isScalar ? [only] : value;
  }

  /** Adds a repair, unless the arguments were texts without types. */
  #report(path: string, repair: string): void {
    if (!this.#isText) this.#add(`${briefPath(path)}: ${repair}`);
  }

  #add(repair: string): void {
    if (this.repairs.size < maxRepairs) this.repairs.add(repair);
  }
}
