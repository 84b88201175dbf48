import { describe, expect, it } from "vitest";
import {
  describeFailure,
  failure,
  maskVolatile,
  formKinds,
  isMistakeOfForm,
  type FailureKind,
} from "../../../src/core/data/failure.js";
import { noToolCall, unknownTool } from "../../../src/core/words/mistakes.js";
import { compile } from "../../../src/schema/index.js";
import { tool } from "../../../src/core/ports/tool.js";
import { toolbox, type Toolbox } from "../../../src/core/ports/toolbox.js";
import { taskCompletion } from "../../../src/tools/index.js";
import { z } from "zod";
import { processorTime } from "../../processor-time.js";

function signatureOf(message: string): string {
  return failure("tool_error", { tool: "run", message, advice: "Mend it.", input: { a: 1 } }).signature;
}

function boxOf(count: number, isReversed = false): Toolbox {
  const names = Array.from({ length: count - 1 }, (_, index) => `tool_${String(index)}`);
  const working = names.map((name) => tool({ name, description: name, input: z.object({}) }));
  const tools = [taskCompletion(), ...working];
  return toolbox(isReversed ? tools.reverse() : tools, compile);
}

describe("foldVolatile", () => {
  it.each([
    ["whole numbers", "line 12 of 340", "line 7 of 99"],
    ["numbers of different lengths", "after 9 tries", "after 100000 tries"],
    ["decimal numbers", "took 0.25 of 1,000.5", "took 13.7 of 2,500.1"],
    ["durations", "timed out after 1.5s", "timed out after 30s"],
    ["times of day", "at 09:15:33 it broke", "at 23:59:01 it broke"],
    ["timestamps", "at 2026-01-02T03:04:05.678Z", "at 2025-12-31T23:59:59.001Z"],
    ["uuids", "job 3f2504e0-4f89-41d3-9a0c-0305e82c3301", "job 9B2C3D4E-0000-4F89-8123-ABCDEFABCDEF"],
    ["hex with 0x", "at 0x7ffeefbff5a8", "at 0xdeadbeef"],
    ["hashes", "commit 9fceb02d0ae598e95dc970b74767f19372d61af8", "commit 1b2c3d4"],
    ["temporary paths", "no file /tmp/run-AbCdEf/a.txt here", "no file /tmp/run-ZyXwVu/b.txt here"],
    ["temporary paths of macOS", "in /private/var/folders/x1/abc/T/q: no", "in /var/folders/zz/def/T/r: no"],
    ["ports", "connect ECONNREFUSED 127.0.0.1:5432", "connect ECONNREFUSED 127.0.0.1:61022"],
  ])("folds %s", (_what, one, other) => {
    expect(maskVolatile(one)).toBe(maskVolatile(other));
    expect(maskVolatile(one)).not.toBe(one);
  });

  it("leaves words as they are, also those made of hex letters", () => {
    const text = "The facade was defaced; cannot feed the dead decade.";
    expect(maskVolatile(text)).toBe(text);
  });

  it("keeps paths that are not temporary, so that different files are different mistakes", () => {
    expect(maskVolatile("no file src/a.ts")).not.toBe(maskVolatile("no file src/b.ts"));
  });

  it("ends a temporary path at a quote, a comma or a closing parenthesis", () => {
    expect(maskVolatile("open '/tmp/x/y' failed")).toBe("open '<temp>' failed");
    expect(maskVolatile("(/tmp/x/y) failed, twice")).toBe("(<temp>) failed, twice");
  });

  it("is done soon with a long text", () => {
    const spent = processorTime();
    maskVolatile("0123456789abcdef-/tmp/".repeat(100_000));
    expect(spent()).toBeLessThan(500);
  });
});

describe("the signature of a failure", () => {
  it("is the same for the same mistake with other numbers, paths and ids in its message", () => {
    expect(signatureOf("exit 1 after 20 ms in /tmp/a1")).toBe(signatureOf("exit 2 after 3 ms in /tmp/b2"));
  });

  it("differs for another kind, another tool and another message", () => {
    const facts = { tool: "run", message: "It broke.", advice: "Mend it." };
    const signatures = [
      failure("tool_error", facts),
      failure("tool_timeout", facts),
      failure("tool_error", { ...facts, tool: "read" }),
      failure("tool_error", { ...facts, message: "It burnt." }),
    ].map(({ signature }) => signature);
    expect(new Set(signatures).size).toBe(4);
  });

  it("differs for different arguments, numbers in them included", () => {
    const of = (input: unknown): string =>
      failure("tool_error", { tool: "run", message: "No.", advice: "Mend it.", input }).signature;
    expect(of({ page: 1 })).not.toBe(of({ page: 2 }));
    expect(of({ path: "/tmp/a" })).not.toBe(of({ path: "/tmp/b" }));
    expect(of(undefined)).not.toBe(of({}));
  });

  it("is the same for the same arguments in another order of keys", () => {
    const of = (input: unknown): string =>
      failure("tool_error", { tool: "run", message: "No.", advice: "Mend it.", input }).signature;
    expect(of({ a: 1, b: { c: 2, d: 3 } })).toBe(of({ b: { d: 3, c: 2 }, a: 1 }));
  });

  it("leaves the advice out", () => {
    const one = failure("denied", { tool: "run", message: "No.", advice: "Stop." });
    const other = failure("denied", { tool: "run", message: "No.", advice: "Go on without it." });
    expect(one.signature).toBe(other.signature);
  });

  it("does not depend on which tools there are, nor on their order", () => {
    const boxes = [boxOf(1), boxOf(9), boxOf(30), boxOf(30, true)];
    const noCall = boxes.map((box) => noToolCall("Hello.", box).signature);
    const unknown = boxes.map((box) => unknownTool("fly", box).signature);
    expect(new Set(noCall).size).toBe(1);
    expect(new Set(unknown).size).toBe(1);
  });

  it("tells one unknown tool from another", () => {
    expect(unknownTool("fly", boxOf(1)).signature).not.toBe(unknownTool("swim", boxOf(1)).signature);
  });
});

describe("describeFailure", () => {
  it("says what was wrong with which tool and what to do next", () => {
    const text = describeFailure(failure("denied", { tool: "rm", message: "It is not allowed.", advice: "Go on." }));
    expect(text).toBe("ERROR denied (rm): It is not allowed.\nWhat to do: Go on.");
  });

  it("names no tool where the failure is about none", () => {
    const text = describeFailure(failure("no_tool_call", { message: "No call.", advice: "Call a tool." }));
    expect(text).toBe("ERROR no_tool_call: No call.\nWhat to do: Call a tool.");
  });
});

describe("isMistakeOfForm", () => {
  it("holds for the first six kinds and for none of the others", () => {
    const factKinds = [
      "claim_refused",
      "denied",
      "tool_error",
      "tool_timeout",
      "check_failed",
      "interrupted",
      "closing",
    ] as const;
    const isForm = (kind: FailureKind): boolean => isMistakeOfForm(failure(kind, { message: "", advice: "" }));
    expect(formKinds.map(isForm)).toEqual([true, true, true, true, true, true]);
    expect(factKinds.map(isForm)).toEqual(factKinds.map(() => false));
  });
});
