// The human log: events in, lines out. Pure but for the clock it is given.

import { argumentsOf, isPlainObject, type Call, type Event, type JournalResult, type Usage } from "../core/index.js";
import { oneLine, visible } from "./visible.js";

/** How a piece of a line looks; each takes and gives a text. */
export interface Style {
  readonly dim: (text: string) => string;
  readonly bold: (text: string) => string;
  readonly good: (text: string) => string;
  readonly bad: (text: string) => string;
}

/** No colours at all. */
export const plain: Style = { dim: (t) => t, bold: (t) => t, good: (t) => t, bad: (t) => t };

/** What the log needs to know. */
export interface LogOptions {
  readonly style: Style;
  /** Shows requests, reasoning and whole results as well. */
  readonly isVerbose: boolean;
  /** Milliseconds. */
  readonly now: () => number;
}

/** Makes a log: it takes the events in order and gives the lines to print for each. */
export function humanLog({ style, isVerbose, now }: LogOptions): (event: Event) => readonly string[] {
  const { dim, bold, good, bad } = style;
  let iteration = 0;
  let asked = now();
  /** The id of the call that was begun last. */
  let last = "";
  /** True while calls run side by side: their results are said with their names. */
  let isCrowded = false;
  /** Calls that were begun, by their ids. */
  const open = new Map<string, { readonly began: number; readonly call: Call }>();

  const indent = "      ";
  const since = (start: number): string => dim(`(${seconds(now() - start)})`);
  const head = (): string => dim(`[${String(iteration)}]`.padEnd(5));
  const details = (text: string): readonly string[] =>
    isVerbose ? text.split("\n").map((line) => dim(`${indent}| ${visible(line)}`)) : [];

  /** Which call a line is about, where it may be another than the last that was begun. */
  function label(callId: string): string {
    const { call } = open.get(callId) ?? {};
    const isPlain = call === undefined || !isCrowded;
    return isPlain ? "" : `${dim(`${visible(call.name)} ${summaryOf(call)}`.trimEnd())}: `;
  }

  function ended(result: JournalResult): readonly string[] {
    const { failure, callId, text } = result;
    const { began = now(), call } = open.get(callId) ?? {};
    const name = label(callId);
    open.delete(callId);
    if (open.size === 0) isCrowded = false;
    if (failure === undefined)
      return [`${indent}${name}${good("ok")} ${summary(text)} ${since(began)}`, ...details(text)];
    const isForm = failure.kind === "invalid_arguments" && call !== undefined;
    const given = isForm ? ` Given: ${oneLine(argumentsOf(call), 100)}` : "";
    const line = `${indent}${name}${bad(failure.kind)} ${oneLine(failure.message, 160)}${given} ${since(began)}`;
    return [line, ...details(text)];
  }

  function checked(event: Extract<Event, { readonly type: "check-end" }>): readonly string[] {
    const verdict = event.passed ? good("passed") : bad("failed");
    const before = event.when === "baseline" ? " before anything was done" : "";
    const line = `${indent}check ${visible(event.check)}: ${verdict}${before} ${dim(`(${seconds(event.duration)})`)}`;
    const changed = event.changed.length > 0 ? [`${indent}${bad(changedWords(event.changed))}`] : [];
    return [line, ...changed, ...details(event.output)];
  }

  function noticed(notice: Extract<Event, { readonly type: "notice" }>): readonly string[] {
    const first = oneLine(notice.text.split("\n")[0] ?? "", 200);
    switch (notice.about) {
      case "baseline":
      case "check":
        return isVerbose ? details(notice.text) : [];
      case "stall":
        return [`${indent}${bad(first)}`];
      case "limit":
        return [`${head()}${bad("limit near")}: ${first}`];
      case "closing":
        return [`${head()}${bold("closing")} (${notice.reason}): ${oneLine(notice.message, 200)}`];
    }
  }

  return (event) => {
    switch (event.type) {
      case "iteration-end":
        open.clear();
        isCrowded = false;
        return [];
      case "iteration-start":
        iteration = event.iteration;
        asked = now();
        return [];
      case "request-start":
        return isVerbose ? [`${head()}${dim(`asking, with ${String(event.messages)} messages`)}`] : [];
      case "call-healed":
        return [`${head()}${dim(`mended ${visible(event.name)}: ${oneLine(event.repairs.join("; "), 160)}`)}`];
      case "reply-end": {
        const { text, calls } = event.reply;
        const thought = text === "" ? [] : [`${head()}${dim(oneLine(text, 200))}`];
        return calls.length === 0 ? [...thought, `${head()}${dim("no call")} ${since(asked)}`] : thought;
      }
      case "call-start":
        open.set(event.call.id, { began: now(), call: event.call });
        isCrowded ||= open.size > 1;
        last = event.call.id;
        return [`${head()}${bold(visible(event.call.name))} ${summaryOf(event.call)}`.trimEnd()];
      case "call-end":
        return ended(event.result);
      case "call-progress":
        return typeof event.progress === "string" ? details(event.progress.trimEnd()) : [];
      case "reply-failure":
        return [`${indent}${bad(event.failure.kind)} ${oneLine(event.failure.message, 160)}`];
      case "check-start":
        return isVerbose ? [`${indent}${dim(`check ${visible(event.check)}`)}`] : [];
      case "check-end":
        return checked(event);
      case "claim-accepted":
        return [`${indent}${good("accepted")} ${since(open.get(last)?.began ?? now())}`];
      case "circuit-failure":
        return event.count > 1 ? [`${indent}${bad(`the same failure ${String(event.count)} times in a row`)}`] : [];
      case "circuit-open":
        return [`${indent}${bad("the circuit is open")}`];
      case "steer":
        return [`${head()}${bold("you")} ${oneLine(event.text, 200)}`];
      case "definition-drift":
        return [`${head()}${dim(`not the agent that the session was left by: ${visible(event.changes.join("; "))}`)}`];
      case "expiry":
        return [`${head()}${bad(event.message)}`];
      case "notice":
        return noticed(event);
      case "request-retry":
        return [`${head()}${bad("retry")} in ${seconds(event.delay)}: ${oneLine(event.reason, 200)}`];
      case "request-adjusted":
        return [`${head()}${dim(visible(event.reason))}`];
      case "forcing-step":
        return [`${head()}${dim(`from ${event.from} to ${event.to}: ${visible(event.reason)}`)}`];
      case "reply-retracted":
        return [`${head()}${dim(`what was shown of this reply does not count: ${oneLine(event.reason, 160)}`)}`];
      case "prompt-rewrite":
        return isVerbose ? [`${head()}${dim(`prompt rewritten: ${event.reason}`)}`] : [];
      case "reasoning-delta":
      case "text-delta":
      case "call-delta":
      case "call-writing":
      case "call-decision":
      case "claim-retracted":
      case "circuit-close":
      case "run-start":
      case "run-end":
        return [];
    }
  };
}

