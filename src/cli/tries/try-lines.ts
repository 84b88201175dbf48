// Rounds and rivals for people and programs: a line when a try begins and when it ends, the answer, the exit code.

import type { AnyOutcome } from "../../core/index.js";
import type { TriesOutcome, Tried, TryEvent } from "../../evals/index.js";
import type { Settings } from "../args/args.js";
import { seconds, tokens } from "../display/quantities.js";
import { count } from "../display/quantities.js";
import type { Speech } from "../display/said.js";
import { visible } from "../display/visible.js";
import { describeEnding, exitCode, faultCode } from "../show/ending.js";

/** A word for one try. */
export type TryWord = "round" | "rival";

/** The line of a try that begins. */
export function startLine(
  word: TryWord,
  { number, of, session }: { number: number; of: number; session: string },
): string {
  return `${word} ${String(number)} of ${String(of)} · ${session}`;
}

/** The line of a try that has ended. `elapsed`: milliseconds. */
export function endLine(word: TryWord, tried: Tried, elapsed: number): string {
  const { number, outcome, isRight, why, rating, lines, putBack = [] } = tried;
  const { usage, cost, iterations } = outcome;
  const ended = isRight || outcome.status !== "completed" ? describeEnding(outcome) : "completed";
  const doubt = !isRight && outcome.status === "completed" ? [`not right: ${why.split("\n")[0] ?? ""}`] : [];
  const parts = [
    ended,
    ...doubt,
    ...(putBack.length === 0 ? [] : [`put back before the check: ${putBack.join(", ")}`]),
    ...(rating === undefined ? [] : [`rated ${String(rating)}`]),
    ...(lines === undefined ? [] : [count(lines, "changed line")]),
    count(iterations, "iteration"),
    tokens(usage, cost),
    seconds(elapsed),
  ];
  return visible(`${word} ${String(number)}: ${parts.join(" · ")}`);
}

/** The tries as JSON, without the records of their sessions: `lastcall show ID --json` has these. */
export function triesJson(end: TriesOutcome): string {
  const tries = end.tries.map(({ outcome: { session, ...outcome }, ...tried }) => ({
    ...tried,
    session: session.id,
    outcome,
  }));
  const message = end.status === "failed" ? { message: end.fault.message } : {};
  return JSON.stringify({ ...end, fault: undefined, ...message, tries }, null, 2);
}

/** The try that is right; undefined if none is. */
function rightIn(end: TriesOutcome): AnyOutcome | undefined {
  return end.status === "completed" ? end.tries.find(({ number }) => number === end.number)?.outcome : undefined;
}

/** The answer of the try that is right; undefined if none is, or if it gave no answer. */
export function answerOf(end: TriesOutcome, speech: Speech): string | undefined {
  const right = rightIn(end);
  return right?.status === "completed" ? speech(right.by, right.value).text : undefined;
}

/** The exit code of the tries: the exit code of the try that is right, or 2 if none is. */
export function triesCode(end: TriesOutcome, settings: Pick<Settings, "requireVerified">): number {
  const right = rightIn(end);
  switch (end.status) {
    case "completed":
      return right?.status === "completed" ? exitCode(right, settings) : 0;
    case "stopped": {
      const last = end.tries.at(-1)?.outcome;
      return last?.status === "stopped" && last.reason === "timeout" ? 124 : 2;
    }
    case "waiting":
      return 3;
    case "aborted":
      return 130;
    case "failed":
      return faultCode(end.fault);
  }
}

/** The events of tries, drained. */
export async function drained(
  running: AsyncGenerator<TryEvent, TriesOutcome, void>,
  take: (event: TryEvent) => void,
): Promise<TriesOutcome> {
  for (;;) {
    const next = await running.next();
    if (next.done === true) return next.value;
    take(next.value);
  }
}
