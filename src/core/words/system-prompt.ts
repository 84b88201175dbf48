// The system prompt: the caller's instructions and the rules of the loop.

import { readerName } from "../journal/clip.js";
import { isOutside, outsideRule } from "../journal/outside.js";
import { breakingTools, type Toolbox } from "../ports/toolbox.js";
import { isBlank, sound } from "../text/sound.js";

/**
 * The system prompt: the caller's instructions, then the rules of the loop. It changes only if the tools of the agent change.
 * `onText` is the name of a tool: a reply of words alone counts as a call of this tool. Undefined if such a reply is a mistake.
 */
export function systemPrompt(instructions: string, tools: Toolbox, onText?: string): string {
  const breaking = breakingTools(tools);
  const ends = breaking.map(({ name, ending }) => `- ${name}: ${endings[ending]}`);
  const rules = [
    onText === undefined
      ? "You work in a loop. Every reply must call at least one tool; words outside a tool call change nothing."
      : `You work in a loop. A reply of words alone, without a tool call, is taken as a call of ${onText}.`,
    "The loop ends only when one of these calls is accepted:",
    ...ends,
    "Call exactly one of them, when its time has come. It is refused if another call in the same reply fails.",
    "When a result begins with ERROR, read what to do and do it.",
    ...(readsOutside(tools) ? [outsideRule] : []),
  ].join("\n");
  return sound(isBlank(instructions) ? rules : `${instructions}\n\n${rules}`);
}

/** True if one of the tools returns content from outside, or reads such a result again. */
export function readsOutside(tools: Toolbox): boolean {
  return tools.all.some((tool) => tool.name === readerName || isOutside(tool));
}

const endings = {
  completed: "the task is done.",
  waiting: "you need the user's reply.",
  stopped: "the task can't be done.",
  "handed-over": "another agent is to go on.",
  never: "",
} as const;
