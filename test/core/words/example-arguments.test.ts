import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { JsonObject } from "../../../src/core/data/json.js";
import { exampleArguments } from "../../../src/core/words/example-arguments.js";
import { compile } from "../../../src/schema/index.js";

describe("example arguments", () => {
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
    ["one of several schemas", { oneOf: [{ type: "integer" }, { type: "string" }] }, 1],
    [
      "an object with fields, one of several forms required",
      {
        type: "object",
        properties: { a: { type: "string" }, b: { type: "number" }, c: { type: "boolean" } },
        required: ["a"],
        anyOf: [{ required: ["b"] }, { required: ["c"] }],
      },
      { a: "...", b: 1 },
    ],
    ["several types", { type: ["string", "null"] }, "..."],
    ["anything", {}, "..."],
  ])("of %s", (_what, schema, expected) => {
    expect(exampleArguments(schema)).toEqual(expected);
  });

  it("have the required fields of an object, all the way down, and no others", () => {
    const schema = compile(
      z.object({
        path: z.string(),
        mode: z.enum(["fast", "safe"]),
        note: z.string().optional(),
        at: z.object({ line: z.int().min(1), column: z.int().optional() }),
        parts: z.array(z.object({ text: z.string() })),
      }),
    );
    expect(exampleArguments(schema.json)).toEqual({
      path: "...",
      mode: "fast",
      at: { line: 1 },
      parts: [{ text: "..." }],
    });
  });

  it("are accepted by the schema that they are made from", async () => {
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
    expect(await schema.validate(exampleArguments(schema.json))).toMatchObject({ ok: true });
  });
});
