// lastcall diff, undo and redo: what a task changed in its folder, shown, taken back and made again.

import { chmod, mkdir, readdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { call, scriptedProvider, type Script } from "../../../src/testing/index.js";
import { leftOut, picture } from "../../tools/changes/world.js";
import { runHere, temporary, type Ended } from "../command.js";
import { listed, plainCommand } from "../../mcp/plain-server.js";

const done = [call("task_completion", { result: "It is done." })];
const work: Script = [
  [call("write_file", { path: "src/new.txt", content: "new\n" })],
  [
    call("run_command", {
      command: "printf 'two\\n' >> old.txt; rm -r gone; chmod 600 script.sh; printf '\\000' > bin",
    }),
  ],
  done,
];

interface Place {
  readonly path: string;
  readonly sessions: string;
  /** Works on a task with this script, and returns the id of the session. */
  task(script: Script, ...args: readonly string[]): Promise<string>;
  lastcall(...words: readonly string[]): Promise<Ended>;
}

async function inFolder(use: (place: Place) => Promise<void>): Promise<void> {
  await using folder = await temporary();
  await using kept = await temporary();
  const { path } = folder;
  const sessions = join(kept.path, "sessions");
  await mkdir(join(path, "gone/deep"), { recursive: true });
  await writeFile(join(path, "gone/deep/file"), "gone\n");
  await writeFile(join(path, "old.txt"), "one\n");
  await writeFile(join(path, "script.sh"), "#!/bin/sh\n");
  await chmod(join(path, "script.sh"), 0o755);
  const lastcall = (...words: readonly string[]): Promise<Ended> => runHere([...words, "--sessions", sessions]);
  await use({
    path,
    sessions,
    lastcall,
    async task(script, ...args) {
      await using provider = await scriptedProvider(script);
      const server = ["--base-url", provider.url, "--model", "m", "--workdir", path, "--yes"];
      const { code, stderr } = await lastcall("do it", ...server, ...args);
      expect(code, stderr).toBe(0);
      const { stdout } = await lastcall("sessions");
      return /^\S+/.exec(stdout)?.[0] ?? "";
    },
  });
}

describe.skipIf(leftOut !== "")(`what a task has changed${leftOut}`, () => {
  test("is shown, taken back and made again", async () => {
    await inFolder(async ({ path, task, lastcall }) => {
      const before = picture(path);
      const id = await task(work);
      const after = picture(path);
      const { stdout } = await lastcall("diff", id);
      expect(stdout).toContain("--- /dev/null\n+++ b/src/new.txt\n@@ -0,0 +1 @@\n+new\n");
      expect(stdout).toContain(" one\n+two\n");
      expect(stdout).toContain("script.sh: a file (mode 755, ");
      expect((await lastcall("diff", `${id}@1`)).stdout).not.toContain("new.txt");
      expect(await lastcall("undo", id, "--dry-run")).toMatchObject({
        code: 0,
        stdout: expect.stringContaining("Would be taken back: 8 paths\n  bin\n  gone\n"),
      });
      const foreseen = JSON.parse((await lastcall("undo", id, "--dry-run", "--json")).stdout) as object;
      expect(foreseen).toMatchObject({ changed: expect.arrayContaining(["bin", "gone"]), conflicts: [] });
      expect(picture(path)).toEqual(after);
      const undone = await lastcall("undo", id);
      expect(undone).toMatchObject({
        code: 0,
        stdout: expect.stringContaining("Taken back: 8 paths\n  bin\n  gone\n"),
      });
      expect(picture(path)).toEqual(before);
      expect(await lastcall("undo", id)).toMatchObject({
        code: 4,
        stderr: expect.stringContaining("has changed nothing"),
      });
      expect(await lastcall("redo", id, "--dry-run")).toMatchObject({
        code: 0,
        stdout: expect.stringContaining("Would be made again: 8 paths\n"),
      });
      expect(picture(path)).toEqual(before);
      expect(await lastcall("redo", id)).toMatchObject({
        code: 0,
        stdout: expect.stringContaining("Made again: 8 paths\n"),
      });
      expect(picture(path)).toEqual(after);
      expect(JSON.parse((await lastcall("undo", `${id}@1`, "--json")).stdout)).toMatchObject({
        conflicts: [],
        unseen: [],
      });
      expect(await readFile(join(path, "src/new.txt"), "utf8")).toBe("new\n");
      expect(await readFile(join(path, "old.txt"), "utf8")).toBe("one\n");
    });
  });

  test("and somebody else has changed since is named, and the code says so", async () => {
    await inFolder(async ({ path, task, lastcall }) => {
      const id = await task(work);
      await writeFile(join(path, "old.txt"), "mine\n");
      const dry = await lastcall("undo", id, "--dry-run");
      expect(dry).toMatchObject({
        code: 2,
        stdout: expect.stringContaining("Would be left as it is:\n  old.txt: it was changed since\n"),
      });
      const { code, stdout } = await lastcall("undo", id);
      expect(code).toBe(2);
      expect(stdout).toContain("Left as it is:\n  old.txt: it was changed since\n");
      expect(await readFile(join(path, "old.txt"), "utf8")).toBe("mine\n");
    });
  });

  test("by the tool of an MCP server on this machine is taken back, too", async () => {
    await inFolder(async ({ path, task, lastcall }) => {
      // The server writes a line into its log for each call, and the log is a file of the folder.
      const log = join(path, "calls.log");
      const plain = plainCommand({ tools: [listed("echo")], log });
      await writeFile(join(path, "servers.json"), JSON.stringify({ mcpServers: { plain } }));
      const id = await task([[call("plain__echo", {})], done], "--mcp", join(path, "servers.json"));
      const called = await readFile(log, "utf8");
      expect((await lastcall("diff", id)).stdout).toMatch(/\+\+\+ b\/calls\.log\n/);
      expect(await lastcall("undo", id)).toMatchObject({ code: 0, stdout: "Taken back: 1 path\n  calls.log\n" });
      const before = await readFile(log, "utf8");
      expect(called.startsWith(before) && before.length < called.length).toBe(true);
    });
  });

  test("is forgotten with the session", async () => {
    await inFolder(async ({ path, sessions, task, lastcall }) => {
      const id = await task(work);
      const file = join(sessions, id, "journal.jsonl");
      await utimes(file, 1, 1);
      expect(await lastcall("prune", "1h")).toMatchObject({ code: 0, stdout: `${id}\n` });
      // The contents may be needed by a process at work for a day.
      const [place = ""] = await readdir(join(sessions, ".changes"));
      expect(await readdir(join(sessions, ".changes", place, "sessions"))).toEqual([]);
      expect((await lastcall("sessions")).stdout).toBe("");
      expect(picture(path)["bin"]).toBeDefined();
    });
  });

  test("is kept where only the user reads it, and not at all with --no-save or in a dry run", async () => {
    await inFolder(async ({ path, sessions, task }) => {
      await task(work);
      const place = join(sessions, ".changes");
      expect((await stat(place)).mode & 0o777).toBe(0o700);
      await rm(place, { recursive: true });
      await using provider = await scriptedProvider([[call("write_file", { path: "x", content: "x" })], done]);
      const server = ["--base-url", provider.url, "--model", "m", "--workdir", path, "--yes", "--no-save"];
      const state = dirname(sessions);
      expect(await runHere(["do it", ...server], { XDG_STATE_HOME: state })).toMatchObject({ code: 0 });
      expect(await readdir(state)).toEqual(["sessions"]);
      await task([[call("write_file", { path: "x", content: "x" })], done], "--dry-run");
      await expect(stat(place)).rejects.toThrow("ENOENT");
      expect(picture(path)["x"]).toBeDefined();
    });
  });
});

describe.skipIf(leftOut !== "")(`caps of a task${leftOut}`, () => {
  const over: Script = [
    [call("write_file", { path: "a.txt", content: "1\n" })],
    [call("run_command", { command: "echo > b.txt" })],
    done,
    [call("run_command", { command: "rm b.txt" })],
    done,
  ];
  const inPlace = async (
    script: Script,
    use: (ask: (...words: readonly string[]) => Promise<Ended>, path: string) => Promise<void>,
  ): Promise<void> => {
    await inFolder(async ({ path, lastcall }) => {
      await using provider = await scriptedProvider(script);
      const server = ["--base-url", provider.url, "--model", "m", "--workdir", path, "--yes"];
      await use((...words) => lastcall("do it", ...server, ...words), path);
    });
  };

  test("are told at once, refuse a claim, and are kept with the session", async () => {
    await inPlace(over, async (ask) => {
      const { code, stderr } = await ask("--cap", "files: 1", "--cap", "only: *.txt");
      expect(code, stderr).toBe(0);
      const lines = stderr.split("\n").filter((line) => line.includes("rule "));
      // Once after the command, and once at the claim.
      expect(lines).toHaveLength(2);
      expect(lines[0]).toContain("rule at most 1 file: broken. 2 files changed, and at most 1 may: a.txt, b.txt.");
      expect(stderr).toContain("completed, unchecked");
    });
  });

  test("that are soft refuse nothing, and the person is told at the end, too", async () => {
    await inPlace([over[0]!, over[1]!, done], async (ask) => {
      const { code, stderr, stdout } = await ask("--soft-cap", "files: 1", "--json");
      expect(code, stderr).toBe(0);
      expect(stderr).toContain("rule at most 1 file (advice): broken.");
      expect(stderr).toContain("The rule at most 1 file (advice) is broken.");
      expect(JSON.parse(stdout)).toMatchObject({ receipts: [{ kind: "advice", passed: false }] });
    });
  });

  test("of a config file that came with the folder do nothing before somebody trusts it", async () => {
    await inPlace([over[0]!, done, over[0]!, done, done, done, done, done], async (ask, path) => {
      const config = join(path, "lastcall.config.yaml");
      await writeFile(config, 'cap: ["files: 0"]\n');
      const untrusted = await ask();
      expect(untrusted.code, untrusted.stderr).toBe(0);
      expect(untrusted.stderr).toContain("lastcall.config.yaml is not used");
      expect(untrusted.stderr).not.toContain("rule");
      await rm(join(path, "a.txt"));
      const trusted = await ask("--config", config);
      expect(trusted.code).toBe(2);
      expect(trusted.stderr).toContain("rule at most 0 files: broken. 1 file changed, and at most 0 may: a.txt");
    });
  });

  test("are refused if nothing is recorded, or if they are none", async () => {
    await inPlace([], async (ask, path) => {
      await writeFile(join(path, "caps.json"), '{ "soft-cap": ["lines: 9"] }');
      const none = await runHere(["do it", "--no-save", "--cap", "files: 1"]);
      expect(none).toMatchObject({ code: 4, stderr: expect.stringContaining("--no-save records nothing") });
      const stated = await runHere(["do it", "--no-save", "--config", join(path, "caps.json")]);
      expect(stated).toMatchObject({
        code: 4,
        stderr: expect.stringContaining("a config file has --soft-cap: leave --no-save out"),
      });
      expect(await ask("--cap", "file: 1")).toMatchObject({ code: 4, stderr: expect.stringContaining("is no") });
      expect(await ask("--cap", "forbid: (")).toMatchObject({
        code: 4,
        stderr: expect.stringContaining("is no regular expression"),
      });
    });
  });

  test("of a session hold when it is resumed, and when it is replayed, by the recorded verdicts", async () => {
    await inFolder(async ({ path, task, lastcall }) => {
      const id = await task(over, "--cap", "files: 1");
      const replayed = await lastcall("replay", id, "--workdir", path, "--yes");
      expect(replayed, replayed.stdout).toMatchObject({ code: 0 });
      // A file that is written as it was has not changed.
      const again = [call("run_command", { command: "echo 2 > a.txt; echo 2 > b.txt" })];
      await using provider = await scriptedProvider([again, done, done, done, done, done]);
      const { code, stderr } = await lastcall("resume", id, "--more", "again", "--base-url", provider.url, "--yes");
      expect(code, stderr).toBe(2);
      expect(stderr).toContain("rule at most 1 file: broken.");
    });
  });
});
