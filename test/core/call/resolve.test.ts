import { describe, expect, test } from "vitest";
import { z } from "zod";
import { tool, type Call, type Json, type Tool } from "../../../src/core/index.js";
import { toolbox } from "../../../src/core/ports/toolbox.js";
import { resolve } from "../../../src/core/call/resolve.js";
import { compile } from "../../../src/schema/index.js";
import { taskCompletion } from "../../../src/tools/index.js";

const schema = z.object({ path: z.string(), lines: z.object({ from: z.number().default(1) }).prefault({}) });
const plain = tool({ name: "read", description: "Reads.", input: schema, effect: "read" });

/** Resolves one call against these tools. */
function resolved(input: Json, tools: readonly Tool[] = [plain], name = "read") {
  return resolve(toolbox([...tools, taskCompletion()], compile), { type: "call", id: "c", name, input });
}

/** A failure, and whether it says all of these words. */
async function failureOf(made: ReturnType<typeof resolve>) {
  const ready = await made;
  if (!("failure" in ready)) throw new Error("it was resolved");
  return ready.failure;
}

describe("a call that fits its tool", () => {
  test("has the arguments as validation made them, defaults included, with its tool and effect", async () => {
    expect(await resolved({ path: "a", more: 1 })).toMatchObject({
      frozen: { id: "c", name: "read", effect: "read", input: { path: "a", lines: { from: 1 } } },
      tool: { name: "read" },
    });
  });

  test("is frozen all the way down, whether its tool says what it concerns or not", async () => {
    const reaching = tool({ ...options, reach: ({ path }) => ({ reads: [path] }) });
    for (const one of [plain, reaching] as readonly Tool[]) {
      const ready = await resolved({ path: "a" }, [one]);
      if (!("frozen" in ready)) throw new Error("it was not resolved");
      const { input } = ready.frozen as { readonly input: { readonly lines: object } };
      expect([ready.frozen, input, input.lines].map((part) => Object.isFrozen(part))).toEqual([true, true, true]);
    }
  });

  test("says what it concerns if its tool does", async () => {
    const reaching = tool({ ...options, reach: ({ path }) => ({ reads: [path] }) });
    expect(await resolved({ path: "a" }, [reaching])).toMatchObject({ frozen: { reach: { reads: ["a"] } } });
    const ready = await resolved({ path: "a" });
    expect("frozen" in ready && "reach" in ready.frozen).toBe(false);
  });
});

const options = { name: "read", description: "Reads.", input: schema, effect: "read" } as const;

describe("a call that does not fit is a failure for the model:", () => {
  test("its text could not be read", async () => {
    const call: Call = {
      type: "unreadable-call",
      id: "c",
      kind: "malformed_call",
      name: "read",
      source: "{",
      problem: "It ends too soon.",
    };
    const failure = await failureOf(resolve(toolbox([taskCompletion()], compile), call));
    expect(failure).toMatchObject({ kind: "malformed_call", message: expect.stringContaining("It ends too soon.") });
  });

  test("no tool has its name; the tools that there are, are named", async () => {
    const failure = await failureOf(resolved({}, [plain], "raed"));
    expect(failure.kind).toBe("unknown_tool");
    expect(`${failure.message} ${failure.advice}`).toContain("read");
  });

  test("an argument is wrong; the failure names it, and shows a form that fits", async () => {
    const failure = await failureOf(resolved({ path: 1 }));
    expect(failure).toMatchObject({ kind: "invalid_arguments", message: expect.stringContaining("path") });
    expect(`${failure.message} ${failure.advice}`).toContain('{"path":"..."}');
  });

  test("no form is shown if the one made by the schema would not fit either", async () => {
    const odd = tool({ ...options, input: z.object({ path: z.string().refine((path) => path.startsWith("/")) }) });
    const failure = await failureOf(resolved({ path: "a" }, [odd]));
    expect(`${failure.message} ${failure.advice}`).not.toContain('{"path":"..."}');
  });

  test("the schema throws", async () => {
    const throwing = z.object({
      path: z.string().transform(() => {
        throw new Error("no disk");
      }),
    });
    const failure = await failureOf(resolved({ path: "a" }, [tool({ ...options, input: throwing })]));
    expect(failure).toMatchObject({ kind: "invalid_arguments", message: expect.stringContaining("no disk") });
  });

  test("its tool can't say what it concerns, so nobody could be asked about it", async () => {
    const reach = () => {
      throw new Error("that is no path");
    };
    const failure = await failureOf(resolved({ path: "a" }, [tool({ ...options, reach })]));
    expect(failure).toMatchObject({ kind: "tool_error", message: expect.stringContaining("that is no path") });
  });
});
