// The prompt as it follows from the records: the messages, what is known of each, and how a step that shortens it changes them.

import type { JournalRecord, Message } from "../../core/index.js";
import {
  describeFailure,
  describeNotes,
  shownOf,
  sizeOf,
  type FoldRecord,
  type PromptRewrite,
  type PruneRecord,
} from "../../core/internal.js";
import { entryOf, foldedInto, prunedInto, type Entry } from "./entry.js";
import { stubFor } from "./stub.js";

/** A stub, and the place of the entry that it stands for. */
interface Stubbed {
  readonly place: number;
  /** Characters. */
  readonly frees: number;
  readonly entry: Entry;
}

/** The prompt of one session. Only records change it. */
export class Prompt {
  /** The same array always; valid until the next record. */
  readonly messages: Message[] = [];
  readonly #records: readonly JournalRecord[];
  readonly #entries: Entry[] = [];
  #characters = 0;
  /** The first record of the open iteration, of the failed streak before it, and of what holds the latest input. */
  #iteration = 0;
  #streak: number | undefined;
  #latest = 0;
  /** The first record of the iteration whose claim the checks refused last, until one is accepted. */
  #refused: number | undefined;
  /** What wraps results from outside in the run at hand. */
  #nonce: string | undefined;
  /** Groups that were pruned. */
  #pruned = 0;

  /** The records are those that are shown, and the earlier ones; they may grow. */
  constructor(records: readonly JournalRecord[]) {
    this.#records = records;
  }

  /** Characters that the messages add to a request. */
  get characters(): number {
    return this.#characters;
  }

  /** Characters that the message with the notes adds to a request; 0 where there is none. */
  get noted(): number {
    return this.#entries.find(({ kind }) => kind === "notes")?.size ?? 0;
  }

  /**
   * Shows what the record says. Returns the reason where messages before `shown` were changed by it: they are those that
   * a request has had.
   */
  show(record: JournalRecord, shown: number): PromptRewrite["reason"] | undefined {
    const { seq } = record;
    switch (record.type) {
      case "input": {
        const rewritten = this.#forget(seq, "input", shown);
        this.#nonce = record.nonce;
        const { text, answers, lapses } = record;
        if (lapses !== undefined) {
          this.#add("result", { role: "tool", callId: lapses, text: noAnswer }, seq, this.#iteration);
        }
        if (text === "") return this.#unsay(shown) ?? rewritten;
        this.#latest = answers === undefined ? seq : this.#iteration;
        if (answers === undefined) this.#add("input", { role: "user", text }, seq, seq);
        else this.#add("input", { role: "tool", callId: answers, text }, seq, this.#iteration);
        const notes = describeNotes(record.notes ?? []);
        if (notes !== undefined) this.#add("notes", { role: "user", text: notes }, seq, seq);
        return rewritten;
      }
      case "reply":
        this.#iteration = seq;
        this.#add("reply", { role: "assistant", reply: record.reply }, seq, seq);
        return undefined;
      case "result": {
        const { callId, failure } = record.result;
        if (failure?.kind === "check_failed") this.#refused = this.#iteration;
        this.#add("result", { role: "tool", callId, text: shownOf(record.result, this.#nonce) }, seq, this.#iteration);
        return undefined;
      }
      case "claim":
        if (record.ending === "waiting") return undefined;
        this.#refused = undefined;
        this.#add("result", { role: "tool", callId: record.callId, text: "Accepted." }, seq, this.#iteration);
        return undefined;
      case "steer":
        this.#latest = seq;
        this.#add("input", { role: "user", text: record.text }, seq, seq);
        return undefined;
      case "error-context":
        this.#add("failure", { role: "user", text: describeFailure(record.failure) }, seq, this.#iteration);
        return undefined;
      case "notice":
        this.#add("notice", { role: "user", text: record.text }, seq, seq);
        return undefined;
      case "iteration":
        if (!record.ephemeral) return this.#forget(this.#iteration, "recovered", shown);
        this.#streak ??= this.#iteration;
        return undefined;
      case "stub":
        for (const { place, entry } of this.stubs(record.before, record.reader)) this.#replace(place, 1, [entry]);
        return record.type;
      case "fold":
        this.#fold(record);
        return record.type;
      case "prune":
        this.#prune(record);
        return record.type;
      case "resume":
        this.#nonce = record.nonce ?? this.#nonce;
        return undefined;
      case "decision":
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

  /** The first record that is not to be left out where the last `keep` groups and a failed streak that is live are kept. */
  barrier(keep: number): number {
    let left = keep;
    let barrier = Infinity;
    for (let place = this.#entries.length - 1; place >= 0 && left > 0; place -= 1) {
      const entry = this.#entries[place];
      if (entry?.kind !== "reply") continue;
      barrier = entry.unit;
      left -= 1;
    }
    return left > 0 ? 0 : Math.min(barrier, this.#streak ?? Infinity);
  }

  /** What is older than the record and not pinned, oldest first. */
  older(before: number): readonly Entry[] {
    return this.#entries.slice(0, this.#placeOf(before)).filter((entry) => !this.#isPinned(entry));
  }

  /** The stubs of results older than the record, where a stub is shorter. */
  stubs(before: number, reader: string | undefined): readonly Stubbed[] {
    const stubs: Stubbed[] = [];
    for (const [place, entry] of this.#entries.entries()) {
      if (entry.unit >= before) break;
      const record = this.#records[entry.seq];
      if (entry.kind !== "result" || record?.type !== "result" || this.#isPinned(entry)) continue;
      const { callId } = record.result;
      const message: Message = { role: "tool", callId, text: stubFor(record.result, reader) };
      const size = sizeOf(message);
      const frees = entry.size - size;
      if (frees > 0) stubs.push({ place, frees, entry: { ...entry, kind: "stub", message, size } });
    }
    return stubs;
  }

  /** The first input, the latest with its question where it answers one, what the checks said of the last claim, and the notes. */
  #isPinned({ unit, kind }: Entry): boolean {
    if (kind === "summary" || kind === "gap") return false;
    if (kind === "notes") return true;
    return unit === this.#entries[0]?.unit || unit === this.#latest || unit === this.#refused;
  }

  #fold(record: FoldRecord): void {
    this.#dropNotes();
    const end = this.#placeOf(record.before);
    const pinned = this.#entries.slice(0, end).filter((entry) => this.#isPinned(entry));
    this.#pruned = 0;
    this.#replace(0, end, foldedInto(record, pinned));
  }

  #prune(record: PruneRecord): void {
    this.#dropNotes();
    const end = this.#placeOf(record.before);
    const head = this.#entries.slice(0, end);
    this.#pruned += head.filter((entry) => entry.kind === "reply" && !this.#isPinned(entry)).length;
    const kept = head.filter((entry) => entry.kind === "summary" || this.#isPinned(entry));
    this.#replace(0, end, prunedInto(record, kept, this.#pruned));
  }

  /** Takes the notes as they were shown out of the prompt. */
  #dropNotes(): void {
    const place = this.#entries.findIndex(({ kind }) => kind === "notes");
    if (place >= 0) this.#replace(place, 1, []);
  }

  /** Where what is older than the record ends. Everything older stands in front of everything newer. */
  #placeOf(before: number): number {
    const place = this.#entries.findIndex(({ unit }) => unit >= before);
    return place < 0 ? this.#entries.length : place;
  }

