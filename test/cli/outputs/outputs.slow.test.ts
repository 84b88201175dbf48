// --branch, --commit, --pr-text and --artifacts: what a task leaves besides its files, in repositories as people have them.

import { chmod, mkdir, readFile, readdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { call, type Script } from "../../../src/testing/index.js";
import { runHere, start, temporary } from "../command.js";
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

  test("may be committed on the branch that is checked out, with all kinds of changes", async () => {
    await inRepository(async ({ path, git, write, task }) => {
      await write("gone/file", "gone\n");
      await write("script.sh", "#!/bin/sh\n");
      await write("deep/er/here", "old\n");
      git("add", ".");
      git("commit", "--quiet", "-m", "second");
      const command =
        "rm -r gone; mkdir gone; mkdir -p new/folder; echo new > 'new/folder/a b\"c'; chmod 755 script.sh; ln -s sum link; " +
        "printf '\\000' > bin; echo x > ignored; echo K=1 > .env; rm deep/er/here; rmdir deep/er deep; echo now > deep";
      const script: Script = [[call("run_command", { command })], ...(correct as readonly never[])];
      const { code, stderr } = await task(script, "--commit");
      expect(code, stderr).toBe(0);
      expect(git("show", "--name-status", "--no-renames", "--format=%s", "main")).toBe(
        [
          "Correct the sum",
          "",
          "A\tbin",
          "A\tdeep",
          "D\tdeep/er/here",
          "D\tgone/file",
          "A\tlink",
          'A\t"new/folder/a b\\"c"',
          "M\tscript.sh",
          "M\tsum",
          "",
        ].join("\n"),
      );
      expect(
        git("ls-tree", "-r", "main", "script.sh", "link")
          .split("\n")
          .map((line) => line.slice(0, 6)),
      ).toEqual(["120000", "100755", ""]);
      expect(stderr).toContain("Not in the commit: .env: no content is kept of files that may hold secrets");
      expect(git("status", "--porcelain")).toBe("?? .env\n");
      expect(await readFile(join(path, "ignored"), "utf8")).toBe("x\n");
    });
  });

  test("that changed a file with changes of a person is not committed, and the file is named", async () => {
    await inRepository(async ({ path, git, write, read, task }) => {
      await write("sum", "3\n");
      await write("mine", "1\n");
      git("add", "sum");
      const index = await readFile(join(path, ".git/index"));
      const script: Script = [[call("write_file", { path: "mine", content: "2\n" })], ...(correct as readonly never[])];
      const { code, stderr } = await task(script, "--branch", "sum");
      expect(code, stderr).toBe(2);
      expect(stderr).toContain(
        "Nothing is committed:\n  mine: it had other changes before, which nobody had committed\n  sum: it had other changes",
      );
      expect(await readFile(join(path, ".git/index"))).toEqual(index);
      expect(git("branch", "--format=%(refname:short)")).toBe("main\n");
      expect([await read("sum"), await read("mine")]).toEqual(["5\n", "2\n"]);
    });
  });

  test("is committed without what checks made, and with what they did to its files", async () => {
    await inRepository(async ({ git, task }) => {
      const check = "echo report > report; echo '# checked' >> sum; grep -q 5 sum";
      const { code, stderr } = await task(correct, "--until", check, "--commit");
      expect(code, stderr).toBe(0);
      expect(git("show", "--format=", "--name-only", "main")).toBe("sum\n");
      // The check ran before the work, too: these lines were there before.
      expect(git("show", "main:sum")).toBe("5\n# checked\n");
      expect(git("status", "--porcelain")).toBe("?? report\n");
    });
  });

  test("of a folder within a repository, without a commit so far, has its first commit", async () => {
    await inRepository(async ({ path, git, server, env }) => {
      git("checkout", "--quiet", "--orphan", "fresh");
      git("rm", "--quiet", "-r", "--cached", ".");
      await mkdir(join(path, "inner"));
      await symlink("inner", join(path, "way"));
      const args = [...(await server(correct)), "--yes", "--workdir", join(path, "way"), "--branch", "sum"];
      const { code, stderr } = await runHere(["Correct the sum", ...args], env);
      expect(code, stderr).toBe(0);
      expect(git("log", "--format=%s", "--name-only", "sum", "--")).toBe("Correct the sum\n\ninner/sum\n");
      expect(git("status", "--porcelain").split("\n")).toEqual(["?? .gitignore", "?? other", "?? sum", "?? way", ""]);
    });
  });

  test("makes no program of the repository run", async () => {
    await inRepository(async ({ path, git, write, task }) => {
      const hooks = [
        "pre-commit",
        "commit-msg",
        "post-commit",
        "post-checkout",
        "post-index-change",
        "reference-transaction",
      ];
      for (const name of hooks) {
        await writeFile(join(path, ".git/hooks", name), `#!/bin/sh\necho ${name} >> '${path}/../ran'\n`);
        await chmod(join(path, ".git/hooks", name), 0o755);
      }
      git("config", "core.fsmonitor", `echo fsmonitor >> '${path}/../ran'`);
      git("config", "commit.gpgsign", "true");
      git("config", "gpg.program", `${path}/none`);
      const { code, stderr } = await task(correct, "--branch", "sum");
      expect(code, stderr).toBe(0);
      expect(await readdir(join(path, ".."))).toEqual(["project"]);
      git("switch", "--quiet", "main");
      await write(".gitattributes", "* filter=mine\n");
      git("config", "filter.mine.clean", `touch '${path}/../ran'`);
      const refused = await task([], "--commit");
      expect(refused).toMatchObject({ code: 4, stderr: expect.stringContaining("filter.mine.clean") });
      expect(await readdir(join(path, ".."))).toContain("ran");
    });
  });

  test("that changed nothing makes no commit", async () => {
    await inRepository(async ({ git, task }) => {
      const { code, stderr } = await task([done], "--branch", "sum");
      expect(code, stderr).toBe(0);
      expect(stderr).toContain("Nothing is committed: the task has changed no file");
      expect(git("branch", "--format=%(refname:short)")).toBe("main\n");
    });
  });

  test("has secrets of the environment in no text", async () => {
    await inRepository(async ({ path, env, git, server }) => {
      const args = ["--yes", "--workdir", path, "--commit", "--pr-text", join(path, "../pr.md")];
      const secret = "correct-horse-battery";
      const words = [call("task_completion", { result: `It is ${secret}.` })];
      const script: Script = [[call("write_file", { path: "sum", content: "5\n" })], words];
      const line = [`Use ${secret}`, ...(await server(script)), ...args];
      const { code, stderr } = await runHere(line, { ...env, MY_TOKEN: secret });
      expect(code, stderr).toBe(0);
      expect(git("log", "-1", "--format=%B")).not.toContain(secret);
      const text = await readFile(join(path, "../pr.md"), "utf8");
      expect(text).toContain("It is [");
      expect(text).not.toContain(secret);
    });
  });
});

