// One difference between a recording and a replay, in words for people.

import { shownBeside } from "../cassette/first-difference.js";

/** One difference between the recording and the replay. */
export interface Difference {
  /** The part that differs. */
  readonly part: "system prompt" | "tool" | "message" | "request" | "decision" | "result" | "check" | "end";
  /** The section, the tool, the message, the check or the field. */
  readonly name: string;
  /** The text in the recording. Undefined if it was not there. */
  readonly was: string | undefined;
  /** The text in the replay. Undefined if it is not there. */
  readonly is: string | undefined;
}

/** A difference of a departure. */
export interface ReplayDifference extends Difference {
  /** The difference in words, with both texts shortened around the place where they part. */
  readonly words: string;
}

/** A difference with a cause of its own, and what follows from it. */
export interface Departure {
  /** The effect, such as `1/model:3` or `1/call:3:0`: run, kind, iteration and call. */
  readonly at: string;
  readonly kind: "request" | "decision" | "result" | "check" | "end";
  readonly differences: readonly ReplayDifference[];
  /** The later effects that differ because of this. */
  readonly follows: readonly string[];
}

/** A difference in words. Long texts are shortened around the place where they part. */
export function differenceWords({ part, name, was, is }: Difference): string {
  const what = part === name ? part : `${part} ${name}`;
  if (was === undefined) return `${what} is new: ${shownBeside(is, was)}`;
  if (is === undefined) return `${what} is gone: ${shownBeside(was, is)}`;
  const changed = changedLines(was, is);
  if (changed === undefined) return `${what} was ${shownBeside(was, is)} and is ${shownBeside(is, was)}`;
  return `${what} ${changed.map(([before, now]) => `was ${shownBeside(before, now)} and is ${shownBeside(now, before)}`).join("; ")}`;
}

/** The most changed lines of a text that are shown each for itself. */
const mostLines = 4;

/** The lines that differ, if the texts have as many lines and few of them differ. Undefined otherwise. */
function changedLines(was: string, is: string): readonly (readonly [string, string])[] | undefined {
  const [before, now] = [was.split("\n"), is.split("\n")];
  if (before.length === 1 || before.length !== now.length) return undefined;
  const changed = before.flatMap((line, index) => (line === now[index] ? [] : [[line, now[index] ?? ""] as const]));
  return changed.length > mostLines ? undefined : changed;
}
