// The form of a typed reply in short.

import { expect, test } from "vitest";
import { z } from "zod";
import { replyForm } from "../../../src/cli/display/reply-form.js";

test("each kind of field is short, and optional ones are marked", () => {
  const schema = z.object({
    yes: z.boolean(),
    note: z.string().optional(),
    many: z.array(z.int()),
    kind: z.enum(["a", "b"]),
    either: z.union([z.number(), z.null()]),
    at: z.object({ x: z.number() }),
    fixed: z.literal(3),
  });
  expect(replyForm(z.toJSONSchema(schema))).toBe(
    '{ "yes": true | false, "note"?: "text", "many": [whole number, ...], "kind": "a" | "b", "either": number | null, "at": { "x": number }, "fixed": 3 }',
  );
  expect([replyForm({}), replyForm(true), replyForm({ type: "object", properties: {} })]).toEqual([
    "any value",
    "any value",
    "{}",
  ]);
});
