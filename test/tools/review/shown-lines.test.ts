// The lines that unified diffs show, as git and lastcall diff print them.

import { expect, test } from "vitest";
import { shownLines } from "../../../src/tools/review/shown-lines.js";

const diff = `Review these.
[outside 1a2b]
diff --git a/src/a.ts b/src/a.ts
index 1..2 100644
--- a/src/a.ts
+++ b/src/a.ts
@@ -1,4 +1,5 @@
 one
--- old comment
+++ b/not/a/file
+two
 three
 four
@@ -20 +21,2 @@ function x() {
-a
+b
+c
\\ No newline at end of file
diff --git a/gone.txt b/gone.txt
--- a/gone.txt
+++ /dev/null
@@ -1,2 +0,0 @@
-1
-2
--- /dev/null
+++ b/new.txt
@@ -0,0 +1 @@
+1
diff --git a/p.png b/p.png
Binary files a/p.png and b/p.png differ
Binary files /dev/null and b/q.png differ
diff --git "a/t\\tb" "b/t\\tb"
--- "a/t\\tb"
+++ "b/t\\tb"
@@ -3,2 +3,0 @@
-x
-y
[end 1a2b]`;

test("each file has its shown lines: of the new file, and of the old one if it is gone", () => {
  expect([...shownLines(diff)]).toEqual([
    [
      "src/a.ts",
      [
        [1, 5],
        [21, 22],
      ],
    ],
    ["gone.txt", [[1, 2]]],
    ["new.txt", [[1, 1]]],
    ["p.png", []],
    ["q.png", []],
    ["t\tb", [[3, 3]]],
  ]);
});

test("text without a diff shows no file", () => {
  expect(shownLines("--- a rule\n@@ -1 +1 @@\nBinary choice").size).toBe(0);
});

test("a diff that was cut within a hunk ends there", () => {
  expect([...shownLines("--- a/x\n+++ b/x\n@@ -1,9 +1,9 @@\n one")]).toEqual([["x", [[1, 9]]]]);
});
