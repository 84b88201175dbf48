// Parses a shell command into its simple commands, and says whether the whole command was read.

import { sumIn } from "./arithmetic.js";
import { CommandList } from "./command-list.js";
import { Work } from "./decision-work.js";
import { folderVariable, type SimpleCommand } from "./words.js";

export type { SimpleCommand } from "./words.js";

/** A parsed shell command. */
export interface ParsedCommand {
  readonly commands: readonly SimpleCommand[];
  /**
   * True if the text is only plain words, joined by `&&`, `||`, `;`, `|` and line ends: a shell then runs exactly the
   * parsed commands.
   */
  readonly isPlain: boolean;
  /**
   * True if every shell runs exactly the parsed commands, once their words are expanded: the text may also have
   * patterns, variables, assignments, input from files, here-documents and `for` loops. False for substitutions, groups,
   * background jobs, output to files, invisible characters, all that shells read differently, and anything that a shell
   * would refuse. Such a text is still parsed as well as possible, so that rules that forbid something apply to it.
   */
  readonly isUnderstood: boolean;
}

/** Characters that are invisible or look like other characters: control, format, fillers, blank letters, unusual spaces. */
const unseen = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/u;

/** Punctuation that a backslash makes literal in every shell. A `~` is left out: a judge of the word takes it for the home folder. */
const escapable = /[!"#$%&'()*+,\-./:;<=>?@[\\\]^_`{|}]/;

/** The characters in which the name of a variable must end. */
const maxName = 64;

/** Characters that are part of a word wherever they stand. */
const ordinary = /[\w./,:@%+-]*/y;

/** Characters that stand for themselves between double quotes. */
const ordinaryInQuotes = /[ #%-[\]^_a-{|}~]*/y;

/** The steps of a character: in a run that is read at once, by itself, and if it ends a command or begins an expansion. */
const stepsInRun = 0.01;
const stepsAlone = 0.4;
const stepsOfOperator = 3;
/** The steps of a character that may be invisible. */
const stepsOfStranger = 1;

function stepsOf(char: string): number {
  if ("\n;&|<>()$`".includes(char)) return stepsOfOperator;
  return char > "~" ? stepsOfStranger : stepsAlone;
}

/**
 * Parses the text once, from left to right.
 * @throws TooMuchWork if the work does not suffice.
 */
export function readCommand(text: string, work: Work = new Work()): ParsedCommand {
  return new CommandParser(text, work).read();
}

class CommandParser {
  readonly #text: string;
  readonly #work: Work;
  #at = 0;
  readonly #list = new CommandList();
  /** For each open parenthesis, true if it is inside double quotes. */
  readonly #outer: boolean[] = [];
  /** Set between two backticks: true if they are inside double quotes. */
  #ticked: boolean | undefined;
  /** The ends of the here-documents that begin at the next line. */
  #documents: string[] = [];

  constructor(text: string, work: Work) {
    this.#text = text;
    this.#work = work;
  }

  read(): ParsedCommand {
    let isInQuotes = false;
    while (this.#at < this.#text.length) {
      isInQuotes = isInQuotes ? this.#quoted() : this.#bare();
    }
    if (isInQuotes || this.#outer.length > 0 || this.#documents.length > 0) this.#list.doubt();
    this.#list.end();
    const { commands, isPlain, isUnderstood } = this.#list;
    return { commands, isPlain, isUnderstood };
  }

  /** Parses one step outside of double quotes. Returns whether the next step is inside. */
  #bare(): boolean {
    const char = this.#next();
    this.#work.spend(stepsOf(char));
    switch (char) {
      case " ":
      case "\t":
        this.#list.endWord();
        return false;
      case "'":
        this.#add(this.#until("'"), true);
        return false;
      case '"':
        this.#add("", true);
        return true;
      case "\\":
        this.#escape();
        return false;
      case "$":
        return this.#dollar(false);
      case "`":
        return this.#backtick(false);
      case "(":
        this.#list.doubt();
        this.#outer.push(false);
        this.#list.endCommand("(");
        return false;
      case ")":
        this.#list.doubt();
        this.#list.endCommand("(");
        return this.#outer.pop() ?? false;
      case "\n":
      case ";":
      case "&":
      case "|":
        this.#join(char);
        return false;
      case "<":
      case ">":
        this.#redirection(char);
        return false;
      default:
        this.#character(char);
        return false;
    }
  }

  /** Parses one step inside double quotes. Returns whether the next step is inside as well. */
  #quoted(): boolean {
    const char = this.#next();
    if (char === '"') return false;
    this.#work.spend(stepsOf(char));
    if (char === "$") return this.#dollar(true);
    if (char === "`") return this.#backtick(true);
    // A backslash is literal, except before these characters and a line end.
    const isEscape = char === "\\" && /[$`"\\\n]/.test(this.#text[this.#at] ?? "");
    const taken = isEscape ? this.#next() : char;
    if (taken === "!" || unseen.test(taken)) this.#list.doubt();
    this.#add((isEscape && taken === "\n" ? "" : taken) + this.#run(ordinaryInQuotes), true);
    return true;
  }

  /** A character outside of quotes that is part of a word. */
  #character(char: string): void {
    const isStart = !this.#list.isInWord;
    const isAlone = isStart && /^(?:[ \t\n;&|)]|$)/.test(this.#following());
    if (char === "*" || char === "?") this.#pattern(char);
    else if (char === "[" && !isAlone) this.#bracket();
    else {
      if (this.#isStrange(char, isStart, isAlone)) this.#list.doubt();
      if (char === "{" || char === "}") this.#list.word.hasBrace = true;
      this.#add(char + this.#run(ordinary), false);
    }
  }

  /** The characters that follow and match. */
  #run(like: RegExp): string {
    like.lastIndex = this.#at;
    const text = like.exec(this.#text)?.[0] ?? "";
    this.#at += text.length;
    this.#work.spend(text.length * stepsInRun);
    return text;
  }

  #isStrange(char: string, isStart: boolean, isAlone: boolean): boolean {
    if (char === "#" || char === "^") return isStart;
    if (char === "!") return isStart && !isAlone && !/^=(?:[ \t\n]|$)/.test(this.#text.slice(this.#at, this.#at + 2));
    if (char === "=") return isStart && !isAlone;
    // `~` is the home folder; `~name` and `~+` are other folders. A judge of a word takes `-f~/x` for the home folder as well.
    if (char === "~") return isStart ? !isAlone && this.#following() !== "/" : this.#isTildeInOption();
    return unseen.test(char);
  }

  #isTildeInOption(): boolean {
    const { first, last } = this.#list.word;
    return (first === "-" && /^(?:[ \t\n/;&|)]|$)/.test(this.#following())) || last === "=" || last === ":";
  }

  #pattern(text: string): void {
    this.#list.expands();
    // `**` goes through folders in some shells, but at the end of a word; patterns after a `~` depend on the home folder.
    const { first, last } = this.#list.word;
    const isEnd = /^(?:[ \t\n;&|]|$)/.test(this.#following());
    if ((last === "*" && text === "*" && !isEnd) || first === "~") this.#list.doubt();
    this.#list.word.pattern(text);
  }

  /** A list of letters and digits is read alike by all shells; ranges and classes depend on the language. */
  #bracket(): void {
    const rest = /^!?[A-Za-z0-9_]+\]/.exec(this.#text.slice(this.#at, this.#at + 64))?.[0];
    if (rest === undefined) {
      this.#list.doubt();
      this.#add("[", false);
      return;
    }
    this.#at += rest.length;
    this.#pattern(`[${rest}`);
  }

  /** A character after a backslash is literal; a line end after it disappears. */
  #escape(): void {
    const char = this.#next();
    if (!escapable.test(char)) this.#list.doubt();
    if (char !== "\n") this.#add(char, true);
  }

  #dollar(isInQuotes: boolean): boolean {
    const char = this.#text[this.#at];
    const rest = this.#text.slice(this.#at, this.#at + maxName);
    // Some shells read `$#x`, `$x[1]` and `$x:h` as something else.
    const [taken = "", plain, braced] =
      /^(?:([A-Za-z_]\w*(?![\w:[])|[?#$](?=["\x20\t\n;&|]|$))|\{([A-Za-z_]\w*)\}(?![:[]))/.exec(rest) ?? [];
    const name = plain ?? braced;
    if (name !== undefined && taken.length < maxName) {
      this.#list.expands();
      this.#at += taken.length;
      this.#list.word.variable(name, isInQuotes);
      return isInQuotes;
    }
    // At the end of a quoted text, it stands for itself.
    if (isInQuotes && char === '"') {
      this.#add("$", true);
      return true;
    }
    if (rest.startsWith("(pwd)")) {
      this.#list.expands();
      this.#at += "(pwd)".length;
      this.#list.word.variable(folderVariable, isInQuotes);
      return isInQuotes;
    }
    const sum = sumIn(rest);
    if (sum !== undefined) {
      this.#list.expands();
      this.#at += sum.length;
      // It counts as quoted: no shell takes it for the number of a descriptor.
      this.#add(sum.value, true);
      return isInQuotes;
    }
    this.#list.doubt();
    if (char === "(") {
      this.#at += 1;
      this.#add("$", true);
      this.#list.endCommand("$(");
      this.#outer.push(isInQuotes);
      return false;
    }
    if (char === "'" && !isInQuotes) {
      this.#at += 1;
      this.#add(`$'${this.#until("'", true)}'`, true);
      return false;
    }
    this.#add("$", true);
    return isInQuotes;
  }

  /** A backtick opens a list of commands, and the next backtick closes it. */
  #backtick(isInQuotes: boolean): boolean {
    this.#list.doubt();
    this.#list.endCommand("$(");
    const before = this.#ticked;
    this.#ticked = before === undefined ? isInQuotes : undefined;
    return before ?? false;
  }

  /** Ends a command. A line end counts as a semicolon. */
  #join(char: string): void {
    const following = this.#following();
    if (char === "&" && following === ">") {
      // `&>` redirects both streams.
      this.#at += 1;
      this.#list.doubt();
      this.#redirection(">");
      return;
    }
    const isDouble = (char === "&" || char === "|") && following === char;
    if (isDouble) this.#at += 1;
    const joint = isDouble ? char + char : char === "\n" ? ";" : char;
    if (joint === "&") this.#list.doubt();
    if (this.#list.isEmpty && !(char === "\n" && this.#list.mayBeEmpty)) this.#list.doubt();
    this.#list.endCommand(joint);
    if (char === "\n") this.#skipDocuments();
  }

  #redirection(char: string): void {
    const word = this.#list.isInWord ? this.#list.word : undefined;
    const number = word === undefined || word.isQuoted ? undefined : /^\d+$/.exec(word.text)?.[0];
    // bash takes `{name}` for a variable that gets a descriptor, and dash and zsh for a word. zsh takes `<1-9>` for a pattern.
    if (word?.hasBrace === true || (word !== undefined && this.#list.isTarget)) this.#list.doubt();
    // dash takes a number of several digits for a word, bash for a descriptor.
    if (number !== undefined && number.length > 1) this.#list.doubt();
    if (number?.length === 1) this.#list.dropWord();
    else this.#list.endWord();
    let operator = char;
    while (/[<>&|-]/.test(this.#following()) && operator.length < 3) operator += this.#next();
    if (this.#following() === "(") {
      this.#list.doubt();
      return;
    }
    if (operator === "<<" && number === undefined && this.#document()) return;
    const harmless = /^[ \t]*(?:\/dev\/null|[012])(?=[ \t\n;&|)]|$)/.exec(
      this.#text.slice(this.#at, this.#at + 64),
    )?.[0];
    const isHarmless =
      harmless !== undefined &&
      (operator === ">&" ? /\d$/.test(harmless) : /^(?:>|>>|<)$/.test(operator) && harmless.endsWith("null"));
    if (isHarmless) {
      // An input that is the pipe of the output never ends.
      if (operator === ">&" && number === "0") this.#list.doubt();
      this.#at += harmless.length;
      return;
    }
    if (number !== undefined && number !== "0") this.#list.doubt();
    const isWrite = operator.startsWith(">") || operator === "<>";
    this.#list.redirect(isWrite ? "write" : operator === "<" ? "read" : "other");
  }

  /** Reads `<<'END'`. Without quotes, a shell expands the text, so that is not read. */
  #document(): boolean {
    const line = /^[ \t]*'(\w+)'(?=[ \t\n;&|]|$)/.exec(this.#text.slice(this.#at, this.#at + 64));
    if (line?.[1] === undefined) return false;
    this.#at += line[0].length;
    this.#documents.push(line[1]);
    this.#list.document();
    return true;
  }

  /** Skips the here-documents that begin here. */
  #skipDocuments(): void {
    for (const end of this.#documents.splice(0)) {
      for (let line = this.#line(); line !== end; line = this.#line()) {
        if (line === undefined) {
          this.#list.doubt();
          return;
        }
        if (unseen.test(line.replaceAll("\t", ""))) this.#list.doubt();
      }
    }
  }

  /** The next line, without its end; undefined at the end of the text. */
  #line(): string | undefined {
    if (this.#at >= this.#text.length) return undefined;
    const end = this.#text.indexOf("\n", this.#at);
    const line = this.#text.slice(this.#at, end < 0 ? undefined : end);
    this.#at = end < 0 ? this.#text.length : end + 1;
    this.#work.spend(stepsAlone + line.length * stepsInRun);
    return line;
  }

  #following(): string {
    return this.#text[this.#at] ?? "";
  }

  #next(): string {
    const char = String.fromCodePoint(this.#text.codePointAt(this.#at) ?? 0);
    this.#at += char.length;
    return this.#at > this.#text.length ? "" : char;
  }

  /** The text up to the closing quote, which is consumed as well. */
  #until(close: string, hasEscapes = false): string {
    let end = this.#text.indexOf(close, this.#at);
    while (hasEscapes && end > 0 && this.#text[end - 1] === "\\") end = this.#text.indexOf(close, end + 1);
    const text = this.#text.slice(this.#at, end < 0 ? undefined : end);
    this.#work.spend(text.length * stepsInRun);
    if (end < 0 || unseen.test(text)) this.#list.doubt();
    this.#at = end < 0 ? this.#text.length : end + 1;
    return text;
  }

  #add(text: string, isQuoted: boolean): void {
    const { word } = this.#list;
    // A shell takes a quoted `~` for a name. A judge of the word takes it for the home folder.
    const begins = word.text === "" && text.startsWith("~");
    if (begins && (isQuoted || word.isQuoted)) this.#list.doubt();
    word.add(text, isQuoted);
  }
}
