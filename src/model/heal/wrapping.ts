// Removes a wrapper around the arguments that the schema does not declare: {"arguments": {...}}, {"name": "this_tool", "input": {...}}.

import type { JsonObject } from "../../core/index.js";
import { isPlainObject } from "../../core/internal.js";
import { readArguments } from "./arguments-text.js";
import type { Schema } from "./schema.js";

/** Keys under which models nest the arguments. */
export const wrappers: ReadonlySet<string> = new Set(["arguments", "parameters", "input"]);

/** Arguments taken out of a wrapper. */
export interface Unwrapped {
  readonly input: JsonObject;
  /** The repairs that were made, worded for people. */
  readonly repairs: readonly string[];
}

/** The arguments without their wrapper; undefined if there is no wrapper, or it could be meant as a field. */
export function unwrap(input: JsonObject, names: ReadonlySet<string>, schema: Schema): Unwrapped | undefined {
  const keys = Object.keys(input);
  if (keys.length === 0 || keys.length > 2) return undefined;
  const wrapper = keys.find((key) => wrappers.has(key));
  if (wrapper === undefined) return undefined;
  const name = input["name"];
  if (keys.length === 2 && !(typeof name === "string" && names.has(name))) return undefined;
  const fields = schema.fields();
  if (fields.isOpen || keys.some((key) => fields.names.has(key))) return undefined;
  const inner = innerOf(input[wrapper]);
  if (inner === undefined || [...fields.required].some((field) => !Object.hasOwn(inner.input, field))) return undefined;
  const innerKeys = Object.keys(inner.input);
  return innerKeys.length === 0 || innerKeys.some((key) => fields.names.has(key)) ? inner : undefined;
}

function innerOf(value: unknown): Unwrapped | undefined {
  const repair = "a wrapper around the arguments left out";
  if (isPlainObject(value)) return { input: value as JsonObject, repairs: [repair] };
  if (typeof value !== "string" || !/^\s*\{/.test(value)) return undefined;
  const reading = readArguments(value, []);
  return reading.ok ? { input: reading.input, repairs: [repair, ...reading.repairs] } : undefined;
}
