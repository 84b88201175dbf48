// Short ways to describe a tool and to read a call, for the tests of healing.

import type { Json, JsonObject, ToolDescription } from "../../../src/core/index.js";
import { readCall } from "../../../src/model/heal/index.js";
import type { CallReading } from "../../../src/model/data/raw-reply.js";

/** A tool `edit` with these fields. */
export function toolWith(
  properties: JsonObject,
  required: readonly string[] = [],
  rest: JsonObject = {},
): ToolDescription {
  return { name: "edit", description: "", parameters: { type: "object", properties, required, ...rest } };
}

/** Reads a call of `edit`. */
export function read(source: string | JsonObject, tool: ToolDescription = toolWith({})): CallReading {
  return readCall({ id: "", name: "edit", arguments: source, extras: {} }, [tool]);
}

/** The input that was read; the whole reading if it failed. */
export function inputOf(source: string | JsonObject, tool?: ToolDescription): Json | CallReading {
  const reading = read(source, tool);
  return reading.ok ? reading.input : reading;
}

/** The problem of the call; empty if it has none. */
export function problemOf(source: string | JsonObject, tool?: ToolDescription): string {
  const reading = read(source, tool);
  return reading.ok ? "" : reading.problem;
}

/** The kind of failure; `ok` if the call was read. */
export function kindOf(source: string | JsonObject, tool?: ToolDescription): string {
  const reading = read(source, tool);
  return reading.ok ? "ok" : reading.kind;
}