  /** Takes the failed streak up to a record out of the prompt; what the harness and the user said in its midst stays. */
  #forget(end: number, reason: PromptRewrite["reason"], shown: number): PromptRewrite["reason"] | undefined {
    const streak = this.#streak;
    if (streak === undefined) return undefined;
    this.#streak = undefined;
    const places = this.#placesOf(streak, end);
    const said = this.#entries
      .slice(places.from, places.to)
      .filter(({ kind }) => kind === "notice" || kind === "input");
    this.#replace(places.from, places.to - places.from, said);
    return shown > places.from ? reason : undefined;
  }

  /** Takes a last reply that nothing answers out of the prompt: where a run goes on without words, the model is asked again. */
  #unsay(shown: number): PromptRewrite["reason"] | undefined {
    const place = this.#entries.length - 1;
    if (this.#entries[place]?.kind !== "reply") return undefined;
    this.#replace(place, 1, []);
    return shown > place ? "input" : undefined;
  }

  /** The places of what was made from these records, found from the end, where they are. */
  #placesOf(first: number, end: number): { readonly from: number; readonly to: number } {
    const to = this.#entries.findLastIndex(({ unit }) => unit < end) + 1;
    const from = this.#entries.findLastIndex(({ unit }) => unit < first) + 1;
    return { from, to };
  }

  #add(kind: Entry["kind"], message: Message, seq: number, unit: number): void {
    this.#replace(this.#entries.length, 0, [entryOf(kind, message, { seq, unit })]);
  }

  #replace(place: number, count: number, entries: readonly Entry[]): void {
    const removed = this.#entries.splice(place, count, ...entries);
    const messages = entries.map(({ message }) => message);
    this.messages.splice(place, count, ...messages);
    for (const { size } of removed) this.#characters -= size;
    for (const { size } of entries) this.#characters += size;
  }
}

/** The result of a call whose answer did not come in time. */
const noAnswer = "No answer came in time. Go on as you think best, or ask again if you can't.";
