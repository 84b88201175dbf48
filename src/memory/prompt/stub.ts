// Stubs: an old result in one line.

import type { JournalResult } from "../../core/index.js";
import { countLines, shortId } from "../../core/internal.js";

/** The line that stands for the result. `reader` is the tool that reads the whole, where there is one. */
export function stubFor({ name, text, callId, failure }: JournalResult, reader: string | undefined): string {
  const what = failure === undefined ? "result" : `failure (${failure.kind})`;
  const how = reader === undefined ? "" : `: ${reader} with call "${shortId(callId)}" shows it`;
  return `[${what} of ${name}, ${lengthIn(text)}, left out${how}]`;
}

function lengthIn(text: string): string {
  const lines = countLines(text, 0, text.length);
  return lines > 1 ? `${String(lines)} lines` : `${String(text.length)} characters`;
}
