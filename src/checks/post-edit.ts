// Post-edit: commands that look at a file as soon as it was written, and whose words stand behind the call's own result.

import { LastcallError, type Event, type FrozenCall, type Hook } from "../core/index.js";
import { explain, isPlainObject, milliseconds } from "../core/internal.js";
import { matcher, pathIn } from "../files/index.js";
import type { Shell } from "../shell/index.js";
import { runLine } from "./run-line.js";

/** A command to be run after edits. */
export interface PostEditCheck {
  /** Patterns of the files it is for, relative to the folder: `*.ts` in any folder, `src/**` there alone. */
  readonly files: string | readonly string[];
  /**
   * The command line, run with `sh -c` in the folder. `{file}` stands for the written file, relative to the folder and as one
   * word, whatever it is named: give it without quotes of your own, or `"$LASTCALL_FILE"` instead. A path that could be
   * taken for an option begins with `./`.
   */
  readonly command: string;
  /** Milliseconds until it is ended, with all that it started. Default 30,000. */
  readonly timeout?: number | undefined;
  /** False: it is not run. Default true. */
  readonly enabled?: boolean | undefined;
  /** For people. Default: the command line as it is given. */
  readonly name?: string | undefined;
}

/** Where edits are looked for. */
export interface PostEditOptions {
  /** The folder that paths are relative to and commands run in: the root of the tools that write. Default: this process's. */
  readonly cwd?: string | undefined;
  /** The file that a call wrote, if it wrote one. Default: the text field `path`, or else `to`, of a call whose effect is `write`, but of `delete_file`. */
  readonly fileOf?: ((call: FrozenCall) => string | undefined) | undefined;
  /** What runs the commands: a sandbox, say. Default: the host's shell, without walls. */
  readonly shell?: Shell | undefined;
}

/**
 * A hook that runs commands after a call that wrote a file, a linter or a compiler, and puts what they said behind the call's
 * own result: whether each passed (exit code 0), and both ends of its output. The call stays as it went; a command that fails,
 * takes too long or can't be started is a remark, not a failure. They run in order, for files in the folder alone, and are ended
 * when the run is. Watchers see `check-start` and `check-end` with `when: "edit"`. Needs a POSIX system.
 * @throws LastcallError `configuration` for an empty command, a timeout that is none or a pattern that makes no sense.
 */
export function postEdit(
  checks: readonly PostEditCheck[],
  { cwd = process.cwd(), fileOf = writtenPath, shell }: PostEditOptions = {},
): Hook {
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

interface Edit {
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

/** The text field `path`, or else `to`, of a call whose effect is `write` but `delete_file`, after which there is none. */
function writtenPath({ name, effect, input }: FrozenCall): string | undefined {
  if (effect !== "write" || !isPlainObject(input) || name === "delete_file") return undefined;
  const path = input["path"] ?? input["to"];
  return typeof path === "string" ? path : undefined;
}

async function* lint(linter: Linter, edit: Edit, signal: AbortSignal): AsyncGenerator<Event, string, void> {
  const { name: check } = linter;
  yield { type: "check-start", check, when: "edit" };
  const began = performance.now();
  const { passed, output } = await look(linter, edit, signal);
  const duration = Math.round(performance.now() - began);
  yield { type: "check-end", check, when: "edit", passed, output, duration, changed: [] };
  return output;
}

/** Where the file goes in a command line, also where it was put in quotes. */
const placeholder = /(["']?)\{file\}\1/g;

/** A word of the shell, for the model to read: what is run has a variable there, so that no name can be more than a word. */
function quote(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Runs the command; what it came to, in words for the model. */
async function look(
  { command, timeout }: Linter,
  { folder, file, shell }: Edit,
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
    // The edit was made, so its result is kept, also where the run is over.
    const why = signal.aborted ? "was broken off, because the run is" : `could not be run. ${explain(thrown)}`;
    return { passed: false, output: `${after}: ${why}` };
  }
}
