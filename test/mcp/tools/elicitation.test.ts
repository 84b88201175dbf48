// A question that a server asks of the user: its schema, and the answer to it.

import { describe, expect, test } from "vitest";
import { answerFrom, readQuestion, replySchemaFor } from "../../../src/mcp/tools/elicitation.js";

const asked = (params: unknown) => readQuestion("shop", params, new AbortController().signal);

describe("the answer to a server", () => {
  test("is a no unless the reply says yes in so many words", () => {
    for (const reply of [null, "accept", [], {}, { action: "Accept" }, { action: true }, { content: { size: 3 } }])
      expect(answerFrom(reply)).toEqual({ action: "decline" });
    expect(answerFrom({ action: "decline", content: { size: 3 } })).toEqual({ action: "decline" });
  });

  test("has the fields of a yes, and none if they are no object", () => {
    expect(answerFrom({ action: "accept", content: { size: 3 } })).toEqual({ action: "accept", content: { size: 3 } });
    for (const content of ["words", [1], null])
      expect(answerFrom({ action: "accept", content })).toEqual({ action: "accept", content: {} });
  });
});

describe("the schema of a reply", () => {
  const contentOf = (schema: unknown): unknown =>
    (replySchemaFor(asked({ message: "Which?", requestedSchema: schema }))["properties"] as Record<string, unknown>)[
      "content"
    ];

  test("keeps kinds, words and choices of the fields, and nothing else of a stranger's schema", () => {
    const size = {
      type: "integer",
      title: "Size",
      description: "in cm",
      pattern: "(a+)+$",
      $ref: "file:///etc/passwd",
    };
    const colour = { type: "object", enum: ["red", 3, "blue"] };
    expect(contentOf({ properties: { size, colour, odd: "words" }, required: ["size", "missing"] })).toEqual({
      type: "object",
      properties: {
        size: { type: "integer", description: "Size: in cm" },
        colour: { type: "string", enum: ["red", "blue"] },
        odd: { type: "string" },
      },
      required: ["size"],
    });
  });

  test("has fifty fields at most, and asks for none that it lacks", () => {
    const names = Array.from({ length: 60 }, (_none, at) => `field${String(at)}`);
    const properties = Object.fromEntries(names.map((name) => [name, { type: "string" }]));
    const { properties: kept, required } = contentOf({ properties, required: names }) as {
      readonly properties: object;
      readonly required: readonly string[];
    };
    expect([Object.keys(kept), required]).toEqual([names.slice(0, 50), names.slice(0, 50)]);
  });

  test("asks for a yes or no, whatever the server sent", () => {
    for (const schema of [undefined, "words", [], { properties: 3, required: "size" }])
      expect(replySchemaFor(asked({ requestedSchema: schema }))).toMatchObject({
        properties: { action: { enum: ["accept", "decline"] }, content: { properties: {}, required: [] } },
        required: ["action"],
      });
  });
});

test("a question shows characters that hide, and is cut", () => {
  expect(asked({ message: "Pay\u200B?" }).message).toBe("Pay?");
  expect(asked({ message: "x".repeat(5000) }).message.length).toBeLessThan(2100);
  expect(asked("words")).toMatchObject({ message: "", schema: {} });
});
