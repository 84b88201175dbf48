import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { JsonObject } from "../../../src/core/data/json.js";
import {
  baselineNotice,
  closingCall,
  closingNotice,
  example,
  failingNotice,
  invalidArguments,
  noToolCall,
  systemPrompt,
  unknownTool,
} from "../../../src/core/words/harness-words.js";
import type { CheckRecord } from "../../../src/core/journal/record.js";
import { tool, type Tool } from "../../../src/core/ports/tool.js";
import { toolbox } from "../../../src/core/ports/toolbox.js";
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

/** Every order in which three of the tools can be put before the others. */
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

describe("what is told of the checks before the first request", () => {
  const seen = (check: string, passed: boolean): CheckRecord => ({
    type: "check",
    when: "baseline",
    check,
    passed,
    output: `seen by ${check}`,
    digest: "d",
    duration: 1,
  });

  it("is each that does not pass, with its words, and nothing of those that do", () => {
    expect(baselineNotice([seen("a", false), seen("b", true), seen("c", false)])).toBe(
      [
        "The task is done when its checks pass. They were run before you began.",
        'The check "a" does not pass yet. It says:\nseen by a',
        'The check "c" does not pass yet. It says:\nseen by c',
      ].join("\n\n"),
    );
  });

  it("is that they show nothing where all of them pass already", () => {
    expect(baselineNotice([seen("a", true), seen("b", true)])).toBe(
      'Before you began, the checks of this task were run, and pass already: "a" and "b". So they do not show that the task is done: see to that yourself.',
    );
  });

  it("is nothing where none was run", () => {
    expect(baselineNotice([])).toBe("");
  });

  it("is said in other words after an iteration", () => {
    expect(failingNotice(seen("a", false))).toBe(
      'The check "a" was run after that and does not pass. It says:\nseen by a',
    );
  });
});

describe("the words before the last iteration", () => {
  const message = "3 iterations, as many as allowed";

  it("name the calls that end the run, and why it has to end", () => {
    expect(closingNotice({ status: "closing", reason: "max_iterations", message }, toolbox(tools, compile))).toBe(
      "The run has to end: 3 iterations, as many as allowed. Your next reply is its last. Call ask_question, give_up, submit_report or task_completion, and say what is done and what is not; no other call is run.",
    );
  });

  it("name those that complete it where the goal is reached, or all where none does", () => {
    const green = { status: "closing", reason: "check_passed", message: "every check passes: tests" } as const;
    expect(closingNotice(green, toolbox(tools, compile))).toBe(
      "The goal is reached: every check passes: tests. Your next reply is the last of this run. Call submit_report or task_completion now and say what was done; no other call is run.",
    );
    expect(closingNotice(green, toolbox([read, askQuestion(), giveUp()], compile))).toContain(
      "Call ask_question or give_up now",
    );
  });

  it("are told again of a call that ends nothing, which is a fact and no mistake of form", () => {
    expect(closingCall("read")).toMatchObject({
      kind: "closing",
      tool: "read",
      message: "Not run: the run is being closed, and only a call that ends it is accepted now.",
    });
  });
});

describe("the words for a reply without a call", () => {
  it("name the calls that end the run", () => {
    const { advice } = noToolCall("Hello.", toolbox(tools, compile));
    expect(advice).toBe(
      "Call a tool in every reply. To end, call ask_question, give_up, submit_report or task_completion.",
    );
  });

  it("tell an empty reply from one with words", () => {
    const box = toolbox(tools, compile);
    expect(noToolCall("", box).message).not.toBe(noToolCall("Hello.", box).message);
  });
});

describe("the words for an unknown tool", () => {
  it("repeat its name and list the tools there are", () => {
    const { message, advice } = unknownTool("fly", toolbox(tools, compile));
    expect(message).toBe('There is no tool named "fly".');
    expect(advice).toBe("Call one of: ask_question, give_up, read, submit_report, task_completion.");
  });
});

describe("the words for invalid arguments", () => {
  it("say what is wrong where, and show arguments that are right", () => {
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

describe("example", () => {
  it.each<[string, JsonObject, unknown]>([
    ["a text", { type: "string" }, "..."],
    ["a number", { type: "number" }, 1],
    ["a whole number with a lower bound", { type: "integer", minimum: 10 }, 10],
    ["a boolean", { type: "boolean" }, true],
    ["null", { type: "null" }, null],
    ["a list", { type: "array", items: { type: "number" } }, [1]],
    ["a list of anything", { type: "array" }, []],
    ["a choice", { type: "string", enum: ["red", "blue"] }, "red"],
    ["one value only", { const: 7 }, 7],
    ["a default", { type: "string", default: "dark" }, "dark"],
    ["a default of false", { type: "boolean", default: false }, false],
    ["several schemas", { anyOf: [{ type: "boolean" }, { type: "string" }] }, true],
    ["several types", { type: ["string", "null"] }, "..."],
    ["anything", {}, "..."],
  ])("of %s", (_what, schema, expected) => {
    expect(example(schema)).toEqual(expected);
  });

  it("has the required fields of an object, all the way down, and no others", () => {
    const schema = compile(
      z.object({
        path: z.string(),
        mode: z.enum(["fast", "safe"]),
        note: z.string().optional(),
        at: z.object({ line: z.int().min(1), column: z.int().optional() }),
        parts: z.array(z.object({ text: z.string() })),
      }),
    );
    expect(example(schema.json)).toEqual({ path: "...", mode: "fast", at: { line: 1 }, parts: [{ text: "..." }] });
  });

  it("is accepted by the schema it is made from", async () => {
    const schema = compile(
      z.object({
        name: z.string(),
        kind: z.literal("file"),
        size: z.number().min(20),
        isOpen: z.boolean(),
        either: z.union([z.number(), z.string()]),
        maybe: z.string().nullable(),
        list: z.array(z.enum(["a", "b"])),
        table: z.record(z.string(), z.number()),
        preset: z.string().default("x"),
      }),
    );
    expect(await schema.validate(example(schema.json))).toMatchObject({ ok: true });
  });
});
