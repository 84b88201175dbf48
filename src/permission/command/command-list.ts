// Collects words and operators into simple commands, with the assignments and loops around them.

import { WordBuilder, type Assignment, type Loop, type SimpleCommand, type Word } from "./words.js";

/** Words that open or close a list of commands, and are no programs. */
const reserved: ReadonlySet<string> = new Set(
  "! { } [[ ]] if then elif else fi for while until do done case esac in select function time coproc".split(" "),
);

/** Words in front of a command that only zsh looks behind. Another shell takes them for a program, also if they are quoted. */
const prefixesOfOne: ReadonlySet<string> = new Set("- noglob nocorrect repeat foreach end always".split(" "));

/** The variables of loops that mean nothing special to any shell. */
const loopVariables = /^(?:[a-z]|file|dir|folder|name|item|line|pkg|entry|test|src)$/;

/** Loops within loops are read up to this depth. */
const maxLoops = 2;

/** The kind of redirection whose target is the next word. */
export type Redirect = "write" | "read" | "other";

/** Collects commands. */
export class CommandList {
  readonly commands: SimpleCommand[] = [];
  /** False if something is no plain word or operator. */
  isPlain = true;
  /** False if nobody can tell what a shell makes of the text. */
  isUnderstood = true;
  joint = "";
  #words: Word[] = [];
  #writes: Word[] = [];
  #reads: Word[] = [];
  #assignments: Assignment[] = [];
  #hasDocument = false;
  #word: WordBuilder | undefined;
  #redirect: Redirect | undefined;
  /** The loops whose commands are being read. */
  #loops: Loop[] = [];
  /** The words of a `for` before its first separator. */
  #header: Word[] | undefined;
  /** The words of a `while` before its first separator. */
  #condition: Word[] | undefined;
  /** True if the loop that has just been closed reads its input. */
  #wasRead = false;
  /** The word that a loop has just been opened or closed with, if nothing followed it; `for` before its `do`. */
  #just: "for" | "do" | "done" | undefined;

  /** The current word, which begins here if there is none. */
  get word(): WordBuilder {
    this.#word ??= new WordBuilder();
    return this.#word;
  }

  get isInWord(): boolean {
    return this.#word !== undefined;
  }

  /** True if the current word is the target of a redirection. */
  get isTarget(): boolean {
    return this.#redirect !== undefined;
  }

  /** True if no word of the current command was read. */
  get isEmpty(): boolean {
    const isInHeader = this.#header !== undefined || this.#condition !== undefined;
    return this.#words.length === 0 && this.#word === undefined && !isInHeader && this.#just !== "done";
  }

  /** True if an empty line is allowed here: after a `;`, after `do`, or before the first command. */
  get mayBeEmpty(): boolean {
    return this.#just === "do" || this.joint === ";" || this.commands.length === 0;
  }

  /** Says that a shell changes the words, in a way that is known. */
  expands(): void {
    this.isPlain = false;
  }

  /** Says that nobody can tell what a shell makes of the text. */
  doubt(): void {
    this.isPlain = false;
    this.isUnderstood = false;
  }

  /** Forgets the current word. */
  dropWord(): void {
    this.#word = undefined;
  }

  redirect(kind: Redirect): void {
    this.expands();
    if (kind !== "read") this.doubt();
    this.#redirect = kind;
  }

  /** Says that the input of the current command is a here-document. */
  document(): void {
    this.expands();
    this.#hasDocument = true;
  }

  endWord(): void {
    const built = this.#word;
    if (built === undefined) return;
    const kind = this.#redirect;
    this.#word = undefined;
    this.#redirect = undefined;
    const word = built.build();
    if (built.hasBrace) this.expands();
    // Shells read braces with a comma or two dots between them differently.
    const inBraces = built.hasBrace ? word.text.slice(word.text.indexOf("{"), word.text.lastIndexOf("}")) : "";
    if (/,|\.\./.test(inBraces)) this.doubt();
    if (kind === "write") this.#writes.push(word);
    if (kind === "read") this.#reads.push(word);
    // Some shells expand patterns in the name of a file, other shells do not.
    if (kind === "read" && word.parts.some(({ is }) => is === "pattern")) this.doubt();
    if (kind === undefined) this.#take(word, built);
  }

