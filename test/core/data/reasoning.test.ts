// The reasoning of a reply in the fields of providers.

import { expect, test } from "vitest";
import { reasoningIn } from "../../../src/core/internal.js";

test.each<[string, unknown, readonly string[]]>([
  ["chat completions", { reasoning_content: "It is dark." }, ["It is dark."]],
  ["a router", { reasoning_details: [{ type: "reasoning", text: "Dark." }] }, ["Dark."]],
  ["responses", { output: [{ type: "reasoning", summary: [{ text: "A" }, { text: "B" }] }] }, ["A", "B"]],
  ["a package", { ai_sdk_parts: [{ type: "verbatim", part: { type: "reasoning", text: "C" } }] }, ["C"]],
  ["sealed reasoning", { output: [{ type: "reasoning", encrypted_content: "x", summary: [] }] }, []],
  ["a reply without extras", undefined, []],
])("the reasoning of %s is found", (_where, extras, texts) => {
  expect(reasoningIn(extras)).toEqual(texts);
});
