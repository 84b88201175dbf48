import { expect, test } from "vitest";
import { statedChange } from "../../../src/core/text/stated-change.js";

test("the arguments of an edit and of a written file state a diff", () => {
  const edits = [
    { search: "two", replace: "2\n2b" },
    { search: "three", replace: "" },
  ];
  expect(statedChange("edit_file", { path: "a.ts", edits })).toEqual(["-two", "+2", "+2b", "⋮", "-three"]);
  expect(statedChange("write_file", { path: "a.ts", content: "one\ntwo\n" })).toEqual(["+one", "+two"]);
});

test("other tools and other arguments state no diff", () => {
  expect(statedChange("post", { path: "a", content: "b" })).toBeUndefined();
  expect(statedChange("edit_file", { path: "a", edits: [1, { search: 2 }] })).toBeUndefined();
  expect(statedChange("edit_file", null)).toBeUndefined();
  expect(statedChange("write_file", { path: "a", content: 5 })).toBeUndefined();
});
