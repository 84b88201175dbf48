import { describe, expect, it } from "vitest";
import { z } from "zod";
import { tool, type Tool } from "../../../src/core/ports/tool.js";
import { toolbox } from "../../../src/core/ports/toolbox.js";
import { systemPrompt } from "../../../src/core/words/system-prompt.js";
import { compile } from "../../../src/schema/index.js";
import { askQuestion, giveUp, taskCompletion } from "../../../src/tools/index.js";

const read = tool({ name: "read", description: "Reads.", input: z.object({ path: z.string() }) });
const submit = tool({
  name: "submit_report",
  description: "Submits.",
  input: z.object({ body: z.string() }),
  isLoopBreaking: true,
});
const tools: readonly Tool[] = [taskCompletion(), read, askQuestion(), submit, giveUp()];

/** Orders of the tools: one for each pair of tools that can come first. */
function orders(all: readonly Tool[]): readonly (readonly Tool[])[] {
  return all.flatMap((first) => {
    const rest = all.filter((other) => other !== first);
    return rest.map((second) => [second, first, ...rest.filter((other) => other !== second).reverse()]);
  });
}

describe("the system prompt", () => {
  it("is identical for the same tools in any order", () => {
    const prompts = orders(tools).map((order) => systemPrompt("Be brief.", toolbox(order, compile)));
    expect(prompts).toHaveLength(20);
    expect(new Set(prompts).size).toBe(1);
  });

  it("starts with the instructions and goes on with the rules", () => {
    const prompt = systemPrompt("Be brief.", toolbox(tools, compile));
    expect(prompt.startsWith("Be brief.\n\nYou work in a loop.")).toBe(true);
    expect(systemPrompt("", toolbox(tools, compile))).toBe(prompt.slice("Be brief.\n\n".length));
  });

  it("names exactly the tools that can end the run, each with what it means", () => {
    const prompt = systemPrompt("", toolbox(tools, compile));
    expect(prompt.match(/^- .*/gm)).toEqual([
      "- ask_question: you need the user's reply.",
      "- give_up: the task can't be done.",
      "- submit_report: the task is done.",
      "- task_completion: the task is done.",
    ]);
  });
});
