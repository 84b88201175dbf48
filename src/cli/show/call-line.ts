// Lines about calls: the call, its result, or both in one line.

import { argumentsOf, type Call, type JournalResult } from "../../core/index.js";
import { statedChange } from "../../core/internal.js";
import { isBadNews, summaryOfCall, summaryOfResult } from "./summary.js";
import { oneLine, visible } from "../display/visible.js";
import { seconds, type Style } from "../display/quantities.js";

/** The end of a call. */
export interface CallEnd {
  readonly result: JournalResult;
  /** Milliseconds since its start. */
  readonly duration: number;
  /** The work of the agents that it ran, in a few words. Default: it ran none. */
  readonly below?: string | undefined;
}

/** The line of a call: the tool's name and a summary of the arguments. */
export function callLine(call: Call, { bold }: Style): string {
  return `${bold(visible(call.name))} ${summaryOfCall(call)}`.trimEnd();
}

/** The lines of the diff that the call states; undefined if it changes no text of a file. */
export function changeOf(call: Call): readonly string[] | undefined {
  return call.type === "call" ? statedChange(call.name, call.input) : undefined;
}

/** The line of a result, with the duration. Without the call, the line has nothing from its arguments. */
export function resultLine(call: Call | undefined, { result, duration, below }: CallEnd, style: Style): string {
  const { good, bad, dim } = style;
  const time = dim(`(${below === undefined ? "" : `${below}, `}${seconds(duration)})`);
  const { failure } = result;
  if (failure === undefined) {
    const summary = summaryOfResult(call, result);
    return `${isBadNews(result) ? bad(summary) : `${good("ok")} ${summary}`} ${time}`;
  }
  const isForm = failure.kind === "invalid_arguments" && call !== undefined;
  const given = isForm ? ` Given: ${oneLine(argumentsOf(call), 100)}` : "";
  return `${bad(failure.kind)} ${oneLine(failure.message, 160)}${given} ${time}`;
}

/** The call and its result in one line, to replace the line of the call when it has ended. */
export function condensedLine(call: Call, end: CallEnd, style: Style): string {
  return `${callLine(call, style)} → ${resultLine(call, end, style)}`;
}
