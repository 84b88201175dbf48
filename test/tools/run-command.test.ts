// run_command: its results, its input and environment, and the limit of its output.

import { existsSync } from "node:fs";
import { mkdir, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { runCommand, type Shell, type ShellCommand } from "../../src/tools/index.js";
import { pause, printEnvironment } from "../programs.js";
import { call, callWhole, makeFolder } from "./fixture.js";

describe("a result", () => {
  test("says the exit code first and the output after it", async () => {
    const root = await makeFolder();
    expect(await call(runCommand({ root }), { command: "echo hi" })).toBe("exit code 0\nhi\n");
  });

  test("is no failure where the exit code is not zero", async () => {
    const root = await makeFolder();
    expect(await call(runCommand({ root }), { command: "echo no >&2; exit 3" })).toBe("exit code 3\nno\n");
    expect(await call(runCommand({ root }), { command: "no-such-program" })).toMatch(
      /^exit code 127\n.*no-such-program/,
    );
  });

  test("says that there was no output", async () => {
    const root = await makeFolder();
    expect(await call(runCommand({ root }), { command: "true" })).toBe("exit code 0\n[no output]");
  });

  test("has both streams in the order in which they were written", async () => {
    const root = await makeFolder();
    const command = "for i in 1 2 3; do echo out $i; echo err $i >&2; done";
    expect(await call(runCommand({ root }), { command })).toBe(
      "exit code 0\nout 1\nerr 1\nout 2\nerr 2\nout 3\nerr 3\n",
    );
  });

  test("names the signal that killed the command", async () => {
    const root = await makeFolder();
    expect(await call(runCommand({ root }), { command: "echo hi; kill -9 $$" })).toBe("killed by signal SIGKILL\nhi\n");
  });
});

describe("a command", () => {
  test("starts in the root, with empty input and no terminal", async () => {
    const root = await makeFolder();
    expect(
      await call(runCommand({ root }), { command: "pwd; read line && echo input; test -t 1 || echo no terminal" }),
    ).toBe(`exit code 0\n${await realpath(root)}\nno terminal\n`);
  });

  test("may start with a dash", async () => {
    const root = await makeFolder();
    expect(await call(runCommand({ root }), { command: "-x" })).toMatch(/^exit code 127\n/);
  });

  test("gets the plain variables and the caller's own, and no key", async () => {
    const root = await makeFolder();
    onTestFinished(() => void vi.unstubAllEnvs());
    vi.stubEnv("SOME_API_KEY", "sk-secret");
    vi.stubEnv("NODE_OPTIONS", "--no-warnings");
    vi.stubEnv("LC_TIME", "C");
    const text = await call(runCommand({ root, env: { MINE: "1", TZ: "Asia/Tokyo" } }), { command: printEnvironment });
    const names = text.split("\n").flatMap((line) => /^(\w+)=/.exec(line)?.[1] ?? []);
    expect(text).not.toContain("sk-secret");
    expect(names).toEqual(expect.arrayContaining(["PATH", "HOME", "LC_TIME", "MINE"]));
    expect(text).toContain("TZ=Asia/Tokyo");
    const plain = /^(PATH|HOME|LANG|LC_\w+|TERM|TMPDIR|USER|SHELL|TZ|MINE|PWD|OLDPWD|SHLVL|_)$/;
    const unattended = /^(GIT_\w+|(?:MAN)?PAGER|EDITOR|VISUAL|SSH_ASKPASS|DEBIAN_FRONTEND)$/;
    expect(names.filter((name) => !plain.test(name) && !unattended.test(name))).toEqual([]);
    for (const line of ["GIT_EDITOR=true", "GIT_TERMINAL_PROMPT=0", "PAGER=cat"]) expect(text).toContain(line);
  });

  test("yields its output while it runs", async () => {
    const root = await makeFolder();
    const { progress } = await callWhole(runCommand({ root }), { command: `echo one; ${pause(0.1)}; echo two` });
    expect(progress).toEqual(["one\n", "two\n"]);
  });

  test("that can't be started fails with the reason", async () => {
    const root = await makeFolder();
    const tool = runCommand({ root });
    await expect(call(tool, { command: `: ${"x".repeat(3_000_000)}` })).rejects.toThrow(
      "The shell could not be started",
    );
    await mkdir(join(root, "gone"));
    const gone = runCommand({ root: join(root, "gone") });
    await rm(join(root, "gone"), { recursive: true });
    await expect(call(gone, { command: "true" })).rejects.toThrow("The shell could not be started");
  });

  test("must not be empty or hold a NUL, and its time must be in bounds", async () => {
    const root = await makeFolder();
    const tool = runCommand({ root });
    await expect(call(tool, { command: "  " })).rejects.toThrow("must not be empty");
    await expect(call(tool, { command: "echo \0" })).rejects.toThrow("NUL character");
    for (const timeout_seconds of [0, -5, 601, 1e12]) {
      await expect(call(tool, { command: "true", timeout_seconds })).rejects.toThrow(
        "must be more than 0 and at most 600",
      );
    }
  });
});

describe("the folder", () => {
  test("is the one that was named, where it is in the workspace", async () => {
    const root = await makeFolder();
    await mkdir(join(root, "packages/a"), { recursive: true });
    await symlink(join(root, "packages"), join(root, "link"));
    const tool = runCommand({ root });
    for (const working_dir of ["packages/a", "./packages/a/", join(root, "packages/a"), "link/a"]) {
      expect(await call(tool, { command: "pwd -P", working_dir })).toBe(`exit code 0\n${root}/packages/a\n`);
    }
    for (const working_dir of [".", ""]) {
      expect(await call(tool, { command: "pwd -P", working_dir })).toBe(`exit code 0\n${root}\n`);
    }
  });

  test("that leads outside, is missing or is none is refused, and nothing is run", async () => {
    const root = await makeFolder();
    const outside = await makeFolder();
    await symlink(outside, join(root, "out"));
    await writeFile(join(root, "file"), "");
    const tool = runCommand({ root });
    for (const working_dir of ["..", outside, "out", "~", "a/../../b", "/"]) {
      await expect(call(tool, { command: "echo x > ran", working_dir })).rejects.toThrow("leads outside the workspace");
    }
    await expect(call(tool, { command: "echo x > ran", working_dir: "gone" })).rejects.toThrow(
      "there is no such folder",
    );
    await expect(call(tool, { command: "echo x > ran", working_dir: "file" })).rejects.toThrow(
      "is a file and no folder",
    );
    await expect(call(tool, { command: "echo x > ran", working_dir: "a\0b" })).rejects.toThrow("NUL character");
    expect([existsSync(join(root, "ran")), existsSync(join(outside, "ran"))]).toEqual([false, false]);
  });
});

describe("before it runs", () => {
  test("permission is told the command and the folder, and a person all of it", async () => {
    const root = await makeFolder();
    const tool = runCommand({ root });
    const command = `echo ${"x".repeat(20_000)}\n rm -r *`;
    const { signal } = new AbortController();
    expect(tool.reach?.({ command })).toEqual({ command, folder: "." });
    expect(tool.reach?.({ command, working_dir: "a" })).toEqual({ command, folder: "a" });
    expect(tool.preview?.({ command }, signal)).toBe(command);
    expect(tool.preview?.({ command, working_dir: "a\nb", timeout_seconds: 5 }, signal)).toBe(
      `in "a\\nb", for at most 5 s:\n${command}`,
    );
  });
});

describe("output for terminals", () => {
  test("is left out of the result and of what is yielded, and progress keeps its last state", async () => {
    const root = await makeFolder();
    const command = String.raw`printf '\033[1;3'; ${pause(0.1)}; printf '1mred\033[0m\n\033]0;title\007'; printf '10%%\r'; ${pause(0.1)}; printf '100%%\n\377\n'`;
    const { value, progress } = await callWhole(runCommand({ root }), { command });
    expect(value).toBe("exit code 0\nred\n100%\n\uFFFD\n");
    expect(progress.join("")).toBe("red\n100%\n\uFFFD\n");
  });
});

describe("another shell", () => {
  test("runs the commands, and the model is told its walls", async () => {
    const root = await makeFolder();
    const seen: ShellCommand[] = [];
    const shell: Shell = {
      description: "A shell that only says what it would do.",
      walls: ["files", "protected", "network", "home", "secrets"],
      run(command) {
        seen.push(command);
        command.onOutput(Buffer.from("would\n"));
        return Promise.resolve({ how: "exited", code: 0 });
      },
    };
    const tool = runCommand({ root, shell });
    expect(tool.description).toContain("A shell that only says what it would do.");
    expect(runCommand({ root }).description).not.toContain("sandbox");
    expect(await call(tool, { command: "rm -r x", timeout_seconds: 7 })).toBe("exit code 0\nwould\n");
    expect(seen).toMatchObject([{ command: "rm -r x", folder: root, seconds: 7 }]);
  });
});
