// Parts the thinking that a server left in the content of a reply from the words. Only thinking at the very beginning counts.

/** A piece of a reply. `void`: what was told as words before was thinking, or the other way round. It is told again. */
export interface PartedPiece {
  readonly kind: "thinking" | "words" | "void";
  readonly text: string;
}

/** A text in its two parts. */
export interface PartedText {
  readonly thinking: string;
  readonly words: string;
  /** True if a tag opens the thinking and none closes it. */
  readonly isOpen: boolean;
  /** True if a tag closes the thinking and none opens it: the prompt of the server ends with the opening tag. */
  readonly isOpenedInPrompt: boolean;
}

/** The key of a reply's extras that keeps its thinking. It is for people: no request has it. */
export const thinkingKey = "reasoning_in_content";

const names = ["think", "thinking", "reasoning", "thought"];
const openings = names.map((name) => `<${name}>`);
const closings = names.map((name) => `</${name}>`);
const opening = /^\s*<(think|thinking|reasoning|thought)>/i;
/** Characters that are kept of a line. */
const maxLine = 200;
const anyTag = /<(\/?)(think|thinking|reasoning|thought)>/gi;

/**
 * Parts a text that comes in pieces. The thinking is what stands between `<think>` at the very beginning and the next `</think>`, also
 * `<thinking>`, `<reasoning>` and `<thought>`, and several such blocks in a row. If no tag opens it, a `</think>` closes it that begins a
 * line or has an empty line behind it, unless it stands in code or behind a quotation mark, or an opening tag stands before it. All else
 * is words.
 */
export class Thinking {
  readonly #isExpected: boolean;
  #state: "start" | "inside" | "after" | "words" | "plain" = "start";
  /** The text that may be the beginning of a tag, or white space around thinking. */
  #held = "";
  /** The text so far of thinking or words that no opening tag begins. */
  #unopened: string[] = [];
  /** The name of the opening tag; empty if the prompt has it. */
  #name = "";
  /** The end of the line that was told last. */
  #line = "";
  #isOpenedInPrompt = false;
  /** True if a fence of code is open before the first tag. */
  #isFenced: boolean | undefined;

  /** `isExpected`: the prompt ends with the opening tag, as replies before have shown. */
  constructor(isExpected: boolean) {
    this.#isExpected = isExpected;
  }

  get isOpen(): boolean {
    return this.#state === "inside" && this.#name !== "";
  }

  get isOpenedInPrompt(): boolean {
    return this.#isOpenedInPrompt;
  }

