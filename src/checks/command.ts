// A command as a check: it passes where it exits with 0, on files that are as they were.

import { LastcallError, type Check, type CheckVerdict } from "../core/index.js";
import { milliseconds } from "../core/internal.js";
import { matcher } from "../files/index.js";
import type { Shell } from "../shell/index.js";
import { runLine, type Line, type Ran } from "./run-line.js";
import { compareFiles, rememberFiles, usualTests, type Guard } from "./touched.js";

/** How the command is run, and what it relies on. */
export interface CommandCheckOptions {
  /** The folder it runs in. Default: this process's. */
  readonly cwd?: string | undefined;
  /** Milliseconds until it is ended, with all that it started, and has not passed. Default 120,000. */
  readonly timeout?: number | undefined;
  /** Variables besides the plain ones (`PATH`, `HOME` and the like); nothing else of this process's environment reaches it. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** What runs it: a sandbox, say, or what runs the commands of the model. Default: the host's shell, without walls. */
  readonly shell?: Shell | undefined;
  /** For people and for the receipt. Default: the command line. */
  readonly name?: string | undefined;
  /** `iteration`: also after each iteration that changed something. Default `claim`. */
  readonly every?: "claim" | "iteration" | undefined;
  /**
   * Patterns of files, relative to `cwd`, that must be as they were when the task began: the tests, say. Where one was changed
   * or added or is missing, by whomever, the check has not passed and says which. A pattern without a slash means files and
   * folders of that name anywhere (`./name`: at the top alone), a folder all that is in it. `.git`, `node_modules`, `.venv` and
   * `__pycache__` are left out unless a pattern begins with them. Default: none.
   */
  readonly protect?: readonly string[] | undefined;
  /**
   * Patterns of files whose changes are only reported, as `changed` in the verdict and the receipt. Default: where tests usually
   * are (folders `test`, `tests`, `__tests__`, `spec`, `specs` and `e2e`; `*.test.*`, `*_test.*`, `test_*.py` and the like), and
   * what usually says how they are run (`package.json`, `tsconfig*.json`, `Makefile`, `pyproject.toml`, `vitest.config.*` and the
   * like). An empty list: nothing is looked at.
   */
  readonly watch?: readonly string[] | undefined;
}

/**
 * A check that runs `sh -c` and passes on the exit code 0. Both streams are kept head and tail, as plain text; what it
 * leaves in the background is not waited for and ended. Needs a POSIX system. Its `begin` remembers what the files hold, and throws a
 * LastcallError `configuration` where a pattern of `protect` means no file.
 * @throws LastcallError `configuration` for an empty command, a timeout that is none or a pattern that makes no sense.
 */
export function command(line: string, options: CommandCheckOptions = {}): Check {
  const { cwd = process.cwd(), timeout = 120_000, env = {}, name = line, every = "claim" } = options;
  const { protect = [], watch = usualTests } = options;
  if (line.trim() === "" || line.includes("\0")) {
    throw new LastcallError("configuration", 'A command check needs a command, for example command("npm test").');
  }
  // Patterns that make no sense are refused here, before anything is done.
  matcher([...protect, ...watch]);
  const run: Line = { line, folder: cwd, env, timeout: milliseconds("timeout", timeout), shell: options.shell };
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

function verdictOn({ how, code, text }: Ran): CheckVerdict {
  const output = `${how}\n${text || "[no output]"}`;
  return { passed: code === 0, output, ...(code !== undefined && { exitCode: code }) };
}

function refusal(output: string, changed: readonly string[]): CheckVerdict {
  return { passed: false, output, ...reported(changed) };
}

function reported(changed: readonly string[]): Pick<CheckVerdict, "changed"> {
  return changed.length > 0 ? { changed: [...new Set(changed)].sort() } : {};
}
