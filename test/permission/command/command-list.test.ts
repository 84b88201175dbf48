// Loops: those that are known, and those whose variable may have another value than the gate believes.

import { expect, test } from "vitest";
import { readCommand } from "../../../src/permission/command/read-command.js";
import { makeScene } from "../scene.js";

test.each([
  'while read -r f; do echo "$f"; done < a.txt',
  "while read line\ndo\necho x\ndone",
  'cat a.txt | while IFS= read -r line; do printf "%s\\n" "$line"; done | sort',
  'for f in a b; do while read -r x; do echo "$f $x"; done < a.txt; done',
])("%j is understood", (text) => {
  expect(readCommand(text).isUnderstood).toBe(true);
});

test.each([
  "while read -r PATH; do ls; done",
  "while read -r path; do ls; done",
  "while read -r f x; do ls; done",
  "while read -a f; do ls; done",
  "while read; do ls; done",
  "while IFS=/ read -r f; do ls; done",
  "while 'IFS=' read -r f; do ls; done",
  "while read -r f && true; do ls; done",
  "while read -r f < a; do ls; done",
  "while read -r f; do ls; done > a",
  "while read -r f; do ls; done < a b",
  "while read -r f; ls; done",
  "while true; do ls; done",
  "until read -r f; do ls; done",
  "X=1 while read -r f; do ls; done",
  "for f in a; do ls; done < b",
])("%j is not understood", (text) => {
  expect(readCommand(text).isUnderstood).toBe(false);
});

test("the commands of a condition that is not known are still read", () => {
  expect(readCommand("while rm x; do ls; done").commands.map(({ words }) => words)).toContainEqual(["rm", "x"]);
});

// The outer loop goes on with the last value of the inner one.
test.each([
  "for f in a.txt; do for f in ../outside.txt; do echo $f; done; cat $f; done",
  'for f in a.txt; do while read -r f; do echo "$f"; done < list; cat "$f"; done',
  'while read -r f; do for f in a.txt; do echo $f; done; echo "$f"; done < list',
  'while read -r f; do while read -r f; do echo "$f"; done; done < list',
])("an inner loop over the variable of an outer one is asked about: %s", async (command) => {
  const scene = makeScene({ "a.txt": "1\n", list: "../outside.txt" }, "cat");
  expect(await scene.runs(command)).toBe(false);
  expect(await scene.runs("for f in a.txt; do for x in list; do echo $x; done; cat $f; done")).toBe(true);
});

test.each<[body: string, runs: boolean]>([
  ['echo "$f"', true],
  ["printf '%s\\n' \"$f\"", true],
  ['[ -n "$f" ] && echo "$f"', true],
  ["echo $f", false],
  ['cat "$f"', false],
  ['cat "./$f"', false],
  ['grep "$f" a.txt', false],
  ['printf "$f"', false],
  ["printf '%d' \"$f\"", false],
  ['[ "$f" -eq 1 ]', false],
  ['[ -f "$f" ]', false],
  ['git log "$f"', false],
  ['timeout 5 "$f"', false],
  ['"$f"', false],
])("a value that is read may be any text: %s runs unasked: %s", async (body, isAllowed) => {
  const scene = makeScene({ "a.txt": "1\n" }, "cat grep git timeout printf");
  expect(await scene.runs(`while read -r f; do ${body}; done < a.txt`)).toBe(isAllowed);
});

test("the input of a loop is looked at like any other", async () => {
  const scene = makeScene({ ".env": "K=1\n" }, "cat");
  expect(await scene.question('while read -r f; do echo "$f"; done < .env')).toContain("secrets");
  expect(await scene.question("while read -r f; do cat; done < ../outside.txt")).toContain("outside");
});
