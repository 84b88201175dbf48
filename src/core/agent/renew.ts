// Renewal: makes the parts of an agent again after the tool list of a source has changed.

import { LastcallError } from "../data/fault.js";
import type { Check } from "../ports/check.js";
import type { ClientTool } from "../data/definition.js";
import type { Model } from "../ports/model.js";
import type { Tool } from "../ports/tool.js";
import { toolbox, type SchemaCompiler, type Toolbox, type ToolSource } from "../ports/toolbox.js";
import type { AgentParts } from "../run/run.js";
import { joinNames } from "../words/join-names.js";
import { systemPrompt } from "../words/system-prompt.js";
import { clientTools } from "./client-tools.js";
import { define } from "./define.js";

/** The parts of an agent that a renewal starts from. */
interface RenewalParts {
  readonly sources: readonly ToolSource[];
  /** The tools of the agent itself, which never change. */
  readonly own: readonly Tool[];
  readonly compile: SchemaCompiler;
  readonly instructions: string;
  readonly onText: string | undefined;
  readonly model: Model;
  readonly checks: readonly Check[];
}

/**
 * The tools of the sources.
 * @throws LastcallError `configuration` if a tool is loop-breaking or needs a context.
 */
export function sourcedTools(sources: readonly ToolSource[]): readonly Tool[] {
  const tools = sources.flatMap((source) => source.tools);
  for (const { name, ending, context } of tools) {
    if (ending === "never" && context === undefined) continue;
    const problem = context === undefined ? "is loop-breaking" : "needs a context";
    throw new LastcallError("configuration", `The tool "${name}" of a source ${problem}: pass it in \`tools\`.`);
  }
  return tools;
}

/** Characters of the system prompt and of the tool descriptions. */
export function overheadOf(system: string, tools: Toolbox): number {
  return system.length + JSON.stringify(tools.descriptions).length;
}

/** Makes the functions that make the parts again: with the tools that the sources have now, and with tools of the caller's client. */
export function renewal(given: RenewalParts): Required<Pick<AgentParts, "renew" | "withClientTools">> {
  const { sources, own, compile, instructions, onText, model, checks } = given;
  const remade = (parts: AgentParts, all: readonly Tool[], ofClient: readonly ClientTool[]): AgentParts => {
    const tools = toolbox(all, compile);
    const system = systemPrompt(instructions, tools, onText);
    const definition = define({ model, instructions, system, tools, checks, clientTools: ofClient });
    return { ...parts, tools, system, definition, overhead: overheadOf(system, tools) };
  };
  return {
    renew(parts) {
      const { ofClient = [], definition } = parts;
      const all = [...own, ...sourcedTools(sources), ...ofClient];
      const before = new Map(parts.tools.all.map((tool) => [tool.name, tool]));
      if (
        new Set(all).size === before.size &&
        all.length === before.size &&
        all.every((tool) => before.get(tool.name) === tool)
      )
        return undefined;
      const renewed = remade(parts, all, definition.clientTools ?? []);
      return { parts: renewed, text: changeText(parts.tools, renewed.tools) };
    },
    withClientTools(parts, descriptions, terms) {
      const { ofClient: before = [] } = parts;
      const agents = parts.tools.all.filter((tool) => !before.includes(tool));
      const ofClient = clientTools(descriptions, new Set(agents.map(({ name }) => name)), terms);
      const kept = descriptions.filter(({ name }) => ofClient.some((tool) => tool.name === name));
      return { ...remade(parts, [...agents, ...ofClient], kept), ofClient };
    },
  };
}

/** Says to the model which tools are new, gone, or changed. */
function changeText(before: Toolbox, after: Toolbox): string {
  const added = after.names.filter((name) => before.find(name) === undefined);
  const gone = before.names.filter((name) => after.find(name) === undefined);
  const changed = after.names.filter(
    (name) => before.find(name) !== undefined && before.find(name)?.tool !== after.find(name)?.tool,
  );
  const parts = [
    [added, "new"],
    [gone, "gone"],
    [changed, "changed"],
  ] as const;
  const said = parts.flatMap(([names, how]) => (names.length === 0 ? [] : [`${how}: ${joinNames(names, "and")}`]));
  return `Your tools have changed. ${said.join("; ")}.`;
}
