// The prompt of a session, computed from its records. Each record adds, removes or shortens messages.

import type { JournalRecord, JournalResult, Message } from "../../core/index.js";
import {
  describeFailure,
  describeNotes,
  leastShown,
  shownOf,
  type PromptRewrite,
  type PruneRecord,
} from "../../core/internal.js";
import { Entry, foldedInto, prunedInto, type Source } from "./entry.js";
import { longestStub, stubFor } from "./stub.js";

/** A stub, and the entry at this index, which it replaces. */
interface Stubbed {
  readonly index: number;
  readonly replaced: Entry;
  readonly entry: Entry;
}

/** The prompt of one session. Only records change it. */
export class Prompt {
  readonly #records: readonly JournalRecord[];
  readonly #entries: Entry[] = [];
  /** The messages of the first entries, as far as somebody has asked for them, and the characters that these add to a request. */
  readonly #messages: Message[] = [];
  #characters = 0;
  /** Number of the first record of the open iteration, of the failed streak before it, and of the group with the latest input. */
  #iteration = 0;
  #streak: number | undefined;
  #latest = 0;
  /** Number of the first record of the last iteration whose claim the checks refused. Undefined once a claim is accepted. */
  #refused: number | undefined;
  /** The nonce that wraps outside results in the current run. */
  #nonce: string | undefined;
  /** The number of pruned groups. */
  #pruned = 0;

  /** `records` is the live journal: it already holds each record that `show` is called with. */
  constructor(records: readonly JournalRecord[]) {
    this.#records = records;
  }

  /** The number of messages. */
  get length(): number {
    return this.#entries.length;
  }

  /** Always the same array; its content is valid until the next record. */
  get messages(): readonly Message[] {
    this.#make();
    return this.#messages;
  }

  /** Characters that the messages add to a request. */
  get characters(): number {
    this.#make();
    return this.#characters;
  }

  /** Characters that the message with the notes adds to a request; 0 without one. */
  get noted(): number {
    return this.#entries.find(({ kind }) => kind === "notes")?.size ?? 0;
  }

  /**
   * Applies a record to the prompt. `shown` is the number of messages that a request already contained. If one of these
   * changed, the reason is returned.
   */
  show(record: JournalRecord, shown: number): PromptRewrite["reason"] | undefined {
    const { seq } = record;
    switch (record.type) {
      case "input": {
        const rewritten = this.#forget(seq, "input", shown);
        this.#nonce = record.nonce;
        const { text, answers, lapses } = record;
        const files = filesOf(record);
        if (lapses !== undefined) this.#resolve("result", seq, { callId: lapses, text: noAnswer, ok: false });
        if (text === "") return this.#unsay(shown) ?? rewritten;
        this.#latest = answers === undefined ? seq : this.#iteration;
        if (answers === undefined) this.#say("input", text, seq, files);
        else this.#resolve("input", seq, { callId: answers, text, ok: true, ...files });
        const notes = describeNotes(record.notes ?? []);
        if (notes !== undefined) this.#say("notes", notes, seq);
        return rewritten;
      }
      case "reply":
        this.#iteration = seq;
        this.#add("reply", seq, seq, () => ({ role: "assistant", reply: record.reply }));
        return undefined;
      case "result": {
        const { result } = record;
        const { callId, ok, failure } = result;
        if (failure?.kind === "check_failed") this.#refused = this.#iteration;
        const nonce = this.#nonce;
        const make = (): Message => ({ role: "tool", callId, text: shownOf(result, nonce), ok, ...filesOf(result) });
        this.#add("result", seq, this.#iteration, make);
        return undefined;
      }
      case "claim":
        if (record.ending === "waiting") return undefined;
        this.#refused = undefined;
        this.#resolve("result", seq, { callId: record.callId, text: "Accepted.", ok: true });
        return undefined;
      case "hand-over":
        this.#refused = undefined;
        this.#nonce = record.nonce ?? this.#nonce;
        if (record.tokens !== undefined) this.#fold(this.#iteration, (pinned) => pinned);
        this.#resolve("result", seq, { callId: record.callId, text: record.text, ok: true });
        return record.tokens === undefined ? undefined : "fold";
      case "steer":
        this.#latest = seq;
        this.#say("input", record.text, seq, filesOf(record));
        return undefined;
      case "error-context":
        this.#add("failure", seq, this.#iteration, () => ({ role: "user", text: describeFailure(record.failure) }));
        return undefined;
      case "notice":
        this.#say("notice", record.text, seq);
        return undefined;
      case "iteration":
        if (!record.ephemeral) return this.#forget(this.#iteration, "recovered", shown);
        this.#streak ??= this.#iteration;
        return undefined;
      case "stub":
        for (const { index, entry } of this.stubs(record.before, record.reader)) this.#replace(index, 1, [entry]);
        return record.type;
      case "fold":
        this.#fold(record.before, (pinned) => foldedInto(record, pinned));
        return record.type;
      case "prune":
        this.#prune(record);
        return record.type;
      case "resume":
        this.#nonce = record.nonce ?? this.#nonce;
        return undefined;
      case "approval":
      case "answer":
        this.#nonce = record.nonce ?? this.#nonce;
        return undefined;
      case "decision":
      case "fork":
      case "parked":
      case "question":
      case "child":
      case "background":
      case "background-end":
      case "intent":
      case "baseline":
      case "check":
      case "expiry":
      case "spend":
      case "overflow":
      case "outcome":
        return undefined;
    }
  }

