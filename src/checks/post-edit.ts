// Post-edit checks: commands that run on a file as soon as it is written. Their output is added to the result of the call.

import { LastcallError, type Event, type FrozenCall, type Hook } from "../core/index.js";
import { checkOptions, expectKind, type OptionKinds, explain, isPlainObject, milliseconds } from "../core/internal.js";
import { matcher, pathIn } from "../files/index.js";
import type { Shell } from "../shell/index.js";
import { runLine } from "./run-line.js";

/** A command to run after edits. */
export interface PostEditCheck {
  /** Patterns of the files it is for, relative to the folder: `*.ts` in any folder, `src/**` in that folder only. */
  readonly files: string | readonly string[];
  /**
   * The command line, run with `sh -c` in the folder. `{file}` stands for the written file, relative to the folder, as
   * one word whatever its name is: write it without quotes, or use `"$LASTCALL_FILE"` instead. A path that could be
   * taken for an option begins with `./`.
   */
  readonly command: string;
  /** Milliseconds until the command and all its processes are ended. Default 30,000. */
  readonly timeout?: number | undefined;
  /** False: it does not run. Default true. */
  readonly enabled?: boolean | undefined;
  /** For people. Default: the command line as given. */
  readonly name?: string | undefined;
}

/** Options of the post-edit hook. */
export interface PostEditOptions {
  /**
   * The folder that paths are relative to and commands run in: the root of the tools that write. Default: this
   * process's working directory.
   */
  readonly cwd?: string | undefined;
  /**
   * The file that a call wrote; undefined if it wrote none. Default: for a call with the effect `write`, except
   * `delete_file`: the text field `path`, or else `to`.
   */
  readonly fileOf?: ((call: FrozenCall) => string | undefined) | undefined;
  /** The shell that runs the commands: a sandbox, say. Default: the host's shell, without walls. */
  readonly shell?: Shell | undefined;
}

const postEditOptions = { cwd: "text", fileOf: "function", shell: "object" } satisfies OptionKinds<PostEditOptions>;

/**
 * A hook that runs commands, such as a linter or a compiler, after a call that wrote a file. It adds to the call's
 * result whether each command passed (exit code 0), and both ends of its output. The outcome of the call does not
 * change: a command that fails, takes too long or can't be started is a remark, not a failure. The commands run in
 * order, only for files in the folder, and are ended when the run ends. Watchers see `check-start` and `check-end` with
 * `when: "edit"`. Needs a POSIX system.
 * @throws LastcallError `configuration` for an empty command, an invalid timeout or an invalid pattern.
 */
export function postEdit(checks: readonly PostEditCheck[], options: PostEditOptions = {}): Hook {
  expectKind("The checks of postEdit", checks, "list");
  checkOptions("postEdit", options, postEditOptions);
  const { cwd = process.cwd(), fileOf = writtenPath, shell } = options;
  const linters = checks.map(prepare).filter(({ isEnabled }) => isEnabled);
  return {
    async *call(call, next, signal) {
      const execution = yield* next(call);
      const path = execution.ok ? fileOf(call) : undefined;
      const file = path === undefined ? undefined : await pathIn(cwd, path);
      if (!execution.ok || file === undefined) return execution;
      const remarks: string[] = [];
      for (const linter of linters) {
        if (linter.matches(file) && !signal.aborted)
          remarks.push(yield* lint(linter, { folder: cwd, file, shell }, signal));
      }
      return remarks.length === 0 ? execution : { ...execution, remarks: [...(execution.remarks ?? []), ...remarks] };
    },
  };
}

interface Linter {
  readonly name: string;
  readonly command: string;
  readonly timeout: number;
  readonly isEnabled: boolean;
  readonly matches: (path: string) => boolean;
}

interface WrittenFile {
  readonly folder: string;
  readonly file: string;
  readonly shell: Shell | undefined;
}

function prepare({ files, command, timeout = 30_000, enabled = true, name = command }: PostEditCheck): Linter {
  if (command.trim() === "" || command.includes("\0")) {
    throw new LastcallError("configuration", 'A post-edit check needs a command, for example "npx eslint {file}".');
  }
  return {
    name,
    command,
    timeout: milliseconds("timeout", timeout),
    isEnabled: enabled,
    matches: matcher(typeof files === "string" ? [files] : files),
  };
}

/** The text field `path`, or else `to`, of a call with the effect `write`. `delete_file` leaves no file to check. */
function writtenPath({ name, effect, input }: FrozenCall): string | undefined {
  if (effect !== "write" || !isPlainObject(input) || name === "delete_file") return undefined;
  const path = input["path"] ?? input["to"];
  return typeof path === "string" ? path : undefined;
}

async function* lint(linter: Linter, written: WrittenFile, signal: AbortSignal): AsyncGenerator<Event, string, void> {
  const { name: check } = linter;
  yield { type: "check-start", check, when: "edit" };
  const began = performance.now();
  const { passed, output } = await runLinter(linter, written, signal);
  const duration = Math.round(performance.now() - began);
  yield { type: "check-end", check, when: "edit", passed, output, duration, changed: [] };
  return output;
}

/** The placeholder of the file in a command line, including quotes around it. */
const placeholder = /(["']?)\{file\}\1/g;

/**
 * Quotes a word as a shell does, for the model to read. The command that is run has a variable there, so that no file
 * name can be more than a word.
 */
function quote(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Runs the command. The output is in words for the model. */
async function runLinter(
  { command, timeout }: Linter,
  { folder, file, shell }: WrittenFile,
  signal: AbortSignal,
): Promise<{ readonly passed: boolean; readonly output: string }> {
  const path = /^[\w.]/.test(file) ? file : `./${file}`;
  const after = `After this edit, \`${command.replace(placeholder, () => quote(path))}\``;
  try {
    const line = command.replace(placeholder, () => '"$LASTCALL_FILE"');
    const ran = await runLine({ line, folder, env: { LASTCALL_FILE: path }, timeout, shell }, signal);
    const { how, code } = ran;
    const text = ran.text.trimEnd();
    if (code === 0) return { passed: true, output: `${after}: passed (${how}).${text && `\n${text}`}` };
    const verdict = code === undefined ? `did not finish (${how}).` : `failed (${how}). Mend this before you go on.`;
    return { passed: false, output: `${after}: ${verdict}\n${text || "[no output]"}` };
  } catch (thrown) {
    // The edit was made, so its result is kept even if the run has ended.
    const why = signal.aborted ? "was broken off, because the run is" : `could not be run. ${explain(thrown)}`;
    return { passed: false, output: `${after}: ${why}` };
  }
}
