// A question that a server asks of the user: its schema, and the answer to it.

import { describe, expect, test } from "vitest";
import { answerFrom, readQuestion, replySchemaFor } from "../../../src/mcp/tools/elicitation.js";

const asked = (params: unknown) => readQuestion("shop", params, new AbortController().signal);

const bare = asked({});

describe("the answer to a server", () => {
  test("is a no unless the reply says yes in so many words", () => {
    for (const reply of [null, "accept", [], {}, { action: "Accept" }, { action: true }, { content: { size: 3 } }])
      expect(answerFrom(reply, bare)).toEqual({ action: "decline" });
    expect(answerFrom({ action: "decline", content: { size: 3 } }, bare)).toEqual({ action: "decline" });
  });

  test("has the fields of a yes, and none if they are no object", () => {
    const content = { size: 3 };
    expect(answerFrom({ action: "accept", content }, bare)).toEqual({ action: "accept", content });
    for (const odd of ["words", [1], null])
      expect(answerFrom({ action: "accept", content: odd }, bare)).toEqual({ action: "accept", content: {} });
  });

  test("has the server's defaults for the fields that it leaves out", () => {
    const properties = { size: { enum: ["s", "l"], default: "l" }, count: { type: "integer", default: 1.5 }, name: {} };
    const question = asked({ requestedSchema: { properties, required: ["size", "name"] } });
    expect(replySchemaFor(question)).toMatchObject({ properties: { content: { required: ["name"] } } });
    const accept = (content: object) => answerFrom({ action: "accept", content } as never, question);
    expect(accept({ name: "a" })).toEqual({ action: "accept", content: { size: "l", name: "a" } });
    expect(accept({ size: "s" })).toEqual({ action: "accept", content: { size: "s" } });
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

  test.each<[string, object, object]>([
    [
      "many choices",
      { type: "array", items: { type: "string", enum: ["ham", "olives"] }, minItems: 1, maxItems: 2, default: ["ham"] },
      { type: "array", items: { type: "string", enum: ["ham", "olives"] }, minItems: 1, maxItems: 2, default: ["ham"] },
    ],
    [
      "many choices with titles",
      { type: "array", title: "Toppings", items: { anyOf: [{ const: "h", title: "Ham" }, { const: "o" }] } },
      { type: "array", items: { type: "string", enum: ["h", "o"] }, description: "Toppings (h = Ham)" },
    ],
    [
      "one choice with titles",
      {
        type: "string",
        oneOf: [
          { const: "s", title: "Small" },
          { const: "l", title: "Large" },
        ],
        default: "l",
      },
      { type: "string", enum: ["s", "l"], description: "(s = Small, l = Large)", default: "l" },
    ],
    [
      "one choice with names beside it",
      { type: "string", enum: ["s", "l"], enumNames: ["Small", "l"] },
      { type: "string", enum: ["s", "l"], description: "(s = Small)" },
    ],
    [
      "a range",
      { type: "number", minimum: 0, maximum: 1.5, minLength: 3 },
      { type: "number", minimum: 0, maximum: 1.5 },
    ],
    [
      "a length and a format",
      { type: "string", minLength: 3, maxLength: 9, format: "email" },
      { type: "string", minLength: 3, maxLength: 9, description: "(as email)" },
    ],
    [
      "bounds that are none",
      { type: "array", items: 5, minItems: -1, maxItems: "x" },
      { type: "array", items: { type: "string" } },
    ],
    ["a default of another kind", { type: "boolean", default: "yes" }, { type: "boolean" }],
    ["a default that is no choice", { enum: ["a"], default: "b" }, { type: "string", enum: ["a"] }],
  ])("keeps what the protocol has for a field: %s", (_what, field, kept) => {
    expect(contentOf({ properties: { field } })).toMatchObject({ properties: { field: kept } });
    expect(
      Object.keys((contentOf({ properties: { field } }) as { properties: { field: object } }).properties.field).sort(),
    ).toEqual(Object.keys(kept).sort());
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