  /** Number of the first record that must stay in the prompt: the last `keep` groups and an open failed streak are kept. */
  barrier(keep: number): number {
    let left = keep;
    let barrier = Infinity;
    for (let index = this.#entries.length - 1; index >= 0 && left > 0; index -= 1) {
      const entry = this.#entries[index];
      if (entry?.kind !== "reply") continue;
      barrier = entry.unit;
      left -= 1;
    }
    return left > 0 ? 0 : Math.min(barrier, this.#streak ?? Infinity);
  }

  /** The entries that are older than the record and not pinned, oldest first. */
  older(before: number): readonly Entry[] {
    return this.#entries.slice(0, this.#indexOf(before)).filter((entry) => !this.#isPinned(entry));
  }

  /** Stubs for the results older than the record, as far as a stub is shorter than the result. */
  stubs(before: number, reader: string | undefined): readonly Stubbed[] {
    const stubs: Stubbed[] = [];
    for (const [index, entry] of this.#entries.entries()) {
      if (entry.unit >= before) break;
      const record = this.#records[entry.seq];
      if (entry.kind !== "result" || record?.type !== "result" || this.#isPinned(entry)) continue;
      const { result } = record;
      const { callId, ok } = result;
      const text = (): Message => ({ role: "tool", callId, text: stubFor(result, reader), ok });
      const stub = new Entry({ kind: "stub", seq: entry.seq, unit: entry.unit }, text);
      const isShorter = longestStub(result, reader) < leastShown(result);
      if (isShorter || stub.size < entry.size) stubs.push({ index, replaced: entry, entry: stub });
    }
    return stubs;
  }

  /** True for the first input, the latest input with the question it answers, the last claim with its refusal, and the notes. */
  #isPinned({ unit, kind }: Entry): boolean {
    if (kind === "summary" || kind === "gap") return false;
    if (kind === "notes") return true;
    return unit === this.#entries[0]?.unit || unit === this.#latest || unit === this.#refused;
  }

  /** Removes everything older than the record, except pinned entries. `made` makes what stands in its place. */
  #fold(before: number, made: (pinned: readonly Entry[]) => readonly Entry[]): void {
    this.#dropNotes();
    const end = this.#indexOf(before);
    const pinned = this.#entries.slice(0, end).filter((entry) => this.#isPinned(entry));
    this.#pruned = 0;
    this.#replace(0, end, made(pinned));
  }

