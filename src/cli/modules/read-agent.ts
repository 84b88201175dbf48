// Reads the default export of a module as the definition of an agent.

import { LastcallError } from "../../core/index.js";
import { checkOptions, portKinds, listOf, choiceOf, type OptionKinds, isPlainObject } from "../../core/internal.js";
import { visible } from "../display/visible.js";
import type { AgentDefinition, CommandWorkspace } from "./agent-module.js";
import { callIn, type Exports } from "./load-module.js";
import { kindOf, toolsIn } from "./read-tools.js";

/** Makes the definition for a workspace. @throws LastcallError `configuration` as the module is at fault. */
export type AgentMaker = (workspace: CommandWorkspace) => Promise<AgentDefinition>;

/**
 * Reads a module for `--agent`.
 * @throws LastcallError `configuration` if it has no default export.
 */
export function readAgentModule(path: string, exports: Exports): AgentMaker {
  const shown = visible(path);
  if (!("default" in exports))
    throw wrong(`${shown} has no default export. Export the agent: export default { instructions: "...", tools: [] };`);
  const { default: whole } = exports;
  return async (workspace) => {
    const isFunction = typeof whole === "function";
    const made: unknown = isFunction
      ? await callIn(path, () => (whole as (given: CommandWorkspace) => unknown)(workspace))
      : whole;
    return readDefinition(made, shown, isFunction ? "its function returned" : "its default export is");
  };
}

function readDefinition(made: unknown, path: string, subject: string): AgentDefinition {
  if (typeof made === "object" && made !== null && "run" in made && "stream" in made)
    throw wrong(
      `${path}: ${subject} an agent that is made already. Export the options instead, and leave createAgent to the command.`,
    );
  if (!isPlainObject(made) || typeof made["breaks"] === "function")
    throw wrong(`${path}: ${subject} ${kindOf(made)}. An agent is an object with \`tools\` and \`instructions\`.`);
  for (const [name, remedy] of Object.entries(refused)) {
    if (made[name] !== undefined) throw wrong(`${path}: an agent of the command has no \`${name}\`: ${remedy}.`);
  }
  if (made["secrets"] === false)
    throw wrong(`${path}: \`secrets\` can't be false: the command always leaves secrets out. Leave it away.`);
  checkOptions(path, made, definitionOptions);
  const { tools = [], description } = made;
  if (description !== undefined && typeof description !== "string")
    throw wrong(`${path}: \`description\` of an agent is a text.`);
  // An agent may have no tools but the tools that the command adds.
  const isEmpty = Array.isArray(tools) && tools.length === 0;
  return { ...made, tools: isEmpty ? [] : toolsIn(tools, `${path}: its \`tools\` is`) };
}

/** Options that are the command's, each with the remedy. */
const refused: Readonly<Record<string, string>> = {
  permission: "its gate decides. Give --tier, --allow and --deny, or the same settings in lastcall.config.yaml",
  interactive: "it knows whether a person is there. Give --no-input if nobody is",
  runtime: "it has a clock of its own. Leave it away",
};

const definitionOptions = {
  model: portKinds.model,
  tools: "list",
  toolSources: listOf("object"),
  instructions: "text",
  approvals: "object",
  checks: listOf(portKinds.check),
  maxAttempts: "number",
  limits: "object",
  hooks: listOf(portKinds.hook),
  circuit: "object",
  onText: "text",
  clip: ["number", choiceOf(false)],
  earlyStart: "flag",
  maxParallelReads: "number",
  memory: "function",
  secrets: "object",
  context: "any",
  description: "text",
} satisfies OptionKinds<AgentDefinition>;

function wrong(message: string): LastcallError {
  return new LastcallError("configuration", message);
}
