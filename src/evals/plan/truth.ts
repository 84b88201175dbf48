// The truth of a task: whether its goal is really reached, as files and a command say that the agent could not see.

import { cp, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { explain, milliseconds } from "../../core/internal.js";
import { capture, describeExit, hostShell, plainVariables } from "../../shell/index.js";
import { folder, sourceOf, type WorkspaceSource, type WriteFiles } from "./workspace-source.js";

/** The answer of a truth. `void`: it could not be asked, which is neither a yes nor a no. */
export interface Answer {
  readonly is: "yes" | "no" | "void";
  /** The reason in words for people: the end of the command's output, for example. */
  readonly why: string;
}

/** Tells whether the goal of a task is reached. It runs on a copy of the trial's folder, so it may change files there. */
export interface Truth {
  /** A text that tells one truth from another. It is part of the plan's digest. */
  readonly id: string;
  /** The places on this machine that an agent should not see, as absolute paths. */
  hidden(base: string): readonly string[];
  ask(copy: string, base: string, signal: AbortSignal): Promise<Answer>;
}

/**
 * A function as a truth: true or false about the files in the copy, whose absolute path it gets. An error that it throws makes the trial
 * void.
 */
export type AskFiles = (copy: string, signal: AbortSignal) => boolean | Promise<boolean>;

/** Bytes kept of each end of the output. */
const endBytes = 2 * 1024;

/** The exit codes of a shell that could not run the command. */
const notRun: ReadonlySet<number> = new Set([126, 127]);

/**
 * A truth that lays files over a copy of the trial's folder, and runs a command line there in a new process. Exit code 0 is a yes. A
 * command that can't be run (126, 127) or is killed is void. A command that takes longer than `timeout` is a no: the control has shown that
 * it ends in time on a solution.
 * @param files The hidden files: a path as for `folder`, a source, or a function that writes them. Undefined for none.
 * @param options `timeout`: milliseconds, default 120,000.
 */
export function hidden(
  files: string | WorkspaceSource | WriteFiles | undefined,
  line: string,
  { timeout = 120_000 }: { readonly timeout?: number | undefined } = {},
): Truth {
  const source = files === undefined ? undefined : typeof files === "string" ? folder(files) : sourceOf(files);
  const seconds = milliseconds("hidden.timeout", timeout) / 1000;
  return {
    id: `${source?.id ?? "no files"}: ${line}`,
    hidden: (base) => source?.hidden(base) ?? [],
    async ask(copy, base, signal) {
      await source?.layOut(copy, base);
      const output = capture(endBytes);
      const exit = await hostShell().run(
        { command: line, folder: copy, environment: plainVariables(), seconds, onOutput: output.onOutput },
        signal,
      );
      if (exit.how === "aborted") throw signal.reason;
      output.end();
      const why = `${describeExit(exit, seconds)}\n${output.text()}`.trim();
      if (exit.how === "killed" || (exit.how === "exited" && notRun.has(exit.code))) return { is: "void", why };
      return { is: exit.how === "exited" && exit.code === 0 ? "yes" : "no", why };
    },
  };
}

/** The truth that a task states; a function becomes a truth. */
export function truthOf(given: Truth | AskFiles): Truth {
  if (typeof given !== "function") return given;
  return {
    id: `function ${given.toString()}`,
    hidden: () => [],
    async ask(copy, _base, signal) {
      return (await given(copy, signal)) ? { is: "yes", why: "" } : { is: "no", why: "the function said no" };
    },
  };
}

/** Asks the truth about a folder, on a copy of it. An error is void, but an abort is thrown. */
export async function askTruth(truth: Truth, root: string, base: string, signal: AbortSignal): Promise<Answer> {
  const place = await mkdtemp(join(await realpath(tmpdir()), "lastcall-truth-"));
  try {
    const copy = join(place, "copy");
    await cp(root, copy, { recursive: true, verbatimSymlinks: true });
    return await truth.ask(copy, base, signal);
  } catch (thrown) {
    signal.throwIfAborted();
    return { is: "void", why: `The truth could not be asked: ${explain(thrown)}` };
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}
