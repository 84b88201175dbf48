// The shortener: decides which step the prompt needs to stay within the window. It only makes a record; the record does the work.

import {
  LastcallError,
  notesIn,
  type Consultation,
  type JournalRecord,
  type Model,
  type Recalling,
} from "../../core/index.js";
import { describeNotes, notesRoom, sizeOf, type RewriteRecord } from "../../core/internal.js";
import { sizeOfAll, type Entry } from "./entry.js";
import type { Prompt } from "./prompt.js";
import { charactersPerToken, summarize } from "./summarize.js";

/** The limits that the prompt is kept within. */
export interface ShortenerBounds {
  /** Tokens; Infinity if the window is unknown. */
  readonly window: number;
  readonly keep: number;
  /** The timeout of a summary, in milliseconds. */
  readonly timeout: number;
  readonly summarize: Model | undefined;
}

/**
 * Shares of the window. `stub`, `fold` and `prune`: the fill level above which each step is taken. `pruned`: the level that
 * pruning goes down to. `worth`: the least that a step must free, and the least growth between two folds. `notes`: the size of
 * the notes.
 */
const shares = { stub: 0.6, fold: 0.75, prune: 0.9, pruned: 0.75, worth: 0.1, notes: 0.1 };

/** The most characters that a message has besides its text. */
const frame = 20;

/** The usual maximum size of a stub, in characters. */
const stubSize = 160;

/** The shortener of one session. */
export class Shortener {
  readonly #prompt: Prompt;
  readonly #records: readonly JournalRecord[];
  readonly #bounds: ShortenerBounds;
  /** The tokens that fit into the model's window, as far as known. */
  #limit: number;
  /** The window that the steps are measured against, in tokens. It is smaller than the limit while compacting is requested. */
  #window: number;
  /** The size of the prompt after the last fold, in tokens. */
  #folded = -Infinity;
  /**
   * True from the request for a summary until the model answers. It stays true if the model fails or is late, or the run aborts it: a run
   * waits for such a model once, and makes its next summaries by rule.
   */
  #isAsking = false;

  constructor(prompt: Prompt, records: readonly JournalRecord[], bounds: ShortenerBounds) {
    this.#prompt = prompt;
    this.#records = records;
    this.#bounds = bounds;
    this.#limit = bounds.window;
    this.#window = bounds.window;
  }

  /** Takes note of an appended record. */
  see(record: JournalRecord): void {
    if (record.type === "fold") this.#folded = record.tokens;
  }

  /** Starts a recall. If the provider refused the prompt as too long, its size becomes the limit. */
  begin(recalling: Recalling): void {
    const size = this.#size(recalling);
    if (recalling.overflowed) this.#limit = Math.min(this.#limit, size);
    this.#window = recalling.compact ? Math.min(this.#limit, size) : this.#limit;
  }

