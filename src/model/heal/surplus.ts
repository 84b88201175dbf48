// Removes fields that the schema does not declare, if no required field is missing: else one may be a misspelled name.

import type { JsonObject } from "../../core/index.js";
import type { Schema } from "./schema.js";
import { wrappers } from "./wrapping.js";
import { brief } from "./explain.js";

/** The arguments without the fields that the tool does not know, and a repair for each field that was removed. */
export function withoutSurplus(
  input: JsonObject,
  schema: Schema,
): { readonly input: JsonObject; readonly repairs: readonly string[] } {
  const { names, required, isOpen, isClosed } = schema.fields();
  const surplus = Object.keys(input).filter((name) => !names.has(name));
  const isWhole = [...required].every((name) => Object.hasOwn(input, name));
  // A closed schema refuses unknown fields itself, and a schema without fields accepts any.
  if (surplus.length === 0 || isOpen || isClosed || names.size === 0 || !isWhole) return { input, repairs: [] };
  const kept = Object.entries(input).filter(([name]) => names.has(name));
  // If no field would be left, or a removed field may hold the arguments, something else was meant.
  if (kept.length === 0 || surplus.some((name) => wrappers.has(name))) return { input, repairs: [] };
  const repairs = surplus.slice(0, 20).map((name) => `the unknown field ${brief(name, 30)} left out`);
  return { input: Object.fromEntries(kept), repairs };
}
