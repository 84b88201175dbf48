// A repository for tests of commits: files, a commit, and the command in it with a scripted model.

import { execFileSync } from "node:child_process";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { call, scriptedProvider, type Script } from "../../../src/testing/index.js";
import { without } from "../../programs.js";
import { leftOut } from "../../tools/changes/world.js";
import { runHere, temporary, type Ended } from "../command.js";

/** The end of a test's name: the reason why there can be no commit here, or nothing. */
export const noCommits: string = without("git") === "" ? leftOut : without("git");

/** The last reply of a model that is done. */
export const done = [call("task_completion", { result: "The sum is right now." })];

/** A model that corrects the file. */
export const correct: Script = [[call("write_file", { path: "sum", content: "5\n" })], done];

/** A check that fails before that, and passes after it. */
export const until: readonly string[] = ["--until", 'test "$(cat sum)" = 5'];

/** A temporary repository. */
export interface RepositoryFolder {
  readonly path: string;
  readonly env: Readonly<Record<string, string>>;
  git(...args: readonly string[]): string;
  write(path: string, content: string): Promise<void>;
  read(path: string): Promise<string>;
  /** The command in this folder. */
  lastcall(...args: readonly string[]): Promise<Ended>;
  /** The same with a model that says this, and with `--yes`. */
  task(script: Script, ...args: readonly string[]): Promise<Ended>;
  /** The options of a model that says this, until the end of the test. */
  server(script: Script): Promise<readonly string[]>;
  /** The id of the latest session. */
  session(): Promise<string>;
}

/** Calls the function with a repository that has one commit, on the branch `main`. */
export async function inRepository(use: (folder: RepositoryFolder) => Promise<void>): Promise<void> {
  await using folder = await temporary();
  await using own = await temporary();
  const path = join(folder.path, "project");
  await mkdir(path);
  const config = join(own.path, "gitconfig");
  await writeFile(config, "[user]\n  name = Ada\n  email = ada@example.org\n[init]\n  defaultBranch = main\n");
  const env = { GIT_CONFIG_GLOBAL: config, GIT_CONFIG_NOSYSTEM: "1", XDG_STATE_HOME: join(own.path, "state") };
  const git = (...args: readonly string[]): string =>
    execFileSync("git", args, { cwd: path, env: { ...process.env, ...env }, encoding: "utf8", stdio: "pipe" });
  const write = async (name: string, content: string): Promise<void> => {
    await mkdir(dirname(join(path, name)), { recursive: true });
    await writeFile(join(path, name), content);
  };
  const providers: AsyncDisposable[] = [];
  const server = async (script: Script): Promise<readonly string[]> => {
    const provider = await scriptedProvider(script);
    providers.push(provider);
    return ["--base-url", provider.url, "--model", "m"];
  };
  const lastcall = (...args: readonly string[]): Promise<Ended> => runHere([...args, "--workdir", path], env);
  git("init", "--quiet");
  await write("sum", "4\n");
  await write("other", "one\n");
  await write(".gitignore", "ignored\n");
  git("add", ".");
  git("commit", "--quiet", "-m", "first");
  try {
    await use({
      ...{ path, env, git, write, lastcall, server },
      read: (name) => readFile(join(path, name), "utf8"),
      task: async (script, ...args) => lastcall("Correct the sum", "--yes", ...(await server(script)), ...args),
      session: async () =>
        (await readdir(join(own.path, "state/lastcall")))
          .filter((name) => !name.startsWith("."))
          .toSorted()
          .at(-1) ?? "",
    });
  } finally {
    for (const provider of providers) await provider[Symbol.asyncDispose]();
  }
}
