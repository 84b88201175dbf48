// Reads the names of fields without white space around them, and removes fields that the schema does not declare, if no required field is
// missing: else one may be a misspelled name.

import type { JsonObject } from "../../core/index.js";
import type { Schema } from "./schema.js";
import { wrappers } from "./wrapping.js";
import { brief } from "./explain.js";

/** The arguments with the fields that the tool knows, and a repair for each field that was removed. */
export function withoutSurplus(
  written: JsonObject,
  schema: Schema,
): { readonly input: JsonObject; readonly repairs: readonly string[] } {
  const { names, required, isOpen, isClosed } = schema.fields();
  const input = withPlainNames(written, names);
  const trims = input === written ? [] : ["white space around the name of a field left out"];
  const surplus = Object.keys(input).filter((name) => !names.has(name));
  const isWhole = [...required].every((name) => Object.hasOwn(input, name));
  // A closed schema refuses unknown fields itself, and a schema without fields accepts any.
  if (surplus.length === 0 || isOpen || isClosed || names.size === 0 || !isWhole) return { input, repairs: trims };
  const kept = Object.entries(input).filter(([name]) => names.has(name));
  // If no field would be left, or a removed field may hold the arguments, something else was meant.
  if (kept.length === 0 || surplus.some((name) => wrappers.has(name))) return { input, repairs: trims };
  const repairs = surplus.slice(0, 20).map((name) => `the unknown field ${brief(name, 30)} left out`);
  return { input: Object.fromEntries(kept), repairs: [...trims, ...repairs] };
}

/** The arguments with the declared name for each name that differs from it by white space alone. A name that is given already stays. */
function withPlainNames(input: JsonObject, names: ReadonlySet<string>): JsonObject {
  const plain = (name: string): string => (names.has(name) || !names.has(name.trim()) ? name : name.trim());
  const entries = Object.entries(input).map(([name, item]) => [plain(name), item] as const);
  const isSame = entries.every(([name]) => Object.hasOwn(input, name));
  return isSame || new Set(entries.map(([name]) => name)).size < entries.length ? input : Object.fromEntries(entries);
}
