import { expect, test } from "vitest";
import { isBackground } from "../../../../src/cli/chat/screen/foreground.js";

test.each([
  { why: "the terminal's foreground is this group", stat: "12 (node) R 1 12 12 34816 12 4194304", is: false },
  { why: "the foreground is the shell's group", stat: "12 (node) R 1 12 10 34816 10 4194304", is: true },
  { why: "there is no terminal", stat: "12 (node) S 1 12 12 0 -1 4194304", is: false },
  { why: "a name has parentheses and spaces", stat: "12 (a) R 1 (b) S 1 12 10 34816 10 419", is: true },
  { why: "a line is cut off", stat: "12 (node) R 1", is: false },
])("a process is in the background: $is, since $why", ({ stat, is }) => {
  expect(isBackground(stat)).toBe(is);
});
