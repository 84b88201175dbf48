import { expect, test } from "vitest";
import { firstDifference } from "../../../src/testing/cassette/first-difference.js";

test("a changed word is shown with the text around it", () => {
  const before = { messages: [{ content: `${"long ".repeat(30)}the old word ${"and more ".repeat(20)}` }] };
  const now = { messages: [{ content: before.messages[0]?.content.replace("old", "new") }] };
  const found = firstDifference(before, now) ?? "";
  expect(found).toMatch(/^\/messages\/0\/content was ….*the old word.*… and is ….*the new word.*…$/);
  expect(found.length).toBeLessThan(260);
});

test("a tool that is gone or new is named, in the forms of both APIs", () => {
  const tools = ["read_file", "write_file"].map((name) => ({ type: "function", function: { name } }));
  expect(firstDifference({ tools }, { tools: tools.slice(1) })).toBe("/tools: read_file is gone");
  const flat = ["a", "b"].map((name) => ({ name }));
  expect(firstDifference({ tools: flat.slice(1) }, { tools: flat })).toBe("/tools: a is new");
});

test("a field that came or went is absent on the other side, and equal bodies have no difference", () => {
  expect(firstDifference({ a: 1 }, { a: 1, b: 2 })).toBe("/b was absent and is 2");
  expect(firstDifference([1, 2], [1])).toBe("/1 was 2 and is absent");
  expect(firstDifference("a", { b: 1 })).toBe('the body was "a" and is {"b":1}');
  expect(firstDifference({ a: 1, b: 2 }, { b: 2, a: 1 })).toBeUndefined();
});