  #prune(record: PruneRecord): void {
    this.#dropNotes();
    const end = this.#indexOf(record.before);
    const head = this.#entries.slice(0, end);
    this.#pruned += head.filter((entry) => entry.kind === "reply" && !this.#isPinned(entry)).length;
    const kept = head.filter((entry) => entry.kind === "summary" || this.#isPinned(entry));
    this.#replace(0, end, prunedInto(record, kept, this.#pruned));
  }

  /** Removes the message with the notes. */
  #dropNotes(): void {
    const index = this.#entries.findIndex(({ kind }) => kind === "notes");
    if (index >= 0) this.#replace(index, 1, []);
  }

  /** The index of the first entry that is not older than the record. Entries are sorted by age. */
  #indexOf(before: number): number {
    const index = this.#entries.findIndex(({ unit }) => unit >= before);
    return index < 0 ? this.#entries.length : index;
  }

  /** Removes the failed streak up to a record. Notices and user input within it stay. */
  #forget(end: number, reason: PromptRewrite["reason"], shown: number): PromptRewrite["reason"] | undefined {
    const streak = this.#streak;
    if (streak === undefined) return undefined;
    this.#streak = undefined;
    const range = this.#rangeOf(streak, end);
    const said = this.#entries.slice(range.from, range.to).filter(({ kind }) => kind === "notice" || kind === "input");
    this.#replace(range.from, range.to - range.from, said);
    return shown > range.from ? reason : undefined;
  }

  /** Removes a last reply that has no results: if a run is resumed without new input, the model is asked again. */
  #unsay(shown: number): PromptRewrite["reason"] | undefined {
    const index = this.#entries.length - 1;
    if (this.#entries[index]?.kind !== "reply") return undefined;
    this.#replace(index, 1, []);
    return shown > index ? "input" : undefined;
  }

  /** The range of the entries made from these records. It searches from the end, because the range is usually near it. */
  #rangeOf(first: number, end: number): { readonly from: number; readonly to: number } {
    const to = this.#entries.findLastIndex(({ unit }) => unit < end) + 1;
    const from = this.#entries.findLastIndex(({ unit }) => unit < first) + 1;
    return { from, to };
  }

  /** Adds the message that resolves a call of the open iteration. */
  #resolve(kind: "input" | "result", seq: number, answer: Omit<Extract<Message, { role: "tool" }>, "role">): void {
    this.#add(kind, seq, this.#iteration, () => ({ role: "tool", ...answer }));
  }

  #say(kind: Source["kind"], text: string, seq: number, files: Files = {}): void {
    this.#add(kind, seq, seq, () => ({ role: "user", text, ...files }));
  }

  #add(kind: Source["kind"], seq: number, unit: number, make: () => Message): void {
    this.#entries.push(new Entry({ kind, seq, unit }, make));
  }

  /** Replaces entries, and their messages as far as these are made. */
  #replace(index: number, count: number, entries: readonly Entry[]): void {
    const made = this.#messages.length;
    const removed = this.#entries.splice(index, count, ...entries);
    if (index >= made) return;
    this.#messages.splice(index, count, ...entries.map(({ message }) => message));
    for (const { size } of removed.slice(0, made - index)) this.#characters -= size;
    for (const { size } of entries) this.#characters += size;
  }

  /** Makes the messages that are not made yet. */
  #make(): void {
    if (this.#messages.length === this.#entries.length) return;
    for (const { message, size } of this.#entries.slice(this.#messages.length)) {
      this.#messages.push(message);
      this.#characters += size;
    }
  }
}

type Files = Pick<JournalResult, "attachments">;

/** The attachments of a record, for its message. */
function filesOf({ attachments }: Files): Files {
  return attachments === undefined ? {} : { attachments };
}

/** The text of the result for a waiting call whose answer did not come in time. */
const noAnswer = "No answer came in time. Go on as you think best, or ask again if you can't.";