describe.skipIf(noCommits !== "")(`a resumed session${noCommits}`, () => {
  test("commits once its question is answered, and adds to its branch with more words", async () => {
    await inRepository(async ({ git, task, lastcall, server, session, write }) => {
      const asked = await task([[call("ask_question", { question: "Which sum?" })]], "--branch", "sum");
      expect(asked).toMatchObject({
        code: 3,
        stderr: expect.stringContaining("Nothing is committed: waiting for an answer"),
      });
      const id = await session();
      const answered = await lastcall("resume", id, "This one", "--yes", ...(await server(correct)));
      expect(answered.code, answered.stderr).toBe(0);
      const again: Script = [[call("write_file", { path: "sum", content: "6\n" })], done];
      const more = await lastcall("resume", id, "--more", "No, 6", "--yes", ...(await server(again)));
      expect(more.code, more.stderr).toBe(0);
      expect(git("log", "--format=%s", "sum", "--")).toBe("Correct the sum\nCorrect the sum\nfirst\n");
      expect(git("show", "sum:sum")).toBe("6\n");
      expect(git("status", "--porcelain")).toBe("");
      // A change of a person in between is a person's.
      await write("sum", "7\n");
      const third: Script = [[call("write_file", { path: "sum", content: "8\n" })], done];
      const refused = await lastcall("resume", id, "--more", "No, 8", "--yes", ...(await server(third)));
      expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining("sum: it had other changes before") });
    });
  });

  test("commits what a process left that was killed between the end of the run and the commit", async () => {
    await inRepository(async ({ path, env, git, server, session, lastcall }) => {
      const bin = join(path, "../bin");
      await mkdir(bin);
      const real = process.env["PATH"] ?? "";
      const script = `#!/bin/sh\ncase "$*" in *commit-tree*) echo reached >&2; : > '${bin}/reached'; while [ ! -e '${bin}/go' ]; do sleep 0.05; done; exit 1;; esac\nPATH='${real}' exec git "$@"\n`;
      await writeFile(join(bin, "git"), script, { mode: 0o755 });
      const args = ["--yes", "--workdir", path, "--branch", "sum", ...(await server(correct))];
      const { child, ended } = start(["Correct the sum", ...args], { ...env, PATH: `${bin}:${real}` });
      while (!(await readdir(bin)).includes("reached")) await new Promise((wake) => setTimeout(wake, 20));
      child.kill("SIGKILL");
      await writeFile(join(bin, "go"), "");
      await ended;
      expect(git("branch", "--format=%(refname:short)")).toBe("main\n");
      const { code, stderr, stdout } = await lastcall("resume", await session(), ...(await server([])));
      expect({ code, stdout }, stderr).toEqual({ code: 0, stdout: "The sum is right now.\n" });
      expect(git("show", "sum:sum")).toBe("5\n");
      expect(git("status", "--porcelain")).toBe("");
      // Once more there is nothing to do.
      const again = await lastcall("resume", await session(), ...(await server([])));
      expect(again).toMatchObject({
        code: 0,
        stderr: expect.stringContaining("Nothing is committed: the task has changed no"),
      });
    });
  });
});

