// The smallest agent that a port can be hosted in: a script, one tool, a journal that nobody prompts from.

import {
  tool,
  type AgentOptions,
  type JournalRecord,
  type MemoryFactory,
  type Outcome,
  type Tool,
} from "../../core/index.js";
import { createBareAgent, type StandardSchema } from "../../core/internal.js";
import type { Script } from "../scripted/script.js";
import { scriptedModel } from "../scripted/scripted-model.js";

/** Takes any input. The agent's compiler below does the same; this is what `tool` wants to see. */
const anything: StandardSchema = {
  "~standard": { version: 1, vendor: "lastcall", validate: (value: unknown) => ({ value }) },
};

/** Keeps the records and shows the model nothing but a first word: what it says is scripted. */
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

/** Ends the hosted run. */
export const finish: Tool = tool({
  name: "finish",
  description: "Ends the run",
  input: anything,
  isLoopBreaking: true,
  effect: "none",
});

/** A tool that takes anything. */
export function anyTool(name: string, effect: Tool["effect"], run: (input: unknown) => unknown): Tool {
  return tool({ name, description: name, input: anything, run, effect });
}

/** Runs the script in an agent with these parts. */
export function hostedRun(script: Script, options: Partial<AgentOptions<readonly Tool[]>>): Promise<Outcome> {
  const compile = () => ({
    json: { type: "object" },
    validate: (value: unknown) => ({ ok: true, value }) as const,
  });
  const agent = createBareAgent<readonly Tool[]>(
    { model: scriptedModel(script), tools: [finish], ...options },
    { compile, memory: journal },
  );
  return agent.run("Go.");
}
