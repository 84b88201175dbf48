// Sums in a command: the gate puts the same digits in their place as every shell.

import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { sumIn } from "../../../src/permission/command/arithmetic.js";
import { readCommand } from "../../../src/permission/command/read-command.js";
import { has } from "../../programs.js";

const shells = ["sh", "dash", "bash", "zsh"].filter(has);

test.each(["1+2", "10 - 2 - 3", "7/2*2", "7*3%4", "1+2*3-4/2", "0", " 12 ", "100-99%7*2", "8/3/2+1"])("%s", (text) => {
  const { value } = sumIn(`((${text})) x`) ?? { value: "none" };
  for (const shell of shells)
    expect(
      execFileSync(shell, ["-c", `echo $((${text}))`])
        .toString()
        .trim(),
    ).toBe(value);
});

test.each([
  "1-2",
  "1/0",
  "07+1",
  "x+1",
  "a[$(id)]",
  "1<<2",
  "2**3",
  "1--1",
  "-1",
  "1?2:3",
  "999999999*999999999",
  "",
  "(1)",
])("%j is no sum that is known", (text) => {
  expect(sumIn(`((${text}))`)).toBeUndefined();
  expect(readCommand(`echo $((${text}))`).isUnderstood).toBe(false);
});

test("a sum before a redirection is a word, and no descriptor", () => {
  expect(readCommand("echo $((1+1))>/dev/null").commands[0]?.words).toEqual(["echo", "2"]);
});
