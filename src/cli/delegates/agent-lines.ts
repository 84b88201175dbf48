// Agents that can be called, as lines for people.

import { visible } from "../display/visible.js";
import type { CalledAgent } from "./called-agents.js";

/** The lines about an agent: its name and source, its model and tools, and the first sentence of its description. */
export function agentLines({ name, source, model, tools, description }: CalledAgent): readonly string[] {
  const [sentence = ""] = description.split(/(?<=\.)\s/);
  return [
    `${visible(name)}  ${visible(source)}`,
    `  ${visible(sentence)}`,
    `  model: ${model === undefined ? "that of the run" : visible(model)}; tools: ${tools.join(", ")}`,
  ];
}
