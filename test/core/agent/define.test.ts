import { expect, test } from "vitest";
import { z } from "zod";
import { tool, type AgentOptions, type Check, type Tool } from "../../../src/core/index.js";
import { tellDrift } from "../../../src/core/agent/define.js";
import { scriptedModel } from "../../../src/testing/index.js";
import { giveUp, taskCompletion } from "../../../src/tools/index.js";
import { openRun } from "../open-run.js";

const check = (name: string): Check => ({ name, verify: () => ({ passed: true, output: "" }) });
const look = (description: string): Tool => tool({ name: "look", description, input: z.object({ at: z.string() }) });
const usual = { tools: [look("Looks."), taskCompletion()], instructions: "Be brief.", checks: [check("tests")] };

type Options = Partial<AgentOptions<readonly Tool[]>>;

const partsOf = (options: Options) => openRun(options).run.parts;

/** What is told of this agent on a session that was left by the usual one. */
function drift(options: Options): readonly string[] {
  const events = [...tellDrift(partsOf(usual).definition, partsOf({ ...usual, ...options }))];
  return events.flatMap((event) => ("changes" in event ? event.changes : []));
}

test("the same agent has the same definition, whatever the order of its tools", () => {
  const { definition } = partsOf(usual);
  expect(partsOf({ ...usual, tools: [...usual.tools].reverse() }).definition).toEqual(definition);
  expect(drift({})).toEqual([]);
});

test("the digests of a definition are short and name no words of the agent, which its texts have", () => {
  const { texts = {}, ...digests } = partsOf({ ...usual, instructions: "Be brief. ".repeat(1000) }).definition;
  const text = JSON.stringify(digests);
  expect(text.length).toBeLessThan(350);
  expect(text).not.toContain("Be brief");
  expect(texts[digests.system ?? ""]).toContain("Be brief. Be brief.");
  expect(JSON.parse(texts[digests.tools["look"] ?? ""] ?? "")).toMatchObject({ name: "look", description: "Looks." });
  expect(Object.keys(texts)).toHaveLength(3);
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
