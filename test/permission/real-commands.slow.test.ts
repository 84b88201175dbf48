// The gate's belief about commands against their system calls: a quick part of `npm run attacks:real`.

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
  test("do nothing that it did not believe", () => {
    const { status, output } = run("--count", "300");
    expect(output).toMatch(/\d+ as believed, 0 failed/);
    expect(status).toBe(0);
    expect(Number(/(\d+) let through/.exec(output)?.[1])).toBeGreaterThan(100);
  });
});

const inBash = traces && has("bash") && has("zsh") && has("git");

describe.skipIf(!inBash)(
  `holes that one shell or one kind of folder has${inBash ? "" : " (left out: a shell, git or strace is not here)"}`,
  { timeout: 600_000 },
  () => {
    test("a program that ends itself, because nobody reads its output, changed nothing", () => {
      const { status, output } = run("--shells", "dash,bash-as-sh", "--only", "seq 200000 | awk 1 | head -n 1");
      expect(output).toMatch(/dash: as believed[^]*bash-as-sh: as believed/);
      expect(status).toBe(0);
    });
  },
);

describe.skipIf(!traces)(`one command${why}`, { timeout: 60_000 }, () => {
  test("is replayed by its text", () => {
    const { status, output } = run("--shells", "sh", "--only", "cat a | sort");
    expect(output).toContain("sh: as believed");
    expect(status).toBe(0);
  });

  test("that the gate asks about is not run", () => {
    expect(run("--shells", "sh", "--only", "cat .env > made").output).toContain("asks about it, or refuses it");
  });

  test("is not run in a shell that is not there, and the run says so", () => {
    const { status, output } = run("--shells", "no-such-shell", "--only", "pwd");
    expect(output).toContain("no-such-shell: not run on this system");
    expect(status).toBe(4);
  });
});
