// The surface of the command: its streams and environment, its printing, and its person.

import type { Settings } from "../args/args.js";
import { personAt, type Person } from "./person.js";
import { principalIn, stoppedBy } from "./principal-in.js";
import { columnsOf } from "../display/paragraph.js";
import type { ReadOnce } from "../display/read-once.js";
import { visibleWords } from "../display/visible.js";
import { styleFor } from "../display/colours.js";
import type { Style } from "../display/quantities.js";

/** The process that runs the command: its streams, environment and signals. Tests make their own. */
export interface Surroundings {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** True if standard input is a pipe or a file, whose text belongs to the task. */
  readonly isInputPiped: boolean;
  /** Aborts when somebody stops the command. The reason has `isPersons` if the person at the terminal did. */
  readonly signal: AbortSignal;
  /** Stops the command, as Ctrl-C does while nothing can be finished first. */
  readonly interrupt: () => void;
  /** Says how the next Ctrl-C ends the work, once. Undefined: it stops the command. */
  readonly atInterrupt: (finish: (() => void) | undefined) => void;
  /** The files of settings and code that the command has read. They are used as they were read. Default: none. */
  readonly files?: ReadOnce;
}

/** Makes the surface. */
export async function surfaceOf(settings: Settings, around: Surroundings): Promise<Surface> {
  const { json, quiet, verbose } = settings;
  const { stdout, stderr, env, signal } = around;
  return {
    json,
    log: quiet ? "quiet" : verbose ? "verbose" : "normal",
    signal: stoppedBy(signal, principalIn(settings)),
    atInterrupt: around.atInterrupt,
    style: styleFor(stderr, env),
    say: await sayer(around),
    answer: (text) => stdout.write(`${stdout.isTTY ? visibleWords(text, { multiline: true }) : text}\n`),
  };
}

/**
 * Makes the function that prints lines to standard error. At a terminal they are wrapped at its width. An address stays whole, to be
 * copied.
 */
export async function sayer({ stderr, env }: Pick<Surroundings, "stderr" | "env">): Promise<(line: string) => void> {
  if (!stderr.isTTY) return (line) => stderr.write(`${line}\n`);
  const { folded } = await import("../display/width.js");
  return (line) => {
    const shown = /^https?:\/\/\S+$/.test(line) ? line : folded(line, columnsOf(stderr, env));
    stderr.write(`${shown}\n`);
  };
}

/** The functions that print, their style, and the person's ways to stop. */
export interface Surface extends Pick<Settings, "json">, Pick<Surroundings, "atInterrupt"> {
  /** The amount of the log on standard error. */
  readonly log: "quiet" | "normal" | "verbose";
  readonly style: Style;
  /** Aborts when somebody stops the command. The reason names the person of `--as`, if the person did. */
  readonly signal: AbortSignal;
  /** Prints one line to standard error. */
  readonly say: (line: string) => void;
  /** Prints the answer to standard output. */
  readonly answer: (text: string) => void;
}

/** The person at the terminal; undefined if standard input or standard error is no terminal. */
export function personIn({ stdin, stderr, env, interrupt }: Surroundings): Person | undefined {
  if (!stdin.isTTY || !stderr.isTTY) return undefined;
  const columns = (): number => columnsOf(stderr, env);
  return personAt({ input: stdin, output: stderr, columns, interrupt });
}

/** The key, and values of variables whose names suggest secrets. Values under 8 characters are left out: they occur in other texts. */
export function secretsIn(env: Surroundings["env"], key: string | undefined): readonly string[] {
  const named = Object.entries(env).flatMap(([name, value]) =>
    /(?:key|token|secret|password|passwd|credentials?)$/i.test(name) ? [value ?? ""] : [],
  );
  return [...new Set([key ?? "", ...named])].filter((value) => value.length >= 8);
}

/** Waits until the person stops the command. */
export async function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => {
    signal.addEventListener(
      "abort",
      () => {
        resolve();
      },
      { once: true },
    );
  });
}
