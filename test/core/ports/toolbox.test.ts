import { describe, expect, it } from "vitest";
import { z } from "zod";
import { z as zod3 } from "zod/v3";
import { LastcallError } from "../../../src/core/data/fault.js";
import { tool, type Tool } from "../../../src/core/ports/tool.js";
import { toolbox } from "../../../src/core/ports/toolbox.js";
import { compile } from "../../../src/schema/index.js";
import { taskCompletion } from "../../../src/tools/index.js";

function named(name: string): Tool {
  return tool({ name, description: `does ${name}`, input: z.object({ path: z.string() }) });
}

function refusal(tools: readonly Tool[]): LastcallError {
  try {
    toolbox(tools, compile);
  } catch (thrown) {
    if (thrown instanceof LastcallError) return thrown;
    throw thrown;
  }
  throw new Error("it was not refused");
}

describe("a field of a tool with few values", () => {
  const made = named("work");

  it.each([
    [
      "effect",
      "Write",
      'give one of "none", "read", "write", "execute", "network", or leave it out. Did you mean "write"?',
    ],
    ["effect", "destructive", 'is "destructive": give one of'],
    ["effect", null, "is null: give one of"],
    ["ending", "complete", 'Did you mean "completed"?'],
    ["readsOutside", "failure", 'Did you mean "failures"?'],
    ["pollable", "yes", 'is "yes": give one of true, false'],
    ["idempotent", "false", 'is "false": give one of true, false'],
    ["background", 1, "is 1: give one of true, false"],
  ])("was taken as it was: %s %j of a tool made by hand", (field, value, words) => {
    const { message } = refusal([{ ...made, [field]: value }, taskCompletion()]);
    expect(message).toContain(`The field ${field} of tool "work"`);
    expect(message).toContain(words);
  });

  it.each([
    ["effect", "wirte"],
    ["readsOutside", "never"],
    ["pollable", "true"],
    ["idempotent", 0],
    ["isLoopBreaking", "yes"],
    ["awaitsReply", "no"],
    ["givesUp", {}],
  ])("is refused by tool() at once: %s %j", (field, value) => {
    const options = { name: "work", description: "Works.", input: z.object({}), [field]: value };
    expect(() => tool(options as never)).toThrow(new RegExp(`${field} of tool "work" is `));
  });

  it("may be undefined, each of them", () => {
    const nothing = { effect: undefined, readsOutside: undefined, pollable: undefined, idempotent: undefined };
    expect(() => tool({ name: "work", description: "Works.", input: z.object({}), ...nothing })).not.toThrow();
  });
});

describe("the toolbox", () => {
  it("describes the tools sorted by name, in any order of the list", () => {
    const tools = [named("write"), taskCompletion(), named("Read"), named("apply")];
    const box = toolbox(tools, compile);
    expect(box.names).toEqual(["Read", "apply", "task_completion", "write"]);
    expect(box.descriptions.map(({ name }) => name)).toEqual(box.names);
    expect(toolbox([...tools].reverse(), compile).descriptions).toEqual(box.descriptions);
  });

  it("does not change the given list", () => {
    const tools = [named("write"), taskCompletion(), named("apply")];
    const copy = [...tools];
    toolbox(tools, compile);
    expect(tools).toEqual(copy);
  });

  it("describes a tool by its name, its description and the JSON Schema of its input", () => {
    const [description] = toolbox([named("apply"), taskCompletion()], compile).descriptions;
    expect(description).toEqual({
      name: "apply",
      description: "does apply",
      parameters: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
    });
  });

  it("finds a tool only by its exact name", () => {
    const apply = named("apply");
    const box = toolbox([apply, taskCompletion()], compile);
    expect(box.find("apply")?.tool).toBe(apply);
    for (const name of ["Apply", "apply ", "", "toString", "__proto__"]) expect(box.find(name)).toBeUndefined();
  });

  it("accepts every name that providers accept", () => {
    const names = ["a", "A-b_9", "x".repeat(64)];
    expect(toolbox([taskCompletion(), ...names.map(named)], compile).names).toEqual(expect.arrayContaining(names));
  });

  it.each(["", "has space", "dot.name", "ümlaut", "x".repeat(65), "new\nline"])("refuses the name %j", (name) => {
    const fault = refusal([named(name), taskCompletion()]);
    expect(fault.code).toBe("configuration");
    expect(fault.message).toBe(`Tool name ${JSON.stringify(name)} can't be sent: use 1 to 64 letters, digits, _ or -.`);
  });

  it("refuses two tools of one name", () => {
    const fault = refusal([named("apply"), taskCompletion(), named("apply")]);
    expect(fault.code).toBe("configuration");
    expect(fault.message).toBe('Two tools are named "apply": rename one of them.');
  });

  it.each([
    ["no tool at all", []],
    ["tools that only work", [named("apply"), named("read")]],
  ])("refuses %s, because nothing could end a run", (_what, tools) => {
    const fault = refusal(tools);
    expect(fault.code).toBe("configuration");
    expect(fault.message).toContain("No tool could end a run");
    expect(fault.message).toContain("isLoopBreaking: true");
  });

  it("names the tool whose schema can't be used, and keeps the cause", () => {
    const bare = { ...named("apply"), input: { path: "string" } };
    const fault = refusal([bare, taskCompletion()]);
    expect(fault.code).toBe("configuration");
    expect(fault.message).toMatch(/^The input schema of tool "apply" can't be used: .*z\.object/);
    expect(fault.cause).toBeInstanceOf(Error);
  });

  it("refuses to stream a field that the schema does not have", () => {
    const fault = refusal([{ ...taskCompletion(), streams: "answer" }]);
    expect(fault.code).toBe("configuration");
    expect(fault.message).toBe('Tool "task_completion" streams "answer": name a text field of its input schema.');
  });

  it("refuses to stream a field that every object has", () => {
    expect(refusal([{ ...taskCompletion(), streams: "toString" }]).code).toBe("configuration");
  });

  it.each<[string, unknown]>([
    ["__proto__", JSON.parse('{ "type": "object", "properties": { "__proto__": { "type": "string" } } }')],
    ["constructor", z.object({ deep: z.array(z.object({ constructor: z.string() })) })],
    ["prototype", z.object({ properties: z.object({ prototype: z.string().optional() }) })],
    ["__proto__", zod3.object({ ["__proto__"]: zod3.string() })],
  ])("refuses a field named %s, at any depth", (name, input) => {
    const refused = refusal([taskCompletion(), { ...named("odd"), input }]);
    expect(refused.code).toBe("configuration");
    expect(refused.message).toBe(`A field of tool "odd" can't be named "${name}": give it another name.`);
  });

  it("accepts tools and fields with names that every object has, and fields named like a keyword", () => {
    const input = z.object({
      toString: z.string(),
      hasOwnProperty: z.string(),
      required: z.string(),
      properties: z.int(),
    });
    const box = toolbox([taskCompletion(), { ...named("constructor"), input }], compile);
    expect(box.find("constructor")?.tool.input).toBe(input);
  });
});
