// Replays collected outputs of real models, if they are present beside the repository.

import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/core/index.js";
import { readCall } from "../../../src/model/heal/index.js";
import type { CallReading, RawCall } from "../../../src/model/data/raw-reply.js";

const file = resolve(import.meta.dirname, "../../../../shared/cases/model-outputs.jsonl");

interface Expectation {
  readonly outcome: string;
  readonly calls?: readonly { readonly name: string; readonly args: JsonObject }[];
  readonly feedback_mentions?: readonly string[];
  readonly any_of?: readonly Expectation[];
}

interface WireFunction {
  readonly name: string | null;
  readonly arguments?: unknown;
  readonly parameters?: unknown;
}

interface Case {
  readonly id: string;
  readonly category: string;
  readonly shape: string;
  readonly raw_kind: string;
  readonly raw: {
    readonly choices: readonly {
      readonly message: { readonly tool_calls?: readonly { readonly function: WireFunction }[] };
    }[];
  };
  readonly tools: readonly {
    readonly function: { readonly name: string; readonly description: string; readonly parameters: JsonObject };
  }[];
  readonly expect: Expectation;
}

/** Cases that healing passes on unchanged, because another part of the loop refuses them. */
const refusedElsewhere: ReadonlyMap<string, "invalid_arguments" | "unknown_tool" | "permission" | "cut reply"> =
  new Map([
    ["arg-011", "invalid_arguments"],
    ["arg-014", "invalid_arguments"],
    ["arg-017", "invalid_arguments"],
    ["arg-052", "invalid_arguments"],
    ["arg-054", "invalid_arguments"],
    ["arg-066", "invalid_arguments"],
    ["arg-083", "cut reply"],
    ["arg-106", "permission"],
    ["arg-109", "permission"],
    ["arg-110", "permission"],
    ["name-008", "unknown_tool"],
    ["name-017", "unknown_tool"],
    ["name-022", "unknown_tool"],
    ["name-024", "unknown_tool"],
    ["name-025", "unknown_tool"],
  ]);

function textOf(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

function read(example: Case): readonly CallReading[] {
  const tools = example.tools.map((tool) => tool.function);
  const calls = example.raw.choices.flatMap((choice) => choice.message.tool_calls ?? []);
  return calls.map(({ function: written }) => {
    const call: RawCall = {
      id: "",
      name: written.name ?? "",
      arguments: textOf(written.arguments ?? written.parameters),
      extras: {},
    };
    return readCall(call, tools);
  });
}

/** True if the readings match the expectation. */
function meets(readings: readonly CallReading[], expected: Expectation): boolean {
  if (expected.outcome === "any_of") return (expected.any_of ?? []).some((each) => meets(readings, each));
  if (expected.outcome === "execute") {
    const calls = readings.map((reading) => (reading.ok ? { name: reading.name, args: reading.input } : reading));
    return JSON.stringify(calls) === JSON.stringify(expected.calls?.map(({ name, args }) => ({ name, args })));
  }
  const [only] = readings;
  if (expected.outcome !== "feedback" || only === undefined || only.ok) return false;
  const problem = only.problem.toLowerCase();
  return (expected.feedback_mentions ?? []).every((word) => problem.includes(word.toLowerCase()));
}

/** True if a required field is missing, a field has a wrong type, or a field is not declared. */
function isInvalid(reading: CallReading, example: Case): boolean {
  const tool = example.tools.find((each) => reading.ok && each.function.name === reading.name);
  if (!reading.ok || tool === undefined) return false;
  const input = reading.input as JsonObject;
  const { properties, required } = tool.function.parameters as unknown as {
    readonly properties: Readonly<Record<string, { readonly type: string }>>;
    readonly required: readonly string[];
  };
  const isWrong = ([name, value]: readonly [string, unknown]): boolean => {
    const type = properties[name]?.type;
    return type === "integer" ? !Number.isInteger(value) : type !== (Array.isArray(value) ? "array" : typeof value);
  };
  return required.some((name) => !Object.hasOwn(input, name)) || Object.entries(input).some(isWrong);
}

function check(example: Case): void {
  const readings = read(example);
  const refusedBy = refusedElsewhere.get(/^[a-z]+-\d+/.exec(example.id)?.[0] ?? "");
  if (refusedBy === undefined) {
    expect(meets(readings, example.expect), JSON.stringify(readings, null, 1).slice(0, 1000)).toBe(true);
    return;
  }
  expect(readings.length).toBeGreaterThan(0);
  for (const reading of readings) {
    expect(reading.ok).toBe(true);
    const isKnown = example.tools.some((tool) => tool.function.name === reading.name);
    expect(isKnown).toBe(refusedBy !== "unknown_tool");
    if (refusedBy === "invalid_arguments") expect(isInvalid(reading, example)).toBe(true);
  }
}

describe.skipIf(!existsSync(file))("the collected outputs (left out: they are not beside the repository)", () => {
  const lines = existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
  const examples = lines
    .map((line) => JSON.parse(line) as Case)
    .filter(({ category }) => ["arguments", "tool-name", "hostile"].includes(category))
    .filter(({ shape, raw_kind: kind }) => shape === "native" && kind === "completion");
  it.each(examples.map((example) => [example.id, example] as const))("are read as expected: %s", (_id, example) => {
    check(example);
  });
});
