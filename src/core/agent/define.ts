// The definition: a digest of an agent's parts, so that a session can tell when another agent resumes it.

import type { ClientTool, Definition } from "../data/definition.js";
import type { Check } from "../ports/check.js";
import { canonical, digest } from "../data/json.js";
import type { Model } from "../ports/model.js";
import type { Run } from "../run/run.js";
import type { Toolbox } from "../ports/toolbox.js";
import type { Stage } from "../ports/event.js";

/** The parts that a definition describes. */
interface Defined {
  readonly model: Model;
  readonly instructions: string;
  /** The whole system prompt. */
  readonly system: string;
  readonly tools: Toolbox;
  readonly checks: readonly Check[];
  /** The tools among them that the caller's client carries out. */
  readonly clientTools?: readonly ClientTool[];
}

/** Makes the definition of an agent. */
export function define({ model, instructions, system, tools, checks, clientTools = [] }: Defined): Definition {
  const described = tools.descriptions.map((tool) => [tool.name, canonical(tool)] as const);
  const texts = [system, ...described.map(([, text]) => text)];
  return {
    model: model.name,
    instructions: digest(instructions),
    tools: Object.fromEntries(described.map(([name, text]) => [name, digest(text)])),
    ...(clientTools.length > 0 && { clientTools }),
    checks: checks.map(({ name }) => name),
    system: digest(system),
    texts: Object.fromEntries(texts.map((text) => [digest(text), text])),
  };
}

/** Yields the differences between the agent and the agent that worked on the session last. Yields nothing if they are the same. */
export function* tellDrift(before: Definition | undefined, { definition }: Run["parts"]): Stage {
  const changes = before === undefined ? [] : compare(before, definition);
  if (changes.length > 0) yield { type: "definition-drift", changes };
}

function compare(before: Definition, after: Definition): readonly string[] {
  const changes: string[] = [];
  if (before.model !== after.model) changes.push(`the model was ${before.model} and is ${after.model}`);
  if (before.instructions !== after.instructions) changes.push("the instructions are others");
  const tools = new Set([...Object.keys(before.tools), ...Object.keys(after.tools)]);
  for (const name of [...tools].sort()) {
    const [old, now] = [before.tools[name], after.tools[name]];
    if (old === now) continue;
    changes.push(`the tool ${name} ${now === undefined ? "is gone" : old === undefined ? "is new" : "is another"}`);
  }
  for (const name of before.checks) if (!after.checks.includes(name)) changes.push(`the check ${name} is gone`);
  for (const name of after.checks) if (!before.checks.includes(name)) changes.push(`the check ${name} is new`);
  return changes;
}
