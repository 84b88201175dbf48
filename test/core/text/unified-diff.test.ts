// Unified diffs: patch turns the old text into the new one.

import { execFileSync } from "node:child_process";
import { readFile as read, writeFile as write } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { changedLines, unifiedDiff } from "../../../src/core/text/unified-diff.js";
import { makeFolder } from "../../tools/fixture.js";
import { processorTime } from "../../processor-time.js";
import { without } from "../../programs.js";

test("a change shows with three lines around it", () => {
  const lines = Array.from({ length: 20 }, (_, at) => `${String(at + 1)}\n`);
  const after = lines.map((line) => (line === "10\n" ? "ten\n" : line)).join("");
  expect(unifiedDiff("a.txt", lines.join(""), after)).toBe(
    ["--- a/a.txt", "+++ b/a.txt", "@@ -7,7 +7,7 @@", " 7", " 8", " 9", "-10", "+ten", " 11", " 12", " 13"].join("\n"),
  );
});

test("a new file, a deleted one, a missing line break and nothing at all", () => {
  expect(unifiedDiff("a", undefined, "x\ny")).toBe(
    "--- /dev/null\n+++ b/a\n@@ -0,0 +1,2 @@\n+x\n+y\n\\ No newline at end of file",
  );
  expect(unifiedDiff("a", "x\n", undefined)).toBe("--- a/a\n+++ /dev/null\n@@ -1 +0,0 @@\n-x");
  expect(unifiedDiff("a", "x\n", "x\n")).toBe("");
});

test("two texts of 100,000 lines that share nothing take less than a second", () => {
  const text = (word: string): string => Array.from({ length: 100_000 }, (_, at) => `${word} ${String(at)}\n`).join("");
  const spent = processorTime();
  expect(unifiedDiff("a", text("a"), text("b")).split("\n")).toHaveLength(200_003);
  expect(spent()).toBeLessThan(1000);
});

test("applied, a diff makes the new text of the old one", () => {
  const lines = fc.array(fc.constantFrom("a\n", "b\n", "c\n", "\n", "-x\n", "d\r\n"), { maxLength: 30 });
  const text = fc.tuple(lines, fc.constantFrom("", "end")).map(([all, end]) => all.join("") + end);
  fc.assert(
    fc.property(text, text, (before, after) => {
      expect(apply(before, unifiedDiff("f", before, after))).toBe(after);
    }),
    { numRuns: 2000 },
  );
});

const noGit = without("git");
test.skipIf(noGit)(`git takes the diffs${noGit}`, async () => {
  const root = await makeFolder();
  const before = Array.from({ length: 60 }, (_, at) => `line ${String(at)}\n`).join("");
  const after = before.replace("line 3\n", "").replace("line 30\n", "thirty\nmore\n").replace("line 59\n", "end");
  await write(join(root, "f"), before);
  execFileSync("git", ["apply", "-"], { cwd: root, input: `${unifiedDiff("f", before, after)}\n` });
  expect(await read(join(root, "f"), "utf8")).toBe(after);
});

/** Applies a diff strictly: each line that it names must exist. */
function apply(before: string, diff: string): string {
  if (diff === "") return before;
  const old = before === "" ? [] : before.split(/(?<=\n)/);
  const made: string[] = [];
  let at = 0;
  const told = diff.split("\n").slice(2);
  told.forEach((line, index) => {
    const ending = told[index + 1]?.startsWith("\\ No newline") === true ? "" : "\n";
    const [, start, count] = /^@@ -(\d+)(?:,(\d+))? /.exec(line) ?? [];
    if (start !== undefined) {
      const from = count === "0" ? Number(start) : Number(start) - 1;
      made.push(...old.slice(at, from));
      at = from;
    } else if (line.startsWith("+")) made.push(line.slice(1) + ending);
    else if (!line.startsWith("\\")) {
      expect(old[at]).toBe(line.slice(1) + ending);
      if (line.startsWith(" ")) made.push(old[at] ?? "");
      at += 1;
    }
  });
  return [...made, ...old.slice(at)].join("");
}

test("the changed lines of a part of a file have no heads, and places that are apart are divided", () => {
  expect(changedLines("two", "2\n2b")).toEqual(["-two", "+2", "+2b"]);
  expect(changedLines("a\r\nb\r\n", "a\r\nB\r\n")).toEqual([" a", "-b", "+B"]);
  expect(changedLines("same", "same")).toEqual([]);
  const lines = Array.from({ length: 12 }, (_, at) => String(at));
  const after = ["x", ...lines.slice(1, -1), "y"];
  expect(changedLines(lines.join("\n"), after.join("\n"))).toEqual([
    "-0",
    "+x",
    " 1",
    " 2",
    " 3",
    "⋮",
    " 8",
    " 9",
    " 10",
    "-11",
    "+y",
  ]);
});
