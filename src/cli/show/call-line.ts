// Lines of calls: one for what is asked for, one for what came of it, and one of both for whoever shows a call in a single line.

import { argumentsOf, type Call, type JournalResult } from "../../core/index.js";
import { isBadNews, summaryOfCall, summaryOfResult } from "./summary.js";
import { oneLine, visible } from "../words/visible.js";
import { seconds, type Style } from "../words/quantities.js";

/** What came of a call. */
export interface CallEnd {
  readonly result: JournalResult;
  /** Milliseconds from its start on. */
  readonly duration: number;
}

/** What a call asks for: the tool's name and the gist of the arguments. */
export function callLine(call: Call, { bold }: Style): string {
  return `${bold(visible(call.name))} ${summaryOfCall(call)}`.trimEnd();
}

/** What came of it and how long it took. Without the call, what its arguments say is left out. */
export function resultLine(call: Call | undefined, { result, duration }: CallEnd, style: Style): string {
  const { good, bad, dim } = style;
  const time = dim(`(${seconds(duration)})`);
  const { failure } = result;
  if (failure === undefined) {
    const summary = summaryOfResult(call, result);
    return `${isBadNews(result) ? bad(summary) : `${good("ok")} ${summary}`} ${time}`;
  }
  const isForm = failure.kind === "invalid_arguments" && call !== undefined;
  const given = isForm ? ` Given: ${oneLine(argumentsOf(call), 100)}` : "";
  return `${bad(failure.kind)} ${oneLine(failure.message, 160)}${given} ${time}`;
}

/** Both in one line, to take the place of the call's own line once it is over. */
export function condensedLine(call: Call, end: CallEnd, style: Style): string {
  return `${callLine(call, style)} → ${resultLine(call, end, style)}`;
}
