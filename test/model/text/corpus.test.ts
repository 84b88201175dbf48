// Replays the corpus of model outputs with calls in the text, if the corpus is present.

import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, test } from "vitest";
import type { JsonObject, ToolDescription } from "../../../src/core/index.js";
import { findCalls } from "../../../src/model/text/index.js";
import type { BrokenCall, RawCall } from "../../../src/model/data/raw-reply.js";

interface Expectation {
  readonly outcome: string;
  readonly calls?: readonly { readonly name: string; readonly args: JsonObject }[];
  readonly any_of?: readonly Expectation[];
  readonly feedback_mentions?: readonly string[];
  readonly feedback_for?: readonly string[];
  readonly must_not?: readonly string[];
}

interface Case {
  readonly id: string;
  readonly shape: string;
  readonly raw: string | { readonly generator: string; readonly bytes: number };
  readonly tools: readonly { readonly function: ToolDescription }[];
  readonly finish_reason?: string;
  readonly expect: Expectation;
}

const corpus = resolve(import.meta.dirname, "../../../../shared/cases/model-outputs.jsonl");

function readCases(): readonly Case[] {
  if (!existsSync(corpus)) return [];
  const lines = readFileSync(corpus, "utf8").split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as Case);
}

const cases = readCases().filter(({ shape }) => shape === "xml" || shape === "text");

function textOf({ raw }: Case): string {
  if (typeof raw === "string") return raw;
  const content = "x".repeat(raw.bytes);
  return `<tool>\n<tool_name>write_file</tool_name>\n<arguments>\n<path>a.txt</path>\n<content>${content}</content>\n</arguments>\n</tool>`;
}

/** The arguments as an object; undefined for invalid JSON, which the next reader refuses. */
function argumentsOf(call: RawCall): JsonObject | undefined {
  let value: unknown = call.arguments;
  try {
    if (typeof value === "string") value = JSON.parse(value);
  } catch {
    return undefined;
  }
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;
}

/** True for equal values, or if the actual value is the JSON text of the wanted one. */
function isSame(found: unknown, wanted: unknown): boolean {
  if (typeof found === "string" && typeof wanted !== "string")
    return JSON.stringify(wanted) === found.replaceAll(", ", ",");
  if (typeof wanted !== "object" || wanted === null || typeof found !== "object" || found === null)
    return found === wanted;
  const [left, right] = [Object.entries(found), Object.entries(wanted)];
  const actual = new Map(left);
  return (
    left.length === right.length && right.every(([name, value]) => actual.has(name) && isSame(actual.get(name), value))
  );
}

function isRunnable(call: RawCall, tools: readonly ToolDescription[]): boolean {
  const tool = tools.find(({ name }) => name === call.name);
  const input = argumentsOf(call);
  const required = (tool?.parameters["required"] ?? []) as readonly string[];
  return tool !== undefined && input !== undefined && required.every((name) => Object.hasOwn(input, name));
}

/** The difference from the expectation, in words; empty if it is met. */
function judge(found: readonly (RawCall | BrokenCall)[], item: Case, expectation: Expectation): string {
  const tools = item.tools.map((tool) => tool.function);
  const read = found.filter((call): call is RawCall => !("problem" in call));
  const broken = found.filter((call): call is BrokenCall => "problem" in call);
  const { outcome, calls = [], feedback_mentions: words = [], any_of: choices = [] } = expectation;
  const runnable = read.filter((call) => isRunnable(call, tools));
  const isRight =
    runnable.length === calls.length &&
    calls.every((call, index) => {
      const own = runnable[index];
      return own?.name === call.name && isSame(argumentsOf(own), call.args);
    });
  const shown = JSON.stringify(found);
  switch (outcome) {
    case "any_of": {
      const problems = choices.map((choice) => judge(found, item, choice));
      return problems.includes("") ? "" : problems.join(" / ");
    }
    case "execute":
      return isRight && found.length === calls.length ? "" : `wrong calls: ${shown}`;
    case "mixed":
      return isRight && found.length > calls.length ? "" : `wrong calls: ${shown}`;
    case "feedback": {
      if (runnable.length > 0) return `would run: ${shown}`;
      const missing = words.filter(
        (word) => !broken.every(({ problem }) => problem.toLowerCase().includes(word.toLowerCase())),
      );
      return broken.length === 0 || missing.length === 0 ? "" : `no word of ${missing.join(", ")}: ${shown}`;
    }
    default:
      return `the outcome ${outcome} is unknown`;
  }
}

describe("the corpus of model outputs", () => {
  const absent = cases.length === 0 ? " (left out: the corpus is not beside this clone)" : "";
  test.skipIf(cases.length === 0)(`has cases of calls in texts${absent}`, () => {
    expect(cases.length).toBeGreaterThan(80);
  });

  test.each(cases.map((item) => [item.id, item] as const))("%s", async (_id, item) => {
    const { calls } = await findCalls(
      textOf(item),
      item.tools.map((tool) => tool.function),
    );
    // No call of a cut reply is run. The loop writes the message about it.
    if (item.finish_reason === "length")
      expect(calls.every((call) => "problem" in call && call.kind === "truncated")).toBe(true);
    else expect(judge(calls, item, item.expect)).toBe("");
  });
});