  /**
   * The next step, or undefined if none is due.
   * @throws LastcallError `context_overflow` if the prompt is too long and nothing more can be omitted.
   */
  async next(recalling: Recalling): Promise<RewriteRecord | undefined> {
    const size = this.#size(recalling);
    if (size <= this.#window * shares.stub) return undefined;
    const before = this.#prompt.barrier(this.#bounds.keep);
    const step =
      this.#stub(recalling, before) ??
      (await this.#fold(recalling, before)) ??
      (size > this.#limit * shares.prune ? this.#prune(recalling, before) : undefined);
    if (step !== undefined || size <= this.#limit * shares.prune) return step;
    if (!recalling.measured && !recalling.overflowed) return undefined;
    throw new LastcallError(
      "context_overflow",
      `the prompt takes about ${String(size)} tokens of a window of ${String(this.#limit)}, and what is left of it is the task, the latest input and the last ${String(this.#bounds.keep)} steps`,
    );
  }

  #size({ tokensOf }: Recalling): number {
    return tokensOf(this.#prompt.characters);
  }

  /** The size of the prompt in tokens, if it had this many characters less. */
  #without({ tokensOf }: Recalling, characters: number): number {
    return tokensOf(this.#prompt.characters - characters);
  }

  #isWorth(recalling: Recalling, characters: number): boolean {
    return this.#size(recalling) - this.#without(recalling, characters) >= this.#window * shares.worth;
  }

  #stub(recalling: Recalling, before: number): RewriteRecord | undefined {
    const results = this.#prompt.older(before).filter(({ kind }) => kind === "result");
    const savings = results.reduce((sum, { size }) => sum + Math.max(0, size - stubSize), 0);
    if (!this.#isWorth(recalling, savings)) return undefined;
    const { reader } = recalling;
    const stubs = this.#prompt.stubs(before, reader);
    const freed = stubs.reduce((total, { replaced, entry }) => total + replaced.size - entry.size, 0);
    const tokens = this.#without(recalling, freed);
    return { type: "stub", before, tokens, ...(reader !== undefined && { reader }) };
  }

  async #fold(recalling: Recalling, before: number): Promise<RewriteRecord | undefined> {
    const size = this.#size(recalling);
    if (size <= this.#window * shares.fold || size < this.#folded + this.#window * shares.worth) return undefined;
    const entries = this.#prompt.older(before);
    const { notes, growth } = this.#notes();
    const replaced = sizeOfAll(entries) - growth;
    if (entries.length === 0 || !this.#isWorth(recalling, replaced)) return undefined;
    const { timeout } = this.#bounds;
    const model = this.#isAsking ? undefined : this.#bounds.summarize;
    const [task] = this.#prompt.messages;
    const ask =
      model &&
      (async (asked: Omit<Consultation, "timeout">) => {
        this.#isAsking = true;
        const reply = await recalling.consult(model, { ...asked, timeout });
        this.#isAsking = false;
        return reply;
      });
    const maxLength = Math.floor(replaced / 2) - frame;
    const summary = await summarize(
      { entries, records: this.#records, task, tokens: size, window: this.#window, maxLength },
      { ask, fold: recalling.fold, signal: recalling.signal },
    );
    // After a veto, too, the next fold comes when the prompt has grown.
    this.#folded = size;
    if (summary === undefined) return undefined;
    const { text, by } = summary;
    const added = sizeOf({ role: "user", text });
    if (added > replaced / 2) return undefined;
    return { type: "fold", before, summary: text, by, ...notes, tokens: this.#without(recalling, replaced - added) };
  }

  #prune(recalling: Recalling, before: number): RewriteRecord | undefined {
    if (this.#size(recalling) <= this.#window * shares.prune) return undefined;
    const entries = this.#prompt.older(before).filter(({ kind }) => kind !== "summary");
    if (entries.every(({ kind }) => kind === "gap")) return undefined;
    const { notes, growth } = this.#notes();
    const { cut = before, left } = this.#cut(recalling, entries, growth);
    const tokens = this.#without(recalling, left - stubSize);
    return tokens < this.#size(recalling) ? { type: "prune", before: cut, ...notes, tokens } : undefined;
  }

  /** The notes to show from now on, and the number of characters by which they make the prompt grow. */
  #notes(): { readonly notes: { readonly notes?: string }; readonly growth: number } {
    const room = Math.min(notesRoom, Math.floor(this.#window * shares.notes * charactersPerToken));
    const text = describeNotes(notesIn(this.#records).current.values(), room);
    if (text === undefined) return { notes: {}, growth: -this.#prompt.noted };
    return { notes: { notes: text }, growth: sizeOf({ role: "user", text }) - this.#prompt.noted };
  }

  /**
   * Chooses how much to prune. Whole groups are removed, oldest first and at least one, until the prompt is small enough. `cut` is
   * the first record that stays, or undefined if every entry must go. `left` counts the characters that are freed.
   */
  #cut(
    recalling: Recalling,
    entries: readonly Entry[],
    growth: number,
  ): { readonly cut?: number; readonly left: number } {
    let left = -growth;
    let last = -1;
    for (const { unit, size } of entries) {
      if (unit !== last && last >= 0 && this.#without(recalling, left) <= this.#window * shares.pruned)
        return { cut: unit, left };
      left += size;
      last = unit;
    }
    return { left };
  }
}
