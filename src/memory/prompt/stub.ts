// Stubs: an old result shortened to one line.

import type { JournalResult } from "../../core/index.js";
import { countLines, shortId } from "../../core/internal.js";

/** The line that replaces the result. `reader` is the tool that shows the full result, if the agent has one. */
export function stubFor(
  { name, text, callId, failure, attachments = [] }: JournalResult,
  reader: string | undefined,
): string {
  const kind = failure === undefined ? "result" : `failure (${failure.kind})`;
  const hint = reader === undefined ? "" : `: ${reader} with call "${shortId(callId)}" shows it`;
  const files = attachments.map(({ mediaType, name: file }) => `, ${file ?? mediaType}`).join("");
  return `[${kind} of ${name}, ${lengthIn(text)}${files}, left out${hint}]`;
}

/** A length that the line does not exceed, without making it. */
export function longestStub({ name, callId, failure, attachments = [] }: JournalResult, reader = ""): number {
  const files = attachments.reduce((sum, { mediaType, name: file = mediaType }) => sum + ", ".length + file.length, 0);
  return words + name.length + callId.length + (failure?.kind.length ?? 0) + reader.length + files;
}

/** More than the characters of the line that are the same for all results, and of a number. */
const words = 120;

function lengthIn(text: string): string {
  const lines = countLines(text, 0, text.length);
  return lines > 1 ? `${String(lines)} lines` : `${String(text.length)} characters`;
}
