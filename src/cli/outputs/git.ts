// Git as a program: its words as arguments, no hooks, no questions, and no keys from the environment.

import { spawn } from "node:child_process";
import { buffer } from "node:stream/consumers";

/** Runs git and returns what it prints. @throws GitError for another exit code than 0. */
export type Git = (args: readonly string[], input?: string | Uint8Array) => Promise<string>;

/** Git did not do it, or there is no git. The message is what it said. */
export class GitError extends Error {
  /** The exit code; undefined if git was not started. */
  readonly code: number | undefined;

  constructor(message: string, code: number | undefined) {
    super(message);
    this.code = code;
  }
}

/** The variables that git gets. Git gets no variable that names another repository or index. */
const passed =
  /^(?:PATH|HOME|XDG_CONFIG_HOME|LANG|LC_\w+|TMPDIR|USER|LOGNAME|EMAIL|TZ|GIT_(?:AUTHOR|COMMITTER)_(?:NAME|EMAIL|DATE)|GIT_CONFIG_(?:GLOBAL|SYSTEM|NOSYSTEM))$/;

/** Nobody is asked, nothing is fetched, and the index changes only by what is asked for. */
const unattended: Readonly<Record<string, string>> = {
  GIT_TERMINAL_PROMPT: "0",
  GIT_ASKPASS: "true",
  GIT_EDITOR: "true",
  GIT_NO_LAZY_FETCH: "1",
  GIT_OPTIONAL_LOCKS: "0",
};

const withoutPrograms = ["core.hooksPath=/dev/null", "core.fsmonitor=false", "safe.bareRepository=explicit"].flatMap(
  (setting) => ["-c", setting],
);

/** Git in a folder. `index` is the file of another index than the repository's own. */
export function gitIn(folder: string, env: Readonly<Record<string, string | undefined>>, index?: string): Git {
  const kept = Object.fromEntries(Object.entries(env).filter(([name]) => passed.test(name)));
  const variables = { ...kept, ...unattended, ...(index !== undefined && { GIT_INDEX_FILE: index }) };
  return async (args, input = "") => {
    const child = spawn("git", [...withoutPrograms, ...args], { cwd: folder, env: variables, stdio: "pipe" });
    const ended = new Promise<number | null>((settle, reject) => {
      child.on("error", (error) => {
        reject(new GitError(error.message, undefined));
      });
      child.on("close", settle);
    });
    // Git may end before it has read everything.
    child.stdin.on("error", () => undefined).end(input);
    const [stdout, stderr, code] = await Promise.all([buffer(child.stdout), buffer(child.stderr), ended]);
    if (code === 0) return stdout.toString();
    throw new GitError(
      stderr.toString().trim() || `git ${args[0] ?? ""} ended with ${String(code)}`,
      code ?? undefined,
    );
  };
}

/** The output of git without the line's end; undefined if git ends with 1, which says that there is none. */
export async function found(printed: Promise<string>): Promise<string | undefined> {
  try {
    return (await printed).trimEnd();
  } catch (thrown) {
    if (thrown instanceof GitError && thrown.code === 1) return undefined;
    throw thrown;
  }
}

/** The parts of a text in which a zero byte ends each part. */
export function fields(text: string): readonly string[] {
  return text.split("\0").slice(0, -1);
}
