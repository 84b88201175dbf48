import { describe, expect, it } from "vitest";
import { z } from "zod";
import { tool, type Tool } from "../../../src/core/ports/tool.js";
import { toolbox } from "../../../src/core/ports/toolbox.js";
import { invalidArguments, noToolCall, unknownTool } from "../../../src/core/words/mistakes.js";
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

describe("the words for a reply without a call", () => {
  it("name the calls that end the run", () => {
    const { advice } = noToolCall("Hello.", toolbox(tools, compile));
    expect(advice).toBe(
      "Call a tool in every reply. To end, call ask_question, give_up, submit_report or task_completion.",
    );
  });

  it("differ for an empty reply and a reply with words", () => {
    const box = toolbox(tools, compile);
    expect(noToolCall("", box).message).not.toBe(noToolCall("Hello.", box).message);
  });
});

describe("the words for an unknown tool", () => {
  it("repeat its name and list the existing tools", () => {
    const { message, advice } = unknownTool("fly", toolbox(tools, compile));
    expect(message).toBe('There is no tool named "fly".');
    expect(advice).toBe("Call one of: ask_question, give_up, read, submit_report, task_completion.");
  });
});

describe("the words for invalid arguments", () => {
  it("say what is wrong in which field, and show arguments that fit", () => {
    const box = toolbox(tools, compile);
    const {
      kind,
      tool: name,
      message,
      advice,
    } = invalidArguments(
      box.find("read")!,
      { path: 1 },
      {
        issues: [
          { path: "path", message: "expected a text" },
          { path: "", message: "too much" },
        ],
        form: { path: "..." },
      },
    );
    expect([kind, name]).toEqual(["invalid_arguments", "read"]);
    expect(message).toBe("The arguments do not fit. path: expected a text; too much.");
    expect(advice).toBe('Call read again with arguments of this form: {"path":"..."}');
  });
});
