// Reads a call: finds the tool that is meant, and reads and repairs the arguments.

import type { JsonObject, ToolDescription } from "../../core/index.js";
import type { CallReading, RawCall } from "../data/raw-reply.js";
import { readArguments } from "./arguments-text.js";
import { coerce } from "./coerce.js";
import { readFields } from "./fields.js";
import { longNumberRepair, withDigits } from "./scalar.js";
import { schemaOf, type Schema } from "./schema.js";
import { swallowedMarkup } from "./swallowed.js";
import { withoutSurplus } from "./surplus.js";
import { findToolName } from "./tool-name.js";
import { brief } from "./explain.js";
import { unwrap } from "./wrapping.js";

/**
 * Reads a call for these tools. Mistakes with exactly one reading are repaired, and each repair is reported. Nothing is
 * guessed if there are two readings, or if the text ends too early. Core decides whether the tool exists and whether the
 * arguments fit the schema: the name of an unknown tool is returned unchanged. Pure; takes time linear in the arguments.
 */
export function readCall(call: RawCall, tools: readonly ToolDescription[]): CallReading {
  if (call.name.trim() === "") {
    const problem = "The call has no name, so no tool was meant. Write the name of a tool.";
    return { ok: false, kind: "malformed_call", name: "", problem };
  }
  const tool = findTool(call.name, tools);
  return tool === undefined ? readUnknown(call) : readKnown(call, tool);
}

function findTool(written: string, tools: readonly ToolDescription[]): ToolDescription | undefined {
  const named = tools.find(({ name }) => name === written);
  if (named !== undefined) return named;
  const meant = findToolName(
    written,
    tools.map(({ name }) => name),
  );
  return tools.find(({ name }) => name === meant);
}

/** Reads the call of an unknown tool. It will not run, so arguments that can't be read become empty. */
function readUnknown({ name, arguments: source }: RawCall): CallReading {
  const reading = typeof source === "string" ? readArguments(source, []) : readFields(source);
  if (!reading.ok) return { ok: true, name, input: {}, repairs: [] };
  return { ok: true, name, input: withDigits(reading.input), repairs: reading.repairs };
}

function readKnown(
  { name: writtenName, arguments: source }: RawCall,
  { name, parameters }: ToolDescription,
): CallReading {
  const schema = schemaOf(parameters);
  const isText = typeof source === "string";
  const reading = isText ? readArguments(source, [...schema.fields().required]) : readFields(source);
  if (!reading.ok) return { ok: false, name, ...reading.defect };
  const fits = !holdsDigits(reading) && schema.fits(reading.input);
  const inner = fits ? undefined : unwrap(reading.input, new Set([name, writtenName]), schema);
  const { input } = inner ?? reading;
  const markup = swallowedMarkup(input);
  if (markup !== undefined) return { ok: false, name, ...markup };
  const fitted: ReturnType<typeof coerce> = fits
    ? { input, repairs: [] }
    : fit(input, schema, isText ? "values" : "texts");
  if (fitted.defect !== undefined) return { ok: false, name, ...fitted.defect };
  const repairs = [
    ...(name === writtenName ? [] : [`the name ${brief(writtenName)} read as ${name}`]),
    ...reading.repairs,
    ...(inner?.repairs ?? []),
    ...fitted.repairs,
  ];
  const isLong = holdsDigits(reading) || (inner !== undefined && holdsDigits(inner));
  return { ok: true, name, input: isLong ? withDigits(fitted.input) : fitted.input, repairs };
}

/** True if the reading has numbers with more digits than a number keeps. */
function holdsDigits({ repairs }: { readonly repairs: readonly string[] }): boolean {
  return repairs.includes(longNumberRepair);
}

/** Leaves out fields that the tool does not know, and converts values to the types that the schema declares. */
function fit(input: JsonObject, schema: Schema, leaves: "values" | "texts"): ReturnType<typeof coerce> {
  const known = withoutSurplus(input, schema);
  const coerced = coerce(known.input, schema, leaves);
  return { ...coerced, repairs: [...known.repairs, ...coerced.repairs] };
}
