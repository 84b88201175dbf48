// The human log: turns events with their times into lines. The same events at the same times make the same lines.

import { speakerName } from "../display/said.js";
import {
  addUsage,
  noUsage,
  type Call,
  type Event,
  type JournalResult,
  type OutcomeWithoutSession,
  type Thrown,
} from "../../core/index.js";
import { valueWords } from "../../core/internal.js";
import { Below } from "./below.js";
import { callLine, changeOf, condensedLine, resultLine } from "./call-line.js";
import { closingLine } from "./ending.js";
import { oneLine, visible, withoutThinking } from "../display/visible.js";
import {
  changedWords,
  changeLines,
  count,
  detailLines,
  indent,
  plain,
  seconds,
  type Style,
} from "../display/quantities.js";

/** The options of the log. */
export interface LogOptions {
  readonly style: Style;
  /** True: shows requests, reasoning and whole results, too. */
  readonly isVerbose: boolean;
  /**
   * True: one line for a call, after its end, and none for an accepted claim. For a screen that shows running calls elsewhere.
   * Default false.
   */
  readonly condensed?: boolean;
  /** True: a line when somebody is asked about a call. For a program: the command shows the question itself. Default false. */
  readonly showsAsking?: boolean;
}

/** Returns the lines to print for an event and its time, in milliseconds from any fixed start. */
export type HumanLog = (event: Event, at: number) => readonly string[];

/** Makes a log of one run, or of several in a row, whose expense it adds up. It must get all events in their order. */
export function humanLog(options: LogOptions): HumanLog {
  const state = new LogState(options);
  return (event, at) => [...state.thought(event, at), ...state.below(event, at), ...state.lines(event, at)];
}

/** Lines of one diff that the log shows, if it is not verbose. */
const maxChangeLines = 20;

/** The state of the log between two events. */
class LogState {
  readonly #style: Style;
  readonly #isVerbose: boolean;
  readonly #isCondensed: boolean;
  readonly #showsAsking: boolean;
  #iteration = 0;
  #asked = 0;
  #began: number | undefined;
  #spent = { iterations: 0, usage: noUsage, cost: undefined as number | undefined };
  /** The reasoning of the model so far, and its start; undefined if the model is not reasoning. */
  #thinking: { readonly since: number; text: string } | undefined;
  /** Running calls by their ids. */
  readonly #open = new Map<string, { readonly began: number; readonly call: Call }>();
  /** The calls that the person was asked about. */
  readonly #shown = new Set<string>();
  /** The start of the latest call. */
  #lastCallStart = 0;
  readonly #below: Below;
  /** True while calls run in parallel. The lines of their results name the call. */
  #isParallel = false;

  constructor({ style, isVerbose, condensed = false, showsAsking = false }: LogOptions) {
    this.#style = style;
    this.#isVerbose = isVerbose;
    this.#isCondensed = condensed;
    this.#showsAsking = showsAsking;
    this.#below = new Below(style);
  }

  /** The calls of the agents that calls run. Without verbosity, they are counted in the line about the result. */
  below(event: Event, at: number): readonly string[] {
    const lines = this.#below.take(event, at);
    return this.#isVerbose ? lines : [];
  }

  /** The line about the time that the model thought, when another event ends it. */
  thought({ type }: Event, at: number): readonly string[] {
    const thinking = this.#thinking;
    const isOver = type === "text-delta" || type === "call-delta" || type === "reply-end" || type === "reply-retracted";
    if (thinking === undefined || !isOver) return [];
    this.#thinking = undefined;
    return [
      this.#headed(this.#style.dim(`thought for ${seconds(at - thinking.since)}`)),
      ...this.#details(thinking.text),
    ];
  }