  /** Takes the next piece. Returns what can be told now. */
  write(text: string): readonly PartedPiece[] {
    this.#held += text;
    const told: PartedPiece[] = [];
    for (;;) {
      const before = this.#state;
      told.push(...this.#step());
      if (this.#state === before) return told.filter(({ kind, text }) => kind === "void" || text !== "");
    }
  }

  /** Ends the text. `isCut`: the length limit ended it. Returns the rest. */
  end(isCut: boolean): readonly PartedPiece[] {
    const rest = this.#held;
    this.#held = "";
    if (this.#state === "inside") {
      if (this.#name !== "" || isCut) return [{ kind: "thinking", text: rest }];
      this.#state = "plain";
      const words = [...this.#unopened, rest].join("");
      return words === ""
        ? []
        : [
            { kind: "void", text: "" },
            { kind: "words", text: words },
          ];
    }
    // A tag on its own last line closes the thinking, with no words behind it.
    const tag = /^<\/\w+>\s*$/.exec(rest);
    if (this.#state === "words" && tag !== null && this.#line.trim() === "") return this.#closeUnopened("");
    return [{ kind: "words", text: this.#state === "after" ? rest.trimStart() : rest }];
  }

  #step(): readonly PartedPiece[] {
    switch (this.#state) {
      case "start":
      case "after":
        return this.#begin(this.#state === "start");
      case "inside":
        return this.#think();
      case "words":
        return this.#speak();
      case "plain":
        return this.#tell("words", this.#held.length);
    }
  }

  /** At the beginning of the text, or behind a block of thinking. */
  #begin(isStart: boolean): readonly PartedPiece[] {
    const begun = opening.exec(this.#held);
    const text = this.#held.trimStart();
    if (begun !== null) {
      this.#held = this.#held.slice(begun[0].length);
      this.#name = begun[1]?.toLowerCase() ?? "";
      this.#state = "inside";
    } else if (text !== "" && !openings.some((tag) => tag.startsWith(text.toLowerCase()))) {
      if (!isStart) this.#held = text;
      this.#state = !isStart ? "plain" : this.#isExpected ? "inside" : "words";
    }
    return [];
  }

  #think(): readonly PartedPiece[] {
    if (!this.#held.includes("<")) return this.#tell("thinking", this.#held.length);
    for (const tag of this.#held.matchAll(anyTag)) {
      const [whole, slash, name = ""] = tag;
      if (slash === "" || (this.#name !== "" && name.toLowerCase() !== this.#name)) continue;
      if (this.#isMention(tag.index)) continue;
      const told = this.#tell("thinking", tag.index);
      this.#held = this.#held.slice(whole.length);
      this.#isOpenedInPrompt ||= this.#name === "";
      this.#state = "after";
      return told;
    }
    return this.#tell("thinking", tagBegins(this.#held, closings));
  }

  #speak(): readonly PartedPiece[] {
    if (!this.#held.includes("<")) return this.#tell("words", this.#held.length);
    for (const tag of this.#held.matchAll(anyTag)) {
      if (this.#isMention(tag.index)) continue;
      const rest = this.#held.slice(tag.index + tag[0].length);
      const lineBefore = this.#lineUpTo(tag.index);
      if (tag[1] === "" || this.#isInFence(tag.index)) this.#state = "plain";
      else if (lineBefore.trim() === "" || /^[ \t]*\r?\n[ \t]*\r?\n/.test(rest)) {
        const told = this.#tell("words", tag.index);
        // The words before are told as thinking, so watchers need not see them first.
        const isNew = told.length === this.#unopened.length;
        return isNew ? this.#closeUnopened(rest).slice(1) : this.#closeUnopened(rest);
      } else if (/^[ \t]*\r?(?:\n[ \t]*\r?)?$/.test(rest)) return this.#tell("words", tag.index);
      else this.#state = "plain";
      return [];
    }
    return this.#tell("words", tagBegins(this.#held, [...openings, ...closings]));
  }

  /** The words so far were thinking. `rest` is the text behind the closing tag. */
  #closeUnopened(rest: string): readonly PartedPiece[] {
    this.#held = rest;
    this.#state = "after";
    this.#isOpenedInPrompt = true;
    return [
      { kind: "void", text: "" },
      { kind: "thinking", text: this.#unopened.join("") },
    ];
  }

  /** Tells the held text up to `end`. */
  #tell(kind: "thinking" | "words", end: number): readonly PartedPiece[] {
    const text = this.#held.slice(0, end);
    this.#line = this.#lineUpTo(end);
    this.#held = this.#held.slice(end);
    if (text === "") return [];
    if (this.#name === "" && this.#state !== "plain") this.#unopened.push(text);
    return [{ kind, text }];
  }

  /** The line before `at`, or the end of it if it is long. */
  #lineUpTo(at: number): string {
    const text = at < maxLine ? this.#line + this.#held.slice(0, at) : this.#held.slice(at - maxLine, at);
    return text.slice(text.lastIndexOf("\n") + 1).slice(-maxLine);
  }

  /** True for a tag that is named: in code, or behind a quotation mark. */
  #isMention(at: number): boolean {
    const line = this.#lineUpTo(at);
    return /["'`“‘«]$/.test(line) || line.split("`").length % 2 === 0;
  }

  #isInFence(at: number): boolean {
    const text = [...this.#unopened, this.#held.slice(0, at)].join("");
    this.#isFenced ??= (text.match(/^ {0,3}(?:```|~~~)/gm)?.length ?? 0) % 2 === 1;
    return this.#isFenced;
  }
}

/** Parts a whole text. */
export function partThinking(text: string, isExpected: boolean, isCut: boolean): PartedText {
  const parting = new Thinking(isExpected);
  const parts = { thinking: "", words: "" };
  const told = parting.write(text);
  const { isOpen } = parting;
  for (const piece of [...told, ...parting.end(isCut)]) {
    if (piece.kind === "void") parts.thinking = parts.words = "";
    else parts[piece.kind] += piece.text;
  }
  return { ...parts, isOpen, isOpenedInPrompt: parting.isOpenedInPrompt };
}

/** The index from which the text may be the beginning of one of the tags; its length if it can't. */
function tagBegins(text: string, tags: readonly string[]): number {
  const last = text.lastIndexOf("<");
  if (last === -1 || text.length - last > 12) return text.length;
  const rest = text.slice(last).toLowerCase();
  return tags.some((tag) => tag.startsWith(rest)) ? last : text.length;
}
