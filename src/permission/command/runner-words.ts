// Says whether the words behind a runner of checks change nothing but the checks that run.

import { runnerOf } from "../programs/runners.js";
import type { SafeProgram } from "../programs/safe-program.js";
import { argumentsOf } from "./program-options.js";

/** Words that every shell reads as they are: a runner may hand them to a shell. Some programs read words from a path behind `@`. */
const plain = /^(?!(?:.*[=,:])?@[./])[\w@:=,./-]+$/;

/** A step to the folder above. `./...` is none: it means all packages of Go. */
const upwards = /(?<!\.)\.\.(?:\/|$)/;

/** The words behind the runner that a command begins with. */
export interface RunnerWords {
  /** The words that the command begins with. */
  readonly begin: readonly string[];
  /** The words behind them; undefined if one may do more than choose checks. */
  readonly rest: readonly string[] | undefined;
}

/** Reads a command that begins with a runner; undefined if it begins with none. */
export function runnerWordsOf(words: readonly string[]): RunnerWords | undefined {
  const runner = runnerOf(words);
  if (runner === undefined) return undefined;
  const { words: begin, options, handsOn = false } = runner;
  const rest = words.slice(begin.length);
  const end = handsOn ? rest.indexOf("--") : -1;
  const own = end < 0 ? rest : rest.slice(0, end);
  const isPlain = rest.every((word) => plain.test(word) && !upwards.test(word));
  // Words behind `--` are looked at by their form alone: the code of the workspace gets them.
  const isKnown = isPlain && !own.includes("--") && argumentsOf(options, apart(own, options)) !== undefined;
  return { begin, rest: isKnown ? rest : undefined };
}

/** The words, with the values of options such as `-count=1` as words of their own if the program has a single dash before long names. */
function apart(words: readonly string[], { whole }: SafeProgram): readonly string[] {
  if (whole === undefined) return words;
  return words.flatMap((word) => /^(-\w+)=(.+)$/.exec(word)?.slice(1) ?? [word]);
}
