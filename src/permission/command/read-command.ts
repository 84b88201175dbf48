// Parses a shell command into its simple commands, and says whether they are all of it.

/** One program with its words, as far as they can be parsed. */
export interface SimpleCommand {
  /** The words without their quotes. Assignments before the program are left out. */
  readonly words: readonly string[];
  /** The files that its output is redirected to. */
  readonly writes: readonly string[];
  /** The files that its input is redirected from. */
  readonly reads: readonly string[];
  /** The operator between this command and the one before it; empty for the first one. */
  readonly joint: string;
}

/** A parsed shell command. */
export interface ParsedCommand {
  readonly commands: readonly SimpleCommand[];
  /**
   * True if the text is only plain words, joined by `&&`, `||`, `;`, `|` and line ends: a shell then runs exactly the
   * parsed commands. False for expansions, substitutions, patterns, groups, background jobs, assignments, redirections
   * to files, escapes outside of quotes, invisible characters, and anything that a shell would refuse. Such a text is
   * still parsed as well as possible, so that rules that forbid something apply to it.
   */
  readonly isPlain: boolean;
}

/** Words that open or close a list of commands, and are no programs. */
const reserved: ReadonlySet<string> = new Set(
  "! { } [[ ]] if then elif else fi for while until do done case esac in select function time coproc".split(" "),
);
/** Characters that make a word not plain, and are still part of it. */
const special = /[*?[\]{}#!^~=]/;
/** Characters that are invisible or look like others: control, format, fillers, blank letters, unusual spaces. */
const unseen = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/u;

/** Parses the text once, from left to right. */
export function readCommand(text: string): ParsedCommand {
  return new CommandParser(text).read();
}

class CommandParser {
  readonly #text: string;
  #at = 0;
  #isPlain = true;
  readonly #commands: SimpleCommand[] = [];
  #words: string[] = [];
  #writes: string[] = [];
  #reads: string[] = [];
  #joint = "";
  /** The current word; undefined between two words. */
  #word: string | undefined;
  /** True if a part of the current word was quoted. */
  #isQuoted = false;
  /** The kind of redirection whose target is the next word. */
  #redirect: "write" | "read" | "other" | undefined;
  /** For each open parenthesis, true if it is inside double quotes. */
  readonly #outer: boolean[] = [];
  /** Set between two backticks: true if they are inside double quotes. */
  #ticked: boolean | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  read(): ParsedCommand {
    let isInQuotes = false;
    while (this.#at < this.#text.length) {
      isInQuotes = isInQuotes ? this.#quoted() : this.#bare();
    }
    if (isInQuotes || this.#outer.length > 0) this.#isPlain = false;
    const isOpen = this.#joint !== "" && this.#joint !== ";" && this.#words.length === 0 && this.#word === undefined;
    this.#endCommand("");
    if (isOpen || this.#commands.length === 0) this.#isPlain = false;
    return { commands: this.#commands, isPlain: this.#isPlain };
  }

  /** Parses one step outside of double quotes. Returns whether the next step is inside. */
  #bare(): boolean {
    const char = this.#next();
    switch (char) {
      case " ":
      case "\t":
        this.#endWord();
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
        this.#isPlain = false;
        this.#outer.push(false);
        this.#endCommand("(");
        return false;
      case ")":
        this.#isPlain = false;
        this.#endCommand("(");
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
        this.#plainCharacter(char);
        return false;
    }
  }

  /** Parses one step inside double quotes. Returns whether the next step is inside as well. */
  #quoted(): boolean {
    const char = this.#next();
    if (char === '"') return false;
    if (char === "$") return this.#dollar(true);
    if (char === "`") return this.#backtick(true);
    // A backslash is literal, except before these characters and a line end.
    const isEscape = char === "\\" && /[$`"\\\n]/.test(this.#text[this.#at] ?? "");
    const taken = isEscape ? this.#next() : char;
    if (taken === "!" || unseen.test(taken)) this.#isPlain = false;
    this.#add(isEscape && taken === "\n" ? "" : taken, true);
    return true;
  }

  #plainCharacter(char: string): void {
    if (special.test(char)) {
      const isStart = this.#word === undefined;
      const isHarmless = char === "=" || char === "^" || char === "#" || char === "~" || char === "!";
      // `~` is the home folder; `~name` and `~+` are other folders.
      const isHome = char === "~" && /^(?:[\s/;&|)]|$)/.test(this.#text.slice(this.#at, this.#at + 1));
      if (!isHarmless || (isStart && !isHome)) this.#isPlain = false;
    } else if (unseen.test(char)) this.#isPlain = false;
    this.#add(char, false);
  }

  /** A character after a backslash is literal; a line end after it disappears. */
  #escape(): void {
    this.#isPlain = false;
    const char = this.#next();
    if (char !== "\n") this.#add(char, true);
  }

  #dollar(isInQuotes: boolean): boolean {
    this.#isPlain = false;
    const char = this.#text[this.#at];
    if (char === "(") {
      this.#at += 1;
      this.#add("$", true);
      this.#endCommand("$(");
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

  /** A backtick opens a list of commands, and the next one closes it. */
  #backtick(isInQuotes: boolean): boolean {
    this.#isPlain = false;
    this.#endCommand("$(");
    const before = this.#ticked;
    this.#ticked = before === undefined ? isInQuotes : undefined;
    return before ?? false;
  }

  /** Ends a command. A line end counts as a semicolon. */
  #join(char: string): void {
    const following = this.#text[this.#at] ?? "";
    if (char === "&" && following === ">") {
      // `&>` redirects both streams.
      this.#at += 1;
      this.#redirection(">");
      return;
    }
    const isDouble = (char === "&" || char === "|") && following === char;
    if (isDouble) this.#at += 1;
    const joint = isDouble ? char + char : char === "\n" ? ";" : char;
    if (joint === "&") this.#isPlain = false;
    const isEmpty = this.#words.length === 0 && this.#word === undefined;
    const mayBeEmpty = char === "\n" && (this.#joint === ";" || this.#commands.length === 0);
    if (isEmpty && !mayBeEmpty) this.#isPlain = false;
    this.#endCommand(joint);
  }

  #redirection(char: string): void {
    const number = this.#isQuoted ? undefined : /^\d+$/.exec(this.#word ?? "")?.[0];
    // dash takes a number of several digits for a word, bash for a descriptor.
    if (number !== undefined && number.length > 1) this.#isPlain = false;
    if (number?.length === 1) this.#word = undefined;
    else this.#endWord();
    let operator = char;
    while (/[<>&|-]/.test(this.#text[this.#at] ?? "") && operator.length < 3) operator += this.#next();
    if (this.#text[this.#at] === "(") {
      this.#isPlain = false;
      return;
    }
    const harmless = /^\s*(?:\/dev\/null|[012])(?=[\s;&|)]|$)/.exec(this.#text.slice(this.#at, this.#at + 64))?.[0];
    const isHarmless =
      harmless !== undefined &&
      (operator === ">&" ? /\d$/.test(harmless) : /^(?:>|>>|<)$/.test(operator) && harmless.endsWith("null"));
    if (isHarmless) {
      this.#at += harmless.length;
      return;
    }
    this.#isPlain = false;
    const isWrite = operator.startsWith(">") || operator === "<>";
    this.#redirect = isWrite ? "write" : operator === "<" ? "read" : "other";
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
    if (end < 0 || unseen.test(text)) this.#isPlain = false;
    this.#at = end < 0 ? this.#text.length : end + 1;
    return text;
  }

  #add(text: string, isQuoted: boolean): void {
    // A shell takes a quoted `~` for a name. Whoever judges the word takes it for the home folder.
    const begins = (this.#word ?? "") === "" && text.startsWith("~");
    if (begins && (isQuoted || this.#isQuoted)) this.#isPlain = false;
    this.#word = (this.#word ?? "") + text;
    this.#isQuoted ||= isQuoted;
  }

  #endWord(): void {
    const word = this.#word;
    if (word === undefined) return;
    if (this.#redirect === "write") this.#writes.push(word);
    if (this.#redirect === "read") this.#reads.push(word);
    if (this.#redirect === undefined) this.#take(word);
    this.#word = undefined;
    this.#isQuoted = false;
    this.#redirect = undefined;
  }

  #take(word: string): void {
    const isFirst = this.#words.length === 0;
    const isAssignment = isFirst && /^[^/]*=/.test(word);
    const isReserved = isFirst && !this.#isQuoted && reserved.has(word);
    if (isAssignment || isReserved || (isFirst && word === "")) this.#isPlain = false;
    else this.#words.push(word);
  }

  #endCommand(joint: string): void {
    this.#endWord();
    if (this.#redirect !== undefined) this.#isPlain = false;
    if (this.#words.length > 0 || this.#writes.length > 0 || this.#reads.length > 0)
      this.#commands.push({ words: this.#words, writes: this.#writes, reads: this.#reads, joint: this.#joint });
    this.#words = [];
    this.#writes = [];
    this.#reads = [];
    this.#redirect = undefined;
    this.#joint = joint;
  }
}