  #take(word: Word, built: WordBuilder): void {
    if (this.#header !== undefined) {
      this.#takeHeader(this.#header, word, built);
      return;
    }
    if (this.#condition !== undefined) {
      // A quoted `IFS=` is the name of a program.
      if (word.parts.some(({ is }) => is !== "text") || (word.text === "IFS=" && built.head !== "IFS=")) this.doubt();
      this.#condition.push(word);
      return;
    }
    if (this.#just === "done") this.doubt();
    const isFirst = this.#words.length === 0;
    if (isFirst && prefixesOfOne.has(word.text)) this.doubt();
    if (isFirst && !built.isQuoted && reserved.has(word.text)) {
      this.#takeReserved(word.text);
      return;
    }
    if (this.#just === "for") this.doubt();
    if (this.#just === "do") this.#just = undefined;
    if (isFirst && /^[^/]*=/.test(word.text)) this.#assign(word, built);
    else if (isFirst && word.text === "") this.doubt();
    else {
      // A program whose name is the result of an expansion is not looked for.
      if (isFirst && word.parts.some(({ is }) => is !== "text")) this.doubt();
      this.#words.push(word);
    }
  }

  #takeReserved(text: string): void {
    const isAlone = this.#assignments.length === 0 && this.#reads.length === 0 && this.#writes.length === 0;
    this.expands();
    if (!isAlone) this.doubt();
    if (text === "for" && this.#just !== "for" && this.#loops.length < maxLoops) {
      this.#just = undefined;
      this.#header = [];
    } else if (text === "while" && this.#just !== "for" && this.#loops.length < maxLoops) {
      this.#just = undefined;
      this.#condition = [];
    } else if (text === "do" && this.#just === "for") this.#just = "do";
    else if (text === "done" && this.#just === undefined && this.#loops.length > 0) {
      this.#wasRead = this.#loops.at(-1)?.isRead === true;
      this.#loops = this.#loops.slice(0, -1);
      this.#just = "done";
    } else {
      this.doubt();
      this.#just = undefined;
    }
  }

  #takeHeader(header: Word[], word: Word, built: WordBuilder): void {
    const isName = header.length === 0 && !built.isQuoted && loopVariables.test(word.text);
    const isIn = header.length === 1 && !built.isQuoted && word.text === "in";
    if (isName || isIn || header.length > 1) {
      header.push(word);
      return;
    }
    this.doubt();
    if (header.length === 0) {
      header.push(word);
      return;
    }
    // Without `in`, the commands of the loop may follow at once.
    this.#header = undefined;
    this.#take(word, built);
  }

  #assign({ text, parts }: Word, { head }: WordBuilder): void {
    const [assigned = "", name = ""] = /^([A-Za-z_]\w*)=/.exec(head) ?? [];
    const isExpanded = parts.some(({ is }) => is !== "text");
    if (name === "" || isExpanded || text.includes("~")) {
      this.doubt();
      return;
    }
    this.expands();
    const value = text.slice(assigned.length);
    this.#assignments.push({ name, value: { text: value, parts: [{ is: "text", text: value }] } });
  }

  endCommand(joint: string): void {
    this.endWord();
    if (this.#redirect !== undefined) this.doubt();
    if (this.#condition !== undefined) this.#endCondition(this.#condition, joint);
    const [words, writes, reads] = [this.#words, this.#writes, this.#reads];
    const isDone = this.#just === "done";
    if (this.#header !== undefined) this.#endHeader(this.#header, joint);
    else if (this.#just === "do" && joint !== ";") this.doubt();
    const hasAny = words.length > 0 || writes.length > 0 || reads.length > 0;
    // `done < FILE` is the input of a loop that reads.
    const isInput = isDone && this.#wasRead && words.length + writes.length === 0 && !this.#hasDocument;
    const isAlone = words.length === 0 && (this.#assignments.length > 0 || this.#hasDocument || reads.length > 0);
    if (!isInput && (isAlone || (isDone && hasAny))) this.doubt();
    if (hasAny)
      this.commands.push({
        words: words.map(({ text }) => text),
        parts: words,
        writes: writes.map(({ text }) => text),
        reads: reads.map(({ text }) => text),
        inputs: reads,
        hasDocument: this.#hasDocument,
        assignments: this.#assignments,
        loops: this.#loops,
        joint: this.joint,
      });
    [this.#words, this.#writes, this.#reads, this.#assignments] = [[], [], [], []];
    this.#hasDocument = false;
    this.#redirect = undefined;
    if (isDone) this.#just = undefined;
    this.joint = joint;
  }

  #endHeader([variable, isIn, ...words]: readonly Word[], joint: string): void {
    this.#header = undefined;
    const isWhole = variable !== undefined && isIn !== undefined && joint === ";";
    if (isWhole) this.#open({ variable: variable.text, words });
    else this.doubt();
  }

  /** `while read NAME`, `while read -r NAME` and `while IFS= read -r NAME` are known; every other condition is doubted. */
  #endCondition(condition: readonly Word[], joint: string): void {
    this.#condition = undefined;
    const [, name = ""] = /^(?:IFS=\0)?read\0(?:-r\0)?(\w+)$/.exec(condition.map(({ text }) => text).join("\0")) ?? [];
    if (loopVariables.test(name) && joint === ";") {
      this.#open({ variable: name, words: [], isRead: true });
      return;
    }
    this.doubt();
    this.#words = [...condition];
  }

  #open(loop: Loop): void {
    // After an inner loop over the same variable, its value is no word of the outer loop.
    const isTaken = this.#loops.some(({ variable }) => variable === loop.variable);
    if (isTaken || this.#reads.length > 0 || this.#writes.length > 0 || this.#hasDocument) this.doubt();
    this.#loops = [...this.#loops, loop];
    this.#just = "for";
  }

  /** Ends the text. */
  end(): void {
    const isOpen = this.joint !== "" && this.joint !== ";" && this.isEmpty;
    this.endCommand("");
    const isUnfinished = this.#loops.length > 0 || this.#just !== undefined;
    if (isOpen || this.commands.length === 0 || isUnfinished) this.doubt();
  }
}
