// The transcript: the records of a session as lines for people. Pure.

import { argumentsOf, type Attachment, type Call, type JournalRecord } from "../../core/index.js";
import { describeAttachment, noteLine, recordWords } from "../../core/internal.js";
import { changeOf } from "./call-line.js";
import { summaryOfCall } from "./summary.js";
import { oneLine, visible } from "../display/visible.js";
import { changeLines, type Style } from "../display/quantities.js";

/** Lines shown of one result. */
const maxLines = 12;

/** The lines of all records, each with the number of the record, which `lastcall fork` takes. */
export function transcriptLines(records: readonly JournalRecord[], style: Style): readonly string[] {
  return records.flatMap((record) => {
    const [first, ...rest] = linesOf(record, style);
    const number = `${String(record.seq).padStart(5)}  `;
    return first === undefined ? [] : [`${number}${first}`, ...rest.map((line) => `       ${line}`)];
  });
}

function linesOf(record: JournalRecord, style: Style): readonly string[] {
  if (record.type === "reply") {
    const { text, calls } = record.reply;
    return [...(text === "" ? [] : block("model", text)), ...calls.flatMap((call) => callLines(call, style))];
  }
  const words = recordWords(record);
  if (words === undefined) return [];
  // The output of a check is in the result of the claim, too.
  const text = record.type === "check" ? (words.text.split("\n")[0] ?? "") : words.text;
  return [...block(words.label, text), ...moreLines(record)];
}

/** The lines below the words of a record. */
function moreLines(record: JournalRecord): readonly string[] {
  if (record.type === "input") {
    const { lapses, attachments, notes = [] } = record;
    return [
      ...(lapses === undefined ? [] : ["no answer came in time"]),
      ...fileLines(attachments),
      ...(notes.length === 0 ? [] : block("noted before", notes.map(noteLine).join("\n"))),
    ];
  }
  if (record.type === "steer") return fileLines(record.attachments);
  if (record.type === "result") return fileLines(record.result.attachments);
  if (record.type === "parked" && record.preview !== undefined) return block("preview", record.preview);
  return record.type === "outcome" ? [""] : [];
}

/** A line for each file that goes with a text. */
function fileLines(attachments: readonly Attachment[] = []): readonly string[] {
  return attachments.map((attachment) => `  ${visible(describeAttachment(attachment))}`);
}

function callLines(call: Call, style: Style): readonly string[] {
  const change = changeOf(call);
  const [words, lines] =
    change === undefined
      ? [oneLine(argumentsOf(call), 300), []]
      : [summaryOfCall(call), changeLines(change, style, maxLines)];
  return [`calls ${visible(call.name)} ${words}`, ...lines];
}

function block(label: string, text: string): readonly string[] {
  const who = visible(label);
  if (text === "") return [who];
  const lines = text.trimEnd().split("\n");
  const shown = lines.slice(0, maxLines).map((line) => visible(line));
  const more = lines.length > maxLines ? [`[... ${String(lines.length - maxLines)} more lines]`] : [];
  if (lines.length === 1) return [`${who}: ${shown[0] ?? ""}`];
  return [`${who}:`, ...[...shown, ...more].map((line) => `  ${line}`)];
}
