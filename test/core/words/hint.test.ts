import { describe, expect, it } from "vitest";
import { z } from "zod";
import { describeFailure, failure } from "../../../src/core/data/failure.js";
import { hint, nudge } from "../../../src/core/words/hint.js";
import type { JsonObject } from "../../../src/core/data/json.js";
import type { JsonSchema } from "../../../src/core/data/tool-schema.js";
import { tool } from "../../../src/core/ports/tool.js";
import { toolbox } from "../../../src/core/ports/toolbox.js";
import { compile } from "../../../src/schema/index.js";
import { askQuestion, taskCompletion } from "../../../src/tools/index.js";

const read = tool({
  name: "read",
  description: `Reads a file.\n${"It is long. ".repeat(20)}`,
  input: z.object({ path: z.string() }),
});
const tools = toolbox([taskCompletion(), read, askQuestion()], compile);
const facts = { message: "No.", advice: "Do better." };
const ofRead = failure("invalid_arguments", { tool: "read", ...facts });
const ofNone = failure("no_tool_call", facts);

describe("hint", () => {
  it("is empty at the first failure", () => {
    expect(hint(ofRead, 1, tools, undefined)).toBe("");
  });

  it("says at the second failure that the same call will fail again", () => {
    const words = hint(ofRead, 2, tools, undefined);
    expect(words).toBe(
      "This is the second time in a row: the same thing again will fail again. Do what is said above.",
    );
  });

  it("said of a timeout, too, that the same call will fail again: of facts about the world nothing is foretold", () => {
    for (const kind of ["tool_error", "tool_timeout", "denied"] as const)
      expect(hint(failure(kind, { tool: "read", ...facts }), 2, tools, undefined)).toBe(
        "This is the second time in a row. Do what is said above.",
      );
  });

  it("adds the schema of the called tool at the third failure", () => {
    const words = hint(ofRead, 3, tools, undefined);
    expect(words).toContain("the third time in a row");
    expect(words).toContain(
      `The arguments of read must fit this schema: ${JSON.stringify(tools.find("read")!.schema.json)}`,
    );
  });

  it("gives no schema for a call whose arguments were right", () => {
    for (const kind of ["denied", "tool_error", "tool_timeout"] as const) {
      const [times, advice, ...others] = hint(failure(kind, { tool: "read", ...facts }), 3, tools, undefined).split(
        "\n",
      );
      expect(times).toContain("the third time in a row");
      expect(advice).toBe("Go another way, or end by calling ask_question or task_completion.");
      expect(others).toEqual([]);
    }
    const claim = failure("claim_refused", { tool: "task_completion", ...facts });
    expect(hint(claim, 3, tools, undefined).split("\n")).toHaveLength(1);
  });

  it("adds the list of tools and an example call at the third failure if the call named no existing tool", () => {
    for (const each of [ofNone, failure("unknown_tool", { tool: "fly", ...facts })]) {
      const lines = hint(each, 3, tools, undefined).split("\n");
      expect(lines.slice(1, 2)).toEqual(["These are the tools:"]);
      expect(lines.filter((line) => line.startsWith("- ")).map((line) => line.split(":")[0])).toEqual([
        "- ask_question",
        "- read",
        "- task_completion",
      ]);
      expect(lines[3]).toMatch(/^- read: Reads a file\. It is long\. .{80,100}…$/);
      expect(lines.at(-1)).toBe('A complete call, for example: task_completion with the arguments {"result":"..."}');
    }
  });

  it("shows the schema where no example can be made, and no schema for calls that conflict", () => {
    const reference = { type: "object", $ref: "#/$defs/claim", $defs: { claim: { type: "object" } } } as const;
    const odd = toolbox(
      [
        tool({
          name: "submit",
          description: "Ends.",
          isLoopBreaking: true,
          input: { $ref: reference.$ref, $defs: reference.$defs } as unknown as JsonSchema,
          run: () => "",
        }),
      ],
      (schema) => ({ ...compile(z.object({})), json: schema as JsonObject }),
    );
    const last = hint(ofNone, 3, odd, undefined).split("\n").at(-1);
    expect(last).toMatch(/^A complete call, for example: submit with arguments for this schema: \{"\$ref"/);
    const conflict = failure("conflicting_calls", { tool: "task_completion", ...facts });
    expect(hint(conflict, 3, tools, undefined).split("\n")).toHaveLength(1);
  });

  it("warns before the run stops, and keeps the rest of the hint", () => {
    const fourth = hint(ofRead, 4, tools, "same");
    expect(fourth).toContain("the fourth time in a row");
    expect(fourth).toContain("must fit this schema");
    expect(fourth).toMatch(/\nIf the next reply fails the same way, the run is stopped\.$/);
    expect(hint(ofNone, 1, tools, "any")).toBe("If the next reply fails in any way, the run is stopped.");
  });

  it("counts in words up to ten, and then in numbers", () => {
    expect(hint(ofNone, 10, tools, undefined)).toContain("the tenth time in a row");
    expect(hint(ofNone, 21, tools, undefined)).toContain("time number 21 in a row");
  });

  it("follows the advice in the text for the model, and is not part of the signature", () => {
    const hinted = { ...ofNone, hint: "Once more." };
    expect(describeFailure(hinted)).toBe("ERROR no_tool_call: No.\nWhat to do: Do better.\nOnce more.");
    expect(hinted.signature).toBe(ofNone.signature);
  });
});

describe("nudge", () => {
  it("says what repeats, how to end, and when the run stops", () => {
    expect(nudge(3, 6, tools)).toBe(
      [
        "You have made the same calls with the same results 3 times in a row. Nothing new will come of them.",
        "Use what you have, go another way, or end by calling ask_question or task_completion.",
        "After 6 times in a row the run is stopped.",
      ].join("\n"),
    );
  });
});
