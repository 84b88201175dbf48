// The words of a command, in parts: a shell replaces some of the parts before a program gets the word.

/** Stands in an expanded word for any text, of which nobody knows anything. A single NUL stands for digits. */
export const unknownText = "\0\0";

/** The variable that stands for `$(pwd)`: the folder, without line ends at its end. */
export const folderVariable = "(pwd)";

/** A part of a word. */
export type Part =
  /** Characters that stand for themselves. */
  | { readonly is: "text"; readonly text: string }
  /** The value of a variable. Outside of double quotes, a shell splits it at blanks and expands patterns in it. */
  | { readonly is: "variable"; readonly name: string; readonly isQuoted: boolean }
  /** `*`, `?`, or a list of characters in brackets, outside of quotes. */
  | { readonly is: "pattern"; readonly text: string };

/** A word, as it is written. */
export interface Word {
  /** The word without its quotes, before any expansion. */
  readonly text: string;
  readonly parts: readonly Part[];
}

/** A variable that is set for one command alone. */
export interface Assignment {
  readonly name: string;
  readonly value: Word;
}

/** A loop: its commands run once for each of the words, with the variable set to it. */
export interface Loop {
  readonly variable: string;
  readonly words: readonly Word[];
  /** True for `while read NAME`: the variable may be any text. Then there are no words. */
  readonly isRead?: true;
}

/** One program with its words, as far as they can be parsed. */
export interface SimpleCommand {
  /** The words without their quotes, before any expansion. Assignments before the program are left out. */
  readonly words: readonly string[];
  /** The same words in parts. */
  readonly parts: readonly Word[];
  /** The files that its output is redirected to. */
  readonly writes: readonly string[];
  /** The files that its input is redirected from. */
  readonly reads: readonly string[];
  /** The same files in parts. */
  readonly inputs: readonly Word[];
  /** True if its input is part of the text: a here-document. */
  readonly hasDocument: boolean;
  readonly assignments: readonly Assignment[];
  /** The loops around it, the outermost first. */
  readonly loops: readonly Loop[];
  /** The operator between this command and the command before it; empty for the first command. */
  readonly joint: string;
}

/** Collects one word, part by part. */
export class WordBuilder {
  #text = "";
  readonly #parts: Part[] = [];
  /** The characters before the first part that is quoted or expanded. */
  #head = "";
  #isHead = true;
  /** True if a part of the word was quoted or escaped. */
  isQuoted = false;
  /** The first and the last character. The text itself is put together of many pieces, so that looking at it takes long. */
  first = "";
  last = "";
  /** True if it has a brace outside of quotes. */
  hasBrace = false;

  get text(): string {
    return this.#text;
  }

  get head(): string {
    return this.#head;
  }

  add(text: string, isQuoted: boolean): void {
    const last = this.#parts.at(-1);
    if (last?.is === "text") this.#parts[this.#parts.length - 1] = { is: "text", text: last.text + text };
    else this.#parts.push({ is: "text", text });
    this.isQuoted ||= isQuoted;
    if (isQuoted) this.#isHead = false;
    if (this.#isHead) this.#head += text;
    this.#append(text);
  }

  variable(name: string, isQuoted: boolean): void {
    this.#parts.push({ is: "variable", name, isQuoted });
    this.#isHead = false;
    this.#append(`$${name}`);
  }

  pattern(text: string): void {
    this.#parts.push({ is: "pattern", text });
    this.#isHead = false;
    this.#append(text);
  }

  #append(text: string): void {
    this.#text += text;
    this.first ||= text.charAt(0);
    this.last = text.at(-1) ?? this.last;
  }

  build(): Word {
    return { text: this.#text, parts: this.#parts };
  }
}