  lines(event: Event, at: number): readonly string[] {
    const { dim, bold, good, bad } = this.#style;
    switch (event.type) {
      case "run-start":
        this.#began ??= at;
        return [];
      case "lease-wait":
        return [this.#headed(dim(leaseLine(event)))];
      case "iteration-start":
        this.#iteration = event.iteration;
        this.#asked = at;
        return [];
      case "iteration-end":
        this.#open.clear();
        this.#isParallel = false;
        return [];
      case "run-end":
        return [this.#closing(event.outcome, at)];
      case "request-start":
        return this.#isVerbose ? [this.#headed(dim(`asking, with ${count(event.messages, "message")}`))] : [];
      case "reasoning-delta":
        this.#thinking ??= { since: at, text: "" };
        this.#thinking.text += event.text;
        return [];
      case "call-healed":
        return [this.#headed(dim(`mended ${visible(event.name)}: ${oneLine(event.repairs.join("; "), 160)}`))];
      case "reply-end":
        return this.#replied(event, at);
      case "call-start":
        this.#open.set(event.call.id, { began: at, call: event.call });
        this.#isParallel ||= this.#open.size > 1;
        this.#lastCallStart = at;
        return this.#isCondensed ? [] : [this.#headed(callLine(event.call, this.#style))];
      case "call-asking":
        if (!this.#showsAsking) {
          this.#shown.add(event.callId);
          return [];
        }
        return [
          `${indent}${this.#nameIfParallel(event.callId)}${bold("asks for an approval")}${dim(`: ${oneLine(event.why, 160)}`)}`,
        ];
      case "call-decision":
        this.#decided(event, at);
        return [];
      case "call-parked":
        this.#open.delete(event.callId);
        return [`${indent}${bold("waits for an approval")}${dim(`: ${oneLine(event.why, 160)}`)}`];
      case "call-question":
        this.#open.delete(event.callId);
        return [`${indent}${bold("asks")}${dim(`: ${oneLine(valueWords(event.value), 160)}`)}`];
      case "call-end":
        return [...this.#ended(event.result, at), ...this.#thrown(event.error)];
      case "call-progress":
        return typeof event.progress === "string" ? this.#details(event.progress.trimEnd()) : [];
      case "reply-failure":
        return [`${indent}${bad(event.failure.kind)} ${oneLine(event.failure.message, 160)}`];
      case "check-start":
        return this.#isVerbose ? [`${indent}${dim(`check ${visible(event.check)}`)}`] : [];
      case "check-end":
        return this.#checked(event);
      case "claim-accepted":
        return this.#isCondensed
          ? []
          : [`${indent}${good("accepted")} ${dim(`(${seconds(at - this.#lastCallStart)})`)}`];
      case "background-end":
        return [
          `${indent}${event.result.ok ? good("ended") : bad("failed")} ${dim(`${event.work}: ${oneLine(event.result.text, 160)}`)}`,
        ];
      case "hand-over":
        return [`${indent}${good("handed over")} ${dim(`to ${speakerName(event.to)}`)}`];
      case "circuit-failure":
        return event.count > 1 ? [`${indent}${bad(`the same failure ${String(event.count)} times in a row`)}`] : [];
      case "circuit-open":
        return [`${indent}${bad("the circuit is open")}`];
      case "steer":
        return [this.#headed(`${bold("you:")} ${oneLine(event.text, 200)}`)];
      case "definition-drift":
        return [this.#headed(dim(`not the agent that the session was left by: ${visible(event.changes.join("; "))}`))];
      case "expiry":
        return [this.#headed(bad(visible(event.message)))];
      case "notice":
        return this.#noticed(event);
      case "request-retry":
        return [this.#headed(`${bad("retry")} in ${seconds(event.delay)}: ${oneLine(event.reason, 200)}`)];
      case "request-adjusted":
        return [this.#headed(dim(visible(event.reason)))];
      case "forcing-step":
        return [this.#headed(dim(`from ${event.from} to ${event.to}: ${visible(event.reason)}`))];
      case "reply-retracted":
        return [this.#headed(dim(`what was shown of this reply does not count: ${oneLine(event.reason, 160)}`))];
      case "prompt-rewrite":
        return this.#isVerbose ? [this.#headed(dim(`prompt rewritten: ${event.reason}`))] : [];
      case "text-delta":
      case "call-delta":
      case "call-writing":
      case "child-event":
      case "claim-retracted":
      case "circuit-close":
        return [];
    }
  }

  /** The line after the number of the iteration. A call that was approved later runs before the first iteration of its run. */
  #headed(line: string): string {
    const number = this.#iteration === 0 ? "" : `[${String(this.#iteration)}] `;
    return `${this.#style.dim(number.padEnd(5))}${line}`;
  }

  #details(text: string): readonly string[] {
    return this.#isVerbose ? detailLines(text, this.#style) : [];
  }

  /** The stacks of an error and its causes. */
  #thrown(error: Thrown | undefined): readonly string[] {
    return error === undefined ? [] : this.#details(stackOf(error));
  }

  #replied({ reply: { text, calls } }: Extract<Event, { readonly type: "reply-end" }>, at: number): readonly string[] {
    const { dim } = this.#style;
    const said = withoutThinking(text).trim();
    const words = said === "" ? [] : [this.#headed(dim(oneLine(said, 200)))];
    return calls.length === 0 ? [...words, this.#headed(dim(`no call (${seconds(at - this.#asked)})`))] : words;
  }

  /** The time until a person allowed the call does not count as time of the call. */
  #decided({ callId, allowed }: Extract<Event, { readonly type: "call-decision" }>, at: number): void {
    const open = this.#open.get(callId);
    if (open !== undefined && allowed) this.#open.set(callId, { ...open, began: at });
  }

  /** The call in front of a line about it, while other calls run as well. */
  #nameIfParallel(callId: string): string {
    const { call } = this.#open.get(callId) ?? {};
    return call !== undefined && this.#isParallel ? `${this.#style.dim(callLine(call, plain))}: ` : "";
  }

  #ended(result: JournalResult, at: number): readonly string[] {
    const { began = at, call } = this.#open.get(result.callId) ?? {};
    const name = this.#nameIfParallel(result.callId);
    this.#open.delete(result.callId);
    if (this.#open.size === 0) this.#isParallel = false;
    const end = { result, duration: at - began, below: this.#below.summary(result.callId) };
    const line =
      this.#isCondensed && call !== undefined
        ? this.#headed(condensedLine(call, end, this.#style))
        : `${indent}${name}${resultLine(call, end, this.#style)}`;
    return [line, ...this.#changed(call, result), ...this.#details(result.text)];
  }

  /** The diff of a call that has changed a file, unless the question about it has shown the diff. */
  #changed(call: Call | undefined, { ok, callId }: JournalResult): readonly string[] {
    const change = call === undefined || !ok || this.#shown.has(callId) ? undefined : changeOf(call);
    return changeLines(change ?? [], this.#style, this.#isVerbose ? Infinity : maxChangeLines);
  }

  #checked(event: Extract<Event, { readonly type: "check-end" }>): readonly string[] {
    const { good, bad, dim } = this.#style;
    if (event.kind !== undefined) return this.#ruled(event);
    const verdict = event.passed ? good("passed") : bad("failed");
    const before = event.when === "baseline" ? " before anything was done" : "";
    const line = `${indent}check ${visible(event.check)}: ${verdict}${before} ${dim(`(${seconds(event.duration)})`)}`;
    const changed = event.changed.length > 0 ? [`${indent}${bad(changedWords(event.changed))}`] : [];
    return [line, ...changed, ...this.#details(event.output), ...this.#thrown(event.error)];
  }

  /** Rules are looked at all the time, so a rule that holds is not worth a line. */
  #ruled({ check, passed, output, error }: Extract<Event, { readonly type: "check-end" }>): readonly string[] {
    if (passed) return this.#isVerbose ? [`${indent}${this.#style.dim(`rule ${visible(check)}: holds`)}`] : [];
    const [first = "", ...rest] = output.split("\n");
    const line = `${indent}rule ${visible(check)}: ${this.#style.bad("broken")}. ${oneLine(first, 300)}`;
    return [line, ...this.#details(rest.join("\n")), ...this.#thrown(error)];
  }

  #noticed(notice: Extract<Event, { readonly type: "notice" }>): readonly string[] {
    const { bold, bad } = this.#style;
    const first = oneLine(notice.text.split("\n")[0] ?? "", 200);
    switch (notice.about) {
      case "background":
      case "baseline":
      case "check":
        return this.#details(notice.text);
      case "stall":
        return [`${indent}${bad(first)}`];
      case "tools":
        return [this.#headed(first)];
      case "limit":
        return [this.#headed(`${bad("limit near")}: ${first}`)];
      case "closing":
        return [this.#headed(`${bold("closing")} (${notice.reason}): ${oneLine(notice.message, 200)}`)];
    }
  }

  #closing(outcome: OutcomeWithoutSession, at: number): string {
    const { iterations, usage, cost } = this.#spent;
    this.#spent = {
      iterations: iterations + outcome.iterations,
      usage: addUsage(usage, outcome.usage),
      cost: outcome.cost === undefined ? cost : (cost ?? 0) + outcome.cost,
    };
    this.#thinking = undefined;
    return closingLine(outcome, { ...this.#spent, duration: at - (this.#began ?? at) });
  }
}

/** The stack of an error, and below it the stacks of its causes. */
function stackOf({ stack, message, cause }: Thrown): string {
  const own = stack ?? message;
  return cause === undefined ? own : `${own}\ncaused by ${stackOf(cause)}`;
}

/** The line about a wait for the lease of a session. */
function leaseLine({ session, waited, holder }: Extract<Event, { readonly type: "lease-wait" }>): string {
  const by = holder === undefined ? "another process" : `process ${String(holder.pid)} on ${holder.host}`;
  return visible(
    waited < 1000
      ? `waits for session ${session}: ${by} works on it`
      : `still waits for ${by}, for ${seconds(waited)} now`,
  );
}
