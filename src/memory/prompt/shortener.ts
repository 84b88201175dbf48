// The shortener: which step, if any, the prompt needs to stay within the window. It decides; the record that it makes is what acts.

import { LastcallError, notesIn, type JournalRecord, type Model, type Recalling } from "../../core/index.js";
import { describeNotes, notesRoom, sizeOf, type RewriteRecord } from "../../core/internal.js";
import { sizeOfAll, type Entry } from "./entry.js";
import type { Prompt } from "./prompt.js";
import { charactersPerToken, summarize } from "./summarize.js";

/** What the prompt is to be kept within. */
export interface ShortenerBounds {
  /** Tokens; Infinity where nothing is known of it. */
  readonly window: number;
  readonly keep: number;
  /** Milliseconds that a summary may take. */
  readonly timeout: number;
  readonly summarize: Model | undefined;
}

/** Shares of the window: where each step is taken, how far pruning goes, what a step must free or wait for, and the notes. */
const shares = { stub: 0.6, fold: 0.75, prune: 0.9, pruned: 0.75, worth: 0.1, notes: 0.1 };

/** Characters of a message besides its text, at most. */
const frame = 20;

/** A stub's characters at most, as a rule. */
const stubSize = 160;

/** Decides for one session. */
export class Shortener {
  readonly #prompt: Prompt;
  readonly #records: readonly JournalRecord[];
  readonly #bounds: ShortenerBounds;
  /** Tokens that fit. */
  #limit: number;
  /** Tokens that the steps go by: less than fit, where the prompt is wanted short. */
  #window: number;
  /** Tokens of the prompt after the last fold. */
  #folded = -Infinity;
  /** True while a model writes a summary: also where the run broke that off, and so the next one is made by rule. */
  #isAsking = false;

  constructor(prompt: Prompt, records: readonly JournalRecord[], bounds: ShortenerBounds) {
    this.#prompt = prompt;
    this.#records = records;
    this.#bounds = bounds;
    this.#limit = bounds.window;
    this.#window = bounds.window;
  }

  /** A record was appended. */
  see(record: JournalRecord): void {
    if (record.type === "fold") this.#folded = record.tokens;
  }

  /** A prompt is asked for. One that was refused as too long is taken to be as large as the window. */
  begin(recalling: Recalling): void {
    const size = this.#size(recalling);
    if (recalling.overflowed) this.#limit = Math.min(this.#limit, size);
    this.#window = recalling.compact ? Math.min(this.#limit, size) : this.#limit;
  }

  /**
   * The next step; undefined where none is due.
   * @throws LastcallError `context_overflow` where the prompt is too long and nothing more can be left out.
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

  /** Tokens that the prompt would take with so many characters less. */
  #without({ tokensOf }: Recalling, characters: number): number {
    return tokensOf(this.#prompt.characters - characters);
  }

  #isWorth(recalling: Recalling, characters: number): boolean {
    return this.#size(recalling) - this.#without(recalling, characters) >= this.#window * shares.worth;
  }

  #stub(recalling: Recalling, before: number): RewriteRecord | undefined {
    const results = this.#prompt.older(before).filter(({ kind }) => kind === "result");
    const most = results.reduce((sum, { size }) => sum + Math.max(0, size - stubSize), 0);
    if (!this.#isWorth(recalling, most)) return undefined;
    const { reader } = recalling;
    const freed = this.#prompt.stubs(before, reader).reduce((total, { frees }) => total + frees, 0);
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
    this.#isAsking = model !== undefined;
    const { text, by } = await summarize(
      { entries, records: this.#records, task, window: this.#window, most: Math.floor(replaced / 2) - frame },
      model && ((asked) => recalling.consult(model, { ...asked, timeout })),
      recalling.signal,
    );
    this.#isAsking = false;
    this.#folded = size;
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

  /** The notes as they are to be shown from now on, and by how many characters the prompt grows with that. */
  #notes(): { readonly notes: { readonly notes?: string }; readonly growth: number } {
    const room = Math.min(notesRoom, Math.floor(this.#window * shares.notes * charactersPerToken));
    const text = describeNotes(notesIn(this.#records).current.values(), room);
    if (text === undefined) return { notes: {}, growth: -this.#prompt.noted };
    return { notes: { notes: text }, growth: sizeOf({ role: "user", text }) - this.#prompt.noted };
  }

  /**
   * The first of them that can stay, one whole unit or more gone before it, and the characters that are freed where so many come
   * in turn; no first one where all must go.
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
