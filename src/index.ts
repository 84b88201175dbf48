// lastcall: core, with the schema compiler and the transcript as its defaults.

import type { Agent, AgentOptions, Tool } from "./core/index.js";
import { createBareAgent } from "./core/internal.js";
import { transcript } from "./memory/index.js";
import { compile } from "./schema/index.js";

export * from "./core/index.js";

/**
 * Makes an agent.
 * @throws LastcallError `configuration` with what is wrong and what to do: no model, a bad or repeated tool name, a
 * schema that can't be sent, no loop-breaking tool, a bound that is no whole number.
 */
export function createAgent<const Tools extends readonly Tool[]>(options: AgentOptions<Tools>): Agent<Tools> {
  return createBareAgent(options, { compile, memory: transcript });
}
