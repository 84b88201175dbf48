// Fields that the schema does not have: left out where nothing is missing, so that they can't be a name written wrong.

import type { JsonObject } from "../../core/index.js";
import type { Schema } from "./schema.js";
import { wrappers } from "./wrapping.js";
import { brief } from "./explain.js";

/** Arguments without the fields that their tool could not use, and what was left out. */
export function withoutSurplus(
  input: JsonObject,
  schema: Schema,
): { readonly input: JsonObject; readonly repairs: readonly string[] } {
  const { names, required, isOpen, isClosed } = schema.fields();
  const surplus = Object.keys(input).filter((name) => !names.has(name));
  const isWhole = [...required].every((name) => Object.hasOwn(input, name));
  // A closed schema refuses them itself, and one without any field takes what comes.
  if (surplus.length === 0 || isOpen || isClosed || names.size === 0 || !isWhole) return { input, repairs: [] };
  const kept = Object.entries(input).filter(([name]) => names.has(name));
  // Where nothing would be left, or what goes may hold the arguments, something else was meant.
  if (kept.length === 0 || surplus.some((name) => wrappers.has(name))) return { input, repairs: [] };
  const repairs = surplus.slice(0, 20).map((name) => `the unknown field ${brief(name, 30)} left out`);
  return { input: Object.fromEntries(kept), repairs };
}
