// The definition that is recorded: once for each change, with the texts that the journal lacks.

import { expect, test } from "vitest";
import { z } from "zod";
import { tool, type Definition, type Tool } from "../../../src/core/index.js";
import type { RecordBody } from "../../../src/core/internal.js";
import { definitionToRecord } from "../../../src/core/run/definition-to-record.js";
import { taskCompletion } from "../../../src/tools/index.js";
import { openRun } from "../open-run.js";

const look = (description: string): Tool => tool({ name: "look", description, input: z.object({ at: z.string() }) });
const usual = { tools: [look("Looks."), taskCompletion()], instructions: "Be brief." };

const recorded = (definition: Definition): RecordBody => ({
  type: "input",
  run: 1,
  text: "go",
  definition: JSON.parse(JSON.stringify(definition)) as Definition,
});

/** The definition that an agent records in a session with these records. */
function recordOf(options: Parameters<typeof openRun>[0], records: readonly RecordBody[] = []) {
  const { run } = openRun(options, records);
  return definitionToRecord(run.state, run.parts.definition).definition;
}

test("a session keeps a definition once, as long as it stays the same after a round trip through JSON", () => {
  const { definition } = openRun(usual).run.parts;
  expect(recordOf(usual)).toEqual(definition);
  expect(recordOf(usual, [recorded(definition)])).toBeUndefined();
});

test("another definition brings the texts that are new, and no others, also after it changed back", () => {
  const first = recordOf(usual)!;
  const second = recordOf({ ...usual, instructions: "Be thorough." }, [recorded(first)])!;
  expect(Object.keys(second.texts ?? {})).toEqual([second.system]);
  const third = recordOf(usual, [recorded(first), recorded(second)])!;
  expect(third).toEqual({ ...first, texts: undefined });
  expect(third).not.toHaveProperty("texts");
});

test("a session of an older version gets the texts with the next run", () => {
  const { texts: _texts, system: _system, ...older } = recordOf(usual)!;
  expect(recordOf(usual, [recorded(older)])).toEqual(recordOf(usual));
});

test("texts that are too long for a journal are left out", () => {
  const definition = recordOf({ ...usual, instructions: "x".repeat(1_100_000) })!;
  expect(Object.keys(definition.texts ?? {}).sort()).toEqual(Object.values(definition.tools).sort());
});
