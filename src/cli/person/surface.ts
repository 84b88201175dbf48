// The surface: where the command is run, what is printed where and how, and who is there.

import { styleText } from "node:util";
import type { Settings } from "../args/args.js";
import { personAt, type Person } from "./person.js";
import { visibleWords } from "../words/visible.js";
import { plain, type Style } from "../words/quantities.js";

/** Where the command is run: the process, or a test's stand-in for it. */
export interface Surroundings {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Aborts when the person wants it to stop. */
  readonly signal: AbortSignal;
  readonly interrupt: () => void;
}

/** What is printed where, and how. */
export function surfaceOf({ json, quiet, verbose }: Settings, { stdout, stderr, env, signal }: Surroundings): Surface {
  return {
    json,
    log: quiet ? "quiet" : verbose ? "verbose" : "normal",
    signal,
    style: stderr.isTTY && (env["NO_COLOR"] ?? "") === "" ? colours : plain,
    say: (line) => stderr.write(`${line}\n`),
    answer: (text) => stdout.write(`${stdout.isTTY ? visibleWords(text, { multiline: true }) : text}\n`),
  };
}

/** The surface of the command: the places it prints to, and the style. */
export interface Surface extends Pick<Settings, "json"> {
  /** How much is printed to standard error. */
  readonly log: "quiet" | "normal" | "verbose";
  readonly style: Style;
  /** Aborts when the person wants the command to stop. */
  readonly signal: AbortSignal;
  /** Prints one line to standard error. */
  readonly say: (line: string) => void;
  /** Prints the answer to standard output. */
  readonly answer: (text: string) => void;
}

/** Whether standard output is a terminal says nothing about standard error, which these are for. */
const coloured =
  (name: "dim" | "bold" | "green" | "red") =>
  (text: string): string =>
    styleText(name, text, { validateStream: false });

const colours: Style = {
  dim: coloured("dim"),
  bold: coloured("bold"),
  good: coloured("green"),
  bad: coloured("red"),
};

/** Somebody to ask, if there is a terminal to ask at. */
export function personIn({ stdin, stderr, interrupt }: Surroundings): Person | undefined {
  return stdin.isTTY && stderr.isTTY ? personAt(stdin, stderr, interrupt) : undefined;
}

/** What the environment names as secrets, long enough to be told from other texts. */
export function secretsIn(env: Surroundings["env"], key: string | undefined): readonly string[] {
  const named = Object.entries(env).flatMap(([name, value]) =>
    /(?:key|token|secret|password|passwd|credentials?)$/i.test(name) ? [value ?? ""] : [],
  );
  return [...new Set([key ?? "", ...named])].filter((value) => value.length >= 8);
}
