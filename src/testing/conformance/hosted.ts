// The smallest agent that can host a port: a scripted model, one tool, and a memory that only keeps records.

import { askFirst } from "../../approval/index.js";
import {
  tool,
  type AgentOptions,
  type JournalRecord,
  type MemoryFactory,
  type Outcome,
  type Tool,
  type ToolContext,
} from "../../core/index.js";
import { createBareAgent, type StandardSchema } from "../../core/internal.js";
import { demandEqual } from "../oracle/demand.js";
import type { Script } from "../scripted/script.js";
import { scriptedModel } from "../scripted/scripted-model.js";

/** A schema that accepts any input. `tool` requires one; the compiler of the agent below accepts anything too. */
const anything: StandardSchema = {
  "~standard": { version: 1, vendor: "lastcall", validate: (value: unknown) => ({ value }) },
};

/** A memory that keeps the records. Its prompt is a single word, because the replies are scripted. */
const journal: MemoryFactory = (session) => {
  const records: JournalRecord[] = [...session.records];
  return {
    records,
    append: (record) => void records.push(record),
    async *recall() {
      return [{ role: "user", text: "Go." }];
    },
  };
};

/** The tool that ends the hosted run. */
export const finish: Tool = tool({
  name: "finish",
  description: "Ends the run",
  input: anything,
  isLoopBreaking: true,
  effect: "none",
});

/** Makes a tool that accepts any input. `run` gets the approved input; the conformance fails if the tool was given another input. */
export function anyTool(name: string, effect: Tool["effect"], run: (approved: unknown) => unknown): Tool {
  const runWith = (input: unknown, { approved }: ToolContext): unknown => {
    demandEqual(input, approved, "the input of the tool, against the approved one");
    return run(approved);
  };
  return tool({ name, description: name, input: anything, run: runWith, effect });
}

/** Runs the script in an agent with these parts. */
export function hostedRun(script: Script, options: Partial<AgentOptions<readonly Tool[]>>): Promise<Outcome> {
  const compile = () => ({
    json: { type: "object" },
    validate: (value: unknown) => ({ ok: true, value }) as const,
  });
  const agent = createBareAgent<readonly Tool[]>(
    { model: scriptedModel(script), tools: [finish], ...options },
    { compile, memory: journal, askFirst },
  );
  return agent.run("Go.");
}
