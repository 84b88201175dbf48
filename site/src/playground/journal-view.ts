// The journal as it is stored: a row for each record, with the record itself inside.

import type { Call, JournalRecord } from "lastcall";
import { count, el, written } from "./elements.js";

/** Draws the records of a session, and of the sessions below it. */
export class JournalView {
  readonly element: HTMLElement = el("div", "pg-journal");
  #records = 0;
  #hasEnded = false;

  /** The number of records. */
  get records(): number {
    return this.#records;
  }

  clear(): void {
    this.element.replaceChildren();
    this.#records = 0;
    this.#hasEnded = false;
  }

  /** True if the last record of the session is the end of a run. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Shows the lines of the session with this id, and of the sessions below it, in the order in which they were stored. */
  show(lines: ReadonlyMap<string, readonly string[]>, session: string): void {
    this.clear();
    const rows = [...lines].flatMap(([id, ofOne]) =>
      recordsIn(ofOne).map((record) => ({ record, isBelow: id !== session })),
    );
    for (const { record, isBelow } of rows.toSorted((a, b) => a.record.at - b.record.at)) this.#add(record, isBelow);
  }

  /** Adds lines that were stored. `isBelow` says that they belong to an agent below. */
  add(lines: readonly string[], isBelow: boolean): void {
    for (const record of recordsIn(lines)) this.#add(record, isBelow);
  }

  #add(record: JournalRecord, isBelow: boolean): void {
    this.#records += 1;
    if (!isBelow) this.#hasEnded = record.type === "outcome";
    this.element.append(rowOf(record, isBelow));
  }
}

/** The records in lines of a log. Its first line is a header. */
function recordsIn(lines: readonly string[]): readonly JournalRecord[] {
  return lines.map((line) => JSON.parse(line) as JournalRecord).filter((record) => !("lastcall" in record));
}

function rowOf(record: JournalRecord, isBelow: boolean): HTMLElement {
  const number = el("span", "pg-seq", String(record.seq));
  const words = el("span", "pg-text", wordsOf(record));
  const summary = el("summary", "", number, el("span", `pg-type pg-type-${record.type}`, record.type), words);
  const row = el("details", `pg-record${isBelow ? " pg-of-below" : ""}`, summary);
  // The text of a record is made when somebody looks.
  row.addEventListener("toggle", () => {
    if (row.open && row.childElementCount === 1)
      row.append(el("pre", "pg-result", JSON.stringify(record, undefined, 2)));
  });
  return row;
}

function argumentsOf(call: Call): string {
  return call.type === "call" ? written(call.input, Infinity) : call.source;
}

/** The content of a record in a few words. */
function wordsOf(record: JournalRecord): string {
  switch (record.type) {
    case "input":
    case "steer":
    case "notice":
      return record.text;
    case "reply": {
      const calls = record.reply.calls.map((call) => `${call.name}(${argumentsOf(call)})`).join(", ");
      return calls === "" ? record.reply.text : calls;
    }
    case "decision":
      return `${record.allowed ? "yes" : "no"}: ${record.reason}`;
    case "intent":
      return "the call is about to run";
    case "result":
      return `${record.result.name}: ${record.result.text}`;
    case "check":
      return `${record.check}: ${record.passed ? "passed" : "failed"}`;
    case "claim":
      return `${record.by}(${written(record.value, Infinity)})`;
    case "error-context":
      return `${record.failure.kind}: ${record.failure.message}`;
    case "parked":
      return `${record.name}: ${record.reason}`;
    case "approval":
      return record.allowed ? "yes" : "no";
    case "answer":
      return written(record.value, Infinity);
    case "resume":
      return "another worker goes on";
    case "iteration":
      return `${String(record.iteration)}: ${record.failures.length === 0 ? "no failure" : count(record.failures.length, "failure")}`;
    case "hand-over":
      return `to ${record.speakers.at(-1) ?? "the first agent"}`;
    case "child":
      return "an agent below begins";
    case "outcome":
      return [record.status, record.reason].filter(Boolean).join(": ");
    default:
      return "";
  }
}