/** A call's arguments in one line: the values of short ones, the sizes of long ones. */
function summaryOf(call: Call): string {
  if (call.type === "unreadable-call") return oneLine(call.source, 80);
  if (!isPlainObject(call.input)) return oneLine(JSON.stringify(call.input), 80);
  return Object.entries(call.input)
    .map(([name, value], index) => {
      const text = typeof value === "string" ? value : JSON.stringify(value);
      const shown = text.includes("\n") && text.length > 60 ? `<${String(text.length)} characters>` : oneLine(text, 80);
      return index === 0 ? shown : `${visible(name)}=${shown}`;
    })
    .join(" ");
}

/** A result in one line: itself if it is short, else its first line and how much there is. */
function summary(text: string): string {
  const lines = text.trimEnd().split("\n");
  const first = oneLine((lines[0] ?? "").replaceAll("\t", " "), 80);
  return lines.length === 1 ? first : `${first} … ${String(lines.length)} lines`;
}

/** Files that a check is made of and that were changed, in one line. */
export function changedWords(changed: readonly string[]): string {
  const few = changed.slice(0, 5).map((path) => visible(path));
  const more = changed.length > few.length ? ` and ${String(changed.length - few.length)} more` : "";
  return `changed since the start, and part of what the check goes by: ${few.join(", ")}${more}`;
}

/** Milliseconds in words. */
export function seconds(ms: number): string {
  return ms < 100 ? `${String(Math.round(ms))} ms` : `${(ms / 1000).toFixed(1)} s`;
}

/** Tokens in words, and the cost where it is known. */
export function tokens({ inputTokens, outputTokens, cachedInputTokens }: Usage, cost?: number): string {
  const price = cost === undefined ? "" : ` · cost ${String(Number(cost.toPrecision(3)))}`;
  if (inputTokens + outputTokens === 0) return `tokens not reported${price}`;
  const cached = cachedInputTokens > 0 ? ` (${String(cachedInputTokens)} cached)` : "";
  return `${String(inputTokens)} tokens in${cached}, ${String(outputTokens)} out${price}`;
}
