// A command as a check: it passes if the command exits with 0, on files that have not changed.

import { LastcallError, type Check, type CheckVerdict } from "../core/index.js";
import {
  checkOptions,
  expectKind,
  recordOf,
  choiceOf,
  listOf,
  type OptionKinds,
  milliseconds,
} from "../core/internal.js";
import { matcher, usualTests } from "../files/index.js";
import type { Shell } from "../shell/index.js";
import { runLine, type CommandLine, type LineResult } from "./run-line.js";
import { compareFiles, rememberFiles, type Guard } from "./touched.js";

/** Options of a command check. */
export interface CommandCheckOptions {
  /** The working directory. Default: this process's. */
  readonly cwd?: string | undefined;
  /** Milliseconds until the command and all its processes are ended, and the check fails. Default 120,000. */
  readonly timeout?: number | undefined;
  /** Variables besides the plain variables (`PATH`, `HOME` and the like). The command gets no other variable of this process. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /**
   * The shell that runs the command: a sandbox, say, or the shell of the model's commands. Default: the host's shell,
   * without walls.
   */
  readonly shell?: Shell | undefined;
  /** For people and for the receipt. Default: the command line. */
  readonly name?: string | undefined;
  /** `iteration`: also after each iteration that changed something. Default `claim`. */
  readonly every?: "claim" | "iteration" | undefined;
  /**
   * Patterns of files, relative to `cwd`, that must not change from the beginning of the task on: the tests, say. If
   * one was changed, added or removed, by anybody, the check fails and names it. A pattern without a slash matches
   * files and folders of that name anywhere (`./name`: at the top only); a folder stands for everything in it. `.git`,
   * `node_modules`, `.venv` and `__pycache__` are left out unless a pattern begins with them. Default: none.
   */
  readonly protect?: readonly string[] | undefined;
  /**
   * Patterns of files whose changes are only reported, as `changed` in the verdict and the receipt. Default: the usual
   * places of tests (folders `test`, `tests`, `__tests__`, `spec`, `specs` and `e2e`; `*.test.*`, `*_test.*`,
   * `test_*.py` and the like), and the usual files that say how tests are run (`package.json`, `tsconfig*.json`,
   * `Makefile`, `pyproject.toml`, `vitest.config.*` and the like). An empty list: no file is looked at.
   */
  readonly watch?: readonly string[] | undefined;
}

const commandCheckOptions = {
  cwd: "text",
  timeout: "number",
  shell: "object",
  env: recordOf("text"),
  name: "text",
  every: choiceOf("claim", "iteration"),
  protect: listOf("text"),
  watch: listOf("text"),
} satisfies OptionKinds<CommandCheckOptions>;

/**
 * A check that runs `sh -c` and passes on the exit code 0. It keeps both ends of the output of both streams, as plain
 * text. Processes left in the background are ended without waiting for them. Needs a POSIX system. Its `begin`
 * remembers the digests of the files, and throws a LastcallError `configuration` if a pattern of `protect` matches no
 * file.
 * @throws LastcallError `configuration` for an empty command, an invalid timeout or an invalid pattern.
 */
export function command(line: string, options: CommandCheckOptions = {}): Check {
  expectKind("The line of command", line, "text");
  checkOptions("command", options, commandCheckOptions);
  const { cwd = process.cwd(), timeout = 120_000, env = {}, name = line, every = "claim" } = options;
  const { protect = [], watch = usualTests } = options;
  if (line.trim() === "" || line.includes("\0")) {
    throw new LastcallError("configuration", 'A command check needs a command, for example command("npm test").');
  }
  // Refuses invalid patterns now, before anything runs.
  matcher([...protect, ...watch]);
  const run: CommandLine = { line, folder: cwd, env, timeout: milliseconds("timeout", timeout), shell: options.shell };
  const guard: Guard = { folder: cwd, protect, watch };
  return {
    name,
    every,
    begin: (signal) => rememberFiles(guard, signal),
    async verify({ begun, signal }) {
      const before = await compareFiles(guard, begun, signal);
      if (before.objection !== undefined) return refusal(before.objection, before.changed);
      const verdict = { ...verdictOn(await runLine(run, signal)), ...reported(before.changed) };
      if (!verdict.passed) return verdict;
      const after = await compareFiles({ ...guard, watch: [] }, begun, signal);
      if (after.objection === undefined) return verdict;
      return refusal(after.objection, [...before.changed, ...after.changed]);
    },
  };
}

function verdictOn({ how, code, text }: LineResult): CheckVerdict {
  const output = `${how}\n${text || "[no output]"}`;
  return { passed: code === 0, output, ...(code !== undefined && { exitCode: code }) };
}

function refusal(output: string, changed: readonly string[]): CheckVerdict {
  return { passed: false, output, ...reported(changed) };
}

function reported(changed: readonly string[]): Pick<CheckVerdict, "changed"> {
  return changed.length > 0 ? { changed: [...new Set(changed)].sort() } : {};
}
