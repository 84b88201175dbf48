// Holes that are planted in the gate are found by the system calls of the commands that it lets through. CI has these tests in turn.

import { spawnSync } from "node:child_process";
import { resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { has } from "../programs.js";

const script = resolve(import.meta.dirname, "../../scripts/attacks-real.mjs");

function run(...args: readonly string[]): { readonly status: number | null; readonly output: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...args], { encoding: "utf8" });
  return { status, output: stdout + stderr };
}

/** A container may have strace and forbid tracing. */
const traces = has("strace") && spawnSync("strace", ["-o", "/dev/null", "/bin/sh", "-c", ":"]).status === 0;
const why = traces ? "" : has("strace") ? " (left out: strace may not trace here)" : " (left out: there is no strace)";

describe.skipIf(!traces)(`commands that the gate lets through${why}`, { timeout: 300_000 }, () => {
  test("are found out if the gate takes a quoted ~ for the home folder", () => {
    const { status, output } = run("--planted", "--count", "900", "quoted ~");
    expect(output).toMatch(/found after \d+ commands: a quoted ~/);
    expect(status).toBe(0);
  });

  test("are found out if the gate takes a number of several digits for a descriptor", () => {
    const { status, output } = run("--planted", "--count", "600", "several digits");
    expect(output).toMatch(/found after \d+ commands: a number of several digits/);
    expect(status).toBe(0);
  });
});

const inBash = traces && has("bash") && has("zsh") && has("git");

describe.skipIf(!inBash)(
  `holes that one shell or one kind of folder has${inBash ? "" : " (left out: a shell, git or strace is not here)"}`,
  { timeout: 600_000 },
  () => {
    test.each([
      ["a {name} before a redirection counts as a word", "2000", "1"],
      ["a redirection that touches the file of another one is believed", "2000", "1"],
      ["links in .git are not looked for", "2000", "1"],
    ])("are found out: %s", (name, count, seed) => {
      const { status, output } = run("--planted", "--count", count, "--seed", seed, name);
      expect(output).toMatch(/found after \d+ commands/);
      expect(status).toBe(0);
    });
  },
);