describe.skipIf(noCommits !== "")(`before anything runs, a commit is refused${noCommits}`, () => {
  test.each<[string, readonly string[], string]>([
    [
      "a branch that is there",
      ["--branch", "main"],
      "--branch main: there is such a branch already. Name another one. Nothing was done.",
    ],
    ["a branch below another", ["--branch", "main/x"], "main/x can't be beside the branch main."],
    ["no name of a branch", ["--branch", "a..b"], '"a..b" is no name of a branch'],
    ["an option as a name", ["--branch=-f"], '"-f" is no name of a branch'],
    ["an expansion of git", ["--branch", "@{-1}"], '"@{-1}" is no name of a branch'],
    ["a text without a commit", ["--pr-text", "x.md"], "--pr-text tells of a commit; add --branch NAME, or --commit"],
    ["no session", ["--commit", "--no-save"], "--no-save records nothing"],
    ["a dry run", ["--commit", "--dry-run"], "--dry-run changes nothing"],
    ["rounds", ["--commit", "--rounds", "2", "--until", "true"], "leave out --branch, --commit and --artifacts"],
  ])("%s", async (_, args, words) => {
    await inRepository(async ({ task }) => {
      const { code, stderr } = await task([], ...args);
      expect({ code, stderr }).toMatchObject({ code: 4, stderr: expect.stringContaining(words) });
    });
  });

  test("where there is no git, no repository, no name, or a merge under way", async () => {
    await inRepository(async ({ path, env, git, write, server, task }) => {
      await using elsewhere = await temporary();
      const line = ["Correct the sum", ...(await server([])), "--yes", "--commit"];
      const refused = async (variables: Readonly<Record<string, string>>, at: string): Promise<string> => {
        const { code, stderr } = await runHere([...line, "--workdir", at], variables);
        expect(code).toBe(4);
        return stderr;
      };
      expect(await refused({ ...env, PATH: elsewhere.path }, path)).toContain(
        "--commit needs git, and there is no git on PATH",
      );
      expect(await refused(env, elsewhere.path)).toMatch(
        /--commit needs a repository of git at .*: fatal: not a git repository/,
      );
      expect(await refused({ ...env, GIT_CONFIG_GLOBAL: "/dev/null", HOME: elsewhere.path }, path)).toContain(
        "--commit needs the name of who commits: git config user.name NAME",
      );
      git("switch", "--quiet", "-c", "side");
      await write("sum", "1\n");
      git("commit", "--quiet", "-am", "side");
      git("switch", "--quiet", "main");
      await write("sum", "2\n");
      git("commit", "--quiet", "-am", "main");
      expect(() => git("merge", "--quiet", "side")).toThrow();
      expect(await task([], "--commit")).toMatchObject({
        code: 4,
        stderr: expect.stringContaining("--commit has to wait: a merge or a rebase is under way"),
      });
    });
  });
});

describe.skipIf(noCommits !== "")(`artifacts${noCommits}`, () => {
  test("are the outcome with the session, and the trajectory, and no tool writes there", async () => {
    await inRepository(async ({ path, task, session }) => {
      const script: Script = [[call("write_file", { path: "out/outcome.json", content: "{}" })], done];
      const { code, stderr } = await task(script, "--artifacts", join(path, "out"));
      expect(code, stderr).toBe(0);
      const read = async (name: string): Promise<unknown> =>
        JSON.parse(await readFile(join(path, "out", name), "utf8"));
      expect(await read("outcome.json")).toMatchObject({
        status: "completed",
        session: { id: await session() },
      });
      expect(stderr).toContain(`"out/outcome.json" can't be written by any tool`);
      expect(await read("trajectory.json")).toMatchObject({ schema_version: "ATIF-v1.7" });
    });
  });
});
