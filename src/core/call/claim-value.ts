// The value of an accepted claim: the form that a journal keeps, and the value that the outcome has.

import type { Call } from "../data/call.js";
import { deepCopy, deepFreeze, isKeptByJson, toJson, type Json } from "../data/json.js";
import type { ClaimRecord, ParkedRecord } from "../journal/record.js";
import type { CompiledTool, Toolbox } from "../ports/toolbox.js";
import { validate } from "./resolve.js";

/** The fields of a claim record that hold its value. */
export type StoredValue = Pick<ClaimRecord, "value" | "source">;

/**
 * The stored form of a value that has JSON. A value with dates, for example, is more than its JSON: then `source` is the JSON that the
 * tool's schema reads as this value. It is the value's own JSON if the schema reads that back, and the written arguments otherwise.
 */
export async function storeValue(tool: CompiledTool | undefined, value: unknown, call: Call): Promise<StoredValue> {
  const text = toJson(value) ?? "null";
  const json = deepFreeze(JSON.parse(text) as Json);
  if (tool === undefined || isKeptByJson(value)) return { value: json };
  for (const source of [json, ...(call.type === "call" ? [call.input] : [])]) {
    const validation = await validate(tool, source);
    if (validation.ok && toJson(validation.value) === text) return { value: json, source };
  }
  return { value: json };
}

/**
 * The value that an outcome has for this claim, whether its run has just ended or its journal was read. It belongs to the caller.
 * If the schema no longer reads the source, the value is its JSON.
 */
export async function readValue(
  tools: Toolbox,
  { by, value, source }: Pick<ClaimRecord, "by" | "value" | "source">,
): Promise<unknown> {
  const tool = source === undefined ? undefined : tools.find(by);
  const validation = tool === undefined ? undefined : await validate(tool, deepCopy(source));
  return deepCopy(validation?.ok === true ? validation.value : value);
}

/** The input that an outcome has for a parked call: as the tool's schema reads it, or its JSON. It belongs to the caller. */
export function readInput(
  tools: Toolbox,
  { name, input, source }: Pick<ParkedRecord, "name" | "input" | "source">,
): Promise<unknown> {
  return readValue(tools, { by: name, value: input, ...(source !== undefined && { source }) });
}
