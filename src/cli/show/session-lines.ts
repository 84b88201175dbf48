// The transcript: the records of a session as lines for people. Pure.

import { questionText, speakerName } from "../display/said.js";
import { argumentsOf, type Attachment, type Call, type JournalRecord } from "../../core/index.js";
import { describeAttachment, noteLine, verificationOf } from "../../core/internal.js";
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
  switch (record.type) {
    case "input": {
      const { text, lapses, notes = [] } = record;
      return [
        ...(lapses === undefined ? [] : ["no answer came in time"]),
        ...(text === "" ? ["goes on"] : block("you", text)),
        ...fileLines(record.attachments),
        ...(notes.length === 0 ? [] : block("noted before", notes.map(noteLine).join("\n"))),
      ];
    }
    case "steer":
      return [...block("you, meanwhile", record.text), ...fileLines(record.attachments)];
    case "resume":
      return ["resumed"];
    case "fork":
      return [`a copy of ${visible(record.from)}`];
    case "reply": {
      const { text, calls } = record.reply;
      return [...(text === "" ? [] : block("model", text)), ...calls.flatMap((call) => callLines(call, style))];
    }
    case "decision":
      return record.allowed ? [] : [`not allowed: ${visible(record.reason)}`];
    case "parked":
      return [
        `waits for an approval of ${visible(record.name)}: ${visible(record.reason)}`,
        ...(record.preview === undefined ? [] : block("preview", record.preview)),
      ];
    case "question":
      return block(`${visible(record.name)} asks`, questionText(record.value));
    case "answer":
      return block("you", questionText(record.value));
    case "approval": {
      const words = record.text ?? record.reason;
      return [
        `${record.allowed ? "approved" : "not approved"}${words === undefined ? "" : `: ${oneLine(words, 200)}`}`,
      ];
    }
    case "background":
      return [`goes on in the background as ${record.work}`];
    case "background-end":
      return block(`${record.work} ${record.result.ok ? "ended" : "failed"}`, record.result.text);
    case "child":
      return [`runs an agent: lastcall show "${visible(record.callId)}"`];
    case "result":
      return [
        ...block(record.result.ok ? "result" : "failed", record.result.text),
        ...fileLines(record.result.attachments),
      ];
    case "error-context":
      return block("failed", record.failure.message);
    case "check":
      return [`check ${visible(record.check)} (${record.when}): ${record.passed ? "passed" : "did not pass"}`];
    case "notice":
      return block(`harness (${record.about})`, record.text);
    case "expiry":
      return [visible(record.message)];
    case "claim":
      return [
        `accepted${record.ending === "completed" ? `, ${verificationOf(record.receipts)}` : ""}: ${record.by} ${oneLine(JSON.stringify(record.value), 200)}`,
      ];
    case "hand-over":
      return block(`handed over to ${speakerName(record.speakers)}`, record.text);
    case "outcome":
      return [`${record.status}${record.message === undefined ? "" : `: ${visible(record.message)}`}`, ""];
    case "fold":
      return block(
        `what is older is from here on summed up, by ${record.by === "rule" ? "rule" : `a ${record.by}`}`,
        record.summary,
      );
    case "stub":
      return ["older results are from here on shown as one line each"];
    case "prune":
      return ["the oldest steps are from here on not shown to the model"];
    case "overflow":
      return [`the prompt does not fit the window: ${visible(record.message)}`];
    case "baseline":
    case "intent":
    case "iteration":
    case "spend":
      return [];
  }
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

function block(who: string, text: string): readonly string[] {
  const lines = text.trimEnd().split("\n");
  const shown = lines.slice(0, maxLines).map((line) => visible(line));
  const more = lines.length > maxLines ? [`[... ${String(lines.length - maxLines)} more lines]`] : [];
  if (lines.length === 1) return [`${who}: ${shown[0] ?? ""}`];
  return [`${who}:`, ...[...shown, ...more].map((line) => `  ${line}`)];
}
