import { expect, test } from "vitest";
import { z } from "zod";
import { tool, type AgentOptions, type Check, type Tool } from "../../../src/core/index.js";
import { definitionFor, tellDrift } from "../../../src/core/agent/define.js";
import { scriptedModel } from "../../../src/testing/index.js";
import { giveUp, taskCompletion } from "../../../src/tools/index.js";
import type { RecordBody } from "../../../src/core/internal.js";
import { openRun } from "../open-run.js";

const check = (name: string): Check => ({ name, verify: () => ({ passed: true, output: "" }) });
const look = (description: string): Tool => tool({ name: "look", description, input: z.object({ at: z.string() }) });
const usual = { tools: [look("Looks."), taskCompletion()], instructions: "Be brief.", checks: [check("tests")] };

type Options = Partial<AgentOptions<readonly Tool[]>>;

const partsOf = (options: Options) => openRun(options).run.parts;

/** What is told of this agent on a session that was left by the usual one. */
function drift(options: Options): readonly string[] {
  const events = [...tellDrift(partsOf(usual).definition, partsOf({ ...usual, ...options }))];
  return events.flatMap((event) => (event.type === "definition-drift" ? event.changes : []));
}

test("the same agent has the same definition, whatever the order of its tools", () => {
  const { definition } = partsOf(usual);
  expect(partsOf({ ...usual, tools: [...usual.tools].reverse() }).definition).toEqual(definition);
  expect(drift({})).toEqual([]);
});

test("a definition is short and names no words of the agent", () => {
  const text = JSON.stringify(partsOf({ ...usual, instructions: "Be brief. ".repeat(1000) }).definition);
  expect(text.length).toBeLessThan(300);
  expect(text).not.toContain("Be brief");
});

test.each<[Options, readonly string[]]>([
  [{ model: { ...scriptedModel([]), name: "other" } }, ["the model was scripted and is other"]],
  [{ instructions: "Be thorough." }, ["the instructions are others"]],
  [{ tools: [look("Looks twice."), taskCompletion()] }, ["the tool look is another"]],
  [{ tools: [taskCompletion(), giveUp()] }, ["the tool give_up is new", "the tool look is gone"]],
  [{ checks: [check("lint")] }, ["the check tests is gone", "the check lint is new"]],
])("an agent that differs from the one before is told of: %#", (options, changes) => {
  expect(drift(options)).toEqual(changes);
});

test("nothing is told of a session that has no definition", () => {
  expect([...tellDrift(undefined, partsOf(usual))]).toEqual([]);
});

test("a session keeps a definition once, as long as it stays the same after a round trip through JSON", () => {
  const { definition } = partsOf(usual);
  const kept: RecordBody = { type: "input", run: 1, text: "go", definition: JSON.parse(JSON.stringify(definition)) };
  expect(definitionFor(openRun(usual).run)).toEqual({ definition });
  expect(definitionFor(openRun(usual, [kept]).run)).toEqual({});
  const other = openRun({ ...usual, instructions: "Be thorough." }, [kept]).run;
  expect(definitionFor(other)).toEqual({ definition: other.parts.definition });
});
