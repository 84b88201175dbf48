// --branch, --commit, --pr-text and --artifacts: what a task leaves besides its files, in repositories as people have them.

import { chmod, mkdir, readFile, readdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { call, type Script } from "../../../src/testing/index.js";
import { run } from "../command.js";
import { correct, done, inRepository, noCommits, until } from "./repository-folder.js";

describe.skipIf(noCommits !== "")(`a completed task${noCommits}`, () => {
  test("leaves a branch with its changes alone, and what others have changed or staged as it was", async () => {
    await inRepository(async ({ path, git, write, read, task, session }) => {
      await write("other", "two\n");
      git("add", "other");
      await write("other", "three\n");
      await write("untracked", "mine\n");
      await write("staged", "new\n");
      git("add", "staged");
      const before = git("status", "--porcelain");
      const text = join(path, "../pr.md");
      const { code, stderr } = await task(correct, ...until, "--branch", "fix/sum", "--pr-text", text);
      expect(code, stderr).toBe(0);
      expect(git("show", "--stat=60", "--format=%an %s", "fix/sum")).toBe(
        "Ada Correct the sum\n\n sum | 2 +-\n 1 file changed, 1 insertion(+), 1 deletion(-)\n",
      );
      expect(git("branch", "--show-current")).toBe("fix/sum\n");
      expect(git("rev-parse", "fix/sum~1")).toBe(git("rev-parse", "main"));
      expect(git("status", "--porcelain")).toBe(before);
      expect(git("show", ":other")).toBe("two\n");
      expect(await read("other")).toBe("three\n");
      expect(stderr).toContain("2 files with changes that are not committed: other, staged. If the task changes one");
      expect(stderr).toMatch(/Committed on fix\/sum: [0-9a-f]{10} Correct the sum \(1 file, \+1 −1\)/);
      expect(git("log", "-1", "--format=%b", "fix/sum")).toBe(
        `Passed: test "$(cat sum)" = 5\n\nLastcall-Session: ${await session()}\n\n`,
      );
      expect(await readFile(text, "utf8")).toBe(
        [
          "Correct the sum",
          "",
          "The sum is right now.",
          "",
          "## Checks",
          "",
          '- `test "$(cat sum)" = 5`: passed, exit code 0; it had failed before',
          "",
          "## Files",
          "",
          "- `sum`: +1 −1",
          "",
          "1 file, +1 −1",
          "",
          "## Not verified",
          "",
          "- The checks ran in a folder with other changes, which are not in the commit: `other`, `staged`, `untracked`",
          "",
          `Session of lastcall: ${await session()}`,
          "",
        ].join("\n"),
      );
    });
  });
});
