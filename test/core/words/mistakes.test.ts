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

describe("the words for a call by a common word", () => {
  const made = (...names: readonly string[]): readonly Tool[] =>
    names.map((name) => tool({ name, description: "Works.", input: z.object({}) }));
  const box = toolbox(
    [
      taskCompletion(),
      ...made("run_command", "read_file", "read_result", "edit_file", "search_files", "list_files", "write_file"),
    ],
    compile,
  );

  it.each([
    ["bash", "run_command"],
    ["Shell", "run_command"],
    ["functions.exec", "run_command"],
    ["cat", "read_file"],
    ["open_file", "read_file"],
    ["create", "write_file"],
    ["str_replace_editor", "edit_file"],
    ["apply_patch", "edit_file"],
    ["grep", "search_files"],
    ["ls", "list_files"],
    ["glob", "list_files"],
    ["attempt_completion", "task_completion"],
  ])("named no tool: %s most likely means %s, which is told and not run", (word, meant) => {
    expect(unknownTool(word, box).advice).toMatch(new RegExp(`^You most likely mean ${meant}\\. Call one of: `));
    expect(unknownTool(word, box).message).toBe(`There is no tool named ${JSON.stringify(word)}.`);
  });

  it("name none if several tools are of the kind, if none is, or if the word is of no kind", () => {
    const two = toolbox([taskCompletion(), ...made("search_web", "search_mail")], compile);
    for (const word of ["search", "bash", "fly", "constructor"])
      expect(unknownTool(word, two).advice).toMatch(/^Call one of: /);
  });

  it("are in the words for a reply whose words have such an element", () => {
    expect(noToolCall("I look.\n<bash>\nls -la\n</bash>", box).advice).toMatch(
      /^<bash> is no tool: you most likely mean run_command\. Call a tool in every reply/,
    );
    expect(noToolCall("The tag <bash> is old, <b>bold</b> too.", box).advice).toMatch(/^Call a tool in every reply/);
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
