// Parses JSON leniently: mistakes with exactly one reading are repaired; keys that JSON.parse accepts but are unsafe are refused.

import type { Json } from "../../core/index.js";
import { longNumberRepair, readWord } from "./scalar.js";
import { readString } from "./string-text.js";
import {
  briefPath,
  forbiddenKey,
  malformed,
  nulCharacter,
  describePosition,
  repeatedKey,
  tooDeep,
  truncated,
  type Defect,
} from "./explain.js";
import { headOf } from "../../core/internal.js";

/** The deepest nesting of objects and lists that is read. */
export const maxDepth = 100;

/** Keys that have a special meaning in JavaScript, so that they can't name data. */
export const forbiddenKeys: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);

interface OpenObject {
  readonly closer: "}";
  readonly value: Record<string, Json>;
  key: string;
}

interface OpenList {
  readonly closer: "]";
  readonly value: Json[];
}

/** A number or literal: it ends before the first character that can't be part of one. */
const wordPattern = /[^\s,:{}[\]"'\\/]*/y;

/** Reads values one after the other from one text, in linear time and without recursion. */
export class JsonReader {
  /** The index of the next character. */
  at = 0;
  /** The defect that stopped reading; undefined if there is none. */
  defect: Defect | undefined;
  /** The repairs that were made, worded for people. */
  readonly repairs: Set<string> = new Set<string>();
  readonly #text: string;
  readonly #open: (OpenObject | OpenList)[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  /** Reads one value; undefined if there is a defect. */
  read(): Json | undefined {
    while (this.defect === undefined) {
      let value = this.#begin();
      while (value !== undefined) {
        const open = this.#open.at(-1);
        if (open === undefined) return value;
        if (open.closer === "]") open.value.push(value);
        else open.value[open.key] = value;
        value = this.#goOn(open);
      }
    }
    return undefined;
  }

  /** Skips white space, escaped white space outside a string, and comments. Returns the next character; empty at the end. */
  skip(): string {
    for (;;) {
      const next = this.#text.charAt(this.at);
      if (next === " " || next === "\n" || next === "\t" || next === "\r") this.at += 1;
      else if (next === "\\" && /[nrt]/.test(this.#text.charAt(this.at + 1))) {
        this.repairs.add("escaped line breaks between the parts left out");
        this.at += 2;
      } else if (next !== "/" || !this.#skipComment()) return this.defect === undefined ? next : "";
    }
  }

  /** Skips a comment. A comment to the end of the text may have swallowed the rest of the arguments, so it is a defect. */
  #skipComment(): boolean {
    const opener = this.#text.slice(this.at, this.at + 2);
    if (opener !== "//" && opener !== "/*") return false;
    const isLine = opener === "//";
    const end = this.#text.indexOf(isLine ? "\n" : "*/", this.at + 2);
    if (end === -1 && (!isLine || this.#open.length > 0)) {
      const where = describePosition(this.#text, this.at);
      this.defect = malformed(`A comment in the arguments has no end, ${where}. JSON has no comments: leave them out.`);
      return false;
    }
    this.repairs.add("comments left out");
    this.at = end === -1 ? this.#text.length : end + (isLine ? 1 : 2);
    return true;
  }

  /** True if the rest is words without a trace of JSON: they begin with a letter, and no quote, bracket or brace is in them. */
  restIsWords(): boolean {
    const rest = this.#text.slice(this.at);
    return /^\p{L}/u.test(rest) && !/["{}[\]]/.test(rest);
  }

  /** Sets the defect of a text that is not valid JSON at the current index. */
  fail(expected: string, advice = ""): void {
    const where = describePosition(this.#text, this.at);
    this.defect ??= malformed(
      `The arguments are not valid JSON: expected ${expected} ${where}.${advice && ` ${advice}`}`,
    );
  }

  /** Reads a scalar or an empty container. Returns undefined if it opened a container or found a defect. */
  #begin(): Json | undefined {
    const next = this.skip();
    if (next === '"' || next === "'") return this.#string();
    if (next !== "{" && next !== "[") return this.#word();
    if (this.#open.length >= maxDepth) {
      this.defect = tooDeep(maxDepth);
      return undefined;
    }
    this.at += 1;
    const open: OpenObject | OpenList = next === "{" ? { closer: "}", value: {}, key: "" } : { closer: "]", value: [] };
    this.#open.push(open);
    if (this.skip() === open.closer) return this.#close(open);
    this.#key(open);
    return undefined;
  }

  /** Reads on after a value: a closing bracket, which completes the container, or a comma and the next key. */
  #goOn(open: OpenObject | OpenList): Json | undefined {
    const next = this.skip();
    if (next === open.closer) return this.#close(open);
    if (next !== ",") {
      if (next === "") this.#cut(`before a closing ${open.closer}`);
      else this.fail(`a comma or ${open.closer}`, 'A quote inside a text is written \\".');
      return undefined;
    }
    this.at += 1;
    if (this.skip() === open.closer) {
      this.repairs.add("a trailing comma left out");
      return this.#close(open);
    }
    this.#key(open);
    return undefined;
  }

  #close(open: OpenObject | OpenList): Json {
    this.at += 1;
    this.#open.pop();
    return open.value;
  }

  /** Reads the next key and its colon if the container is an object. */
  #key(open: OpenObject | OpenList): void {
    if (open.closer === "]") return;
    open.key = "";
    const start = this.at;
    const next = this.skip();
    const key = next === '"' || next === "'" ? this.#string() : undefined;
    if (this.defect !== undefined) return;
    if (next === "") this.#cut("where a key should be");
    else if (key === undefined) this.fail("a key in double quotes");
    else if (forbiddenKeys.has(key)) this.defect = forbiddenKey(key);
    else if (Object.hasOwn(open.value, key)) this.defect = repeatedKey(key, describePosition(this.#text, start));
    else if (this.skip() === "") this.#cut("after a key");
    else if (this.skip() !== ":") this.fail("a colon");
    else {
      open.key = key;
      this.at += 1;
    }
  }

  #string(): string | undefined {
    const read = readString(this.#text, this.at);
    if ("value" in read) {
      this.at = read.end;
      for (const repair of read.repairs) this.repairs.add(repair);
      return read.value;
    }
    this.at = read.at;
    if (read.flaw === "cut") this.#cut(`inside ${this.#field()}`);
    else this.defect = malformed(`In ${this.#field()}: ${this.#flaw(read.flaw)}`);
    return undefined;
  }

  #flaw(flaw: "nul" | "escape" | "backslash"): string {
    if (flaw === "nul") return nulCharacter;
    const where = describePosition(this.#text, this.at);
    return flaw === "escape"
      ? `there is an invalid escape ${where}. Write the character itself, or \\\\ for a backslash.`
      : `there is a backslash that can be read in two ways, ${where}. Write every backslash as \\\\.`;
  }

  /** Reads a number or literal. */
  #word(): Json | undefined {
    wordPattern.lastIndex = this.at;
    const word = wordPattern.exec(this.#text)?.[0] ?? "";
    const end = this.at + word.length;
    const value = readWord(word);
    // A backslash at the end of the text is an escaped line break that was cut.
    const isLast = end === this.#text.length || (end === this.#text.length - 1 && this.#text.endsWith("\\"));
    if (isLast && this.#open.length > 0) this.#cut(`inside ${this.#field()}`);
    else if (value === undefined) this.fail(this.#open.length === 0 ? "an object" : `a value for ${this.#field()}`);
    else if (typeof value === "number" && !Number.isFinite(value)) {
      this.defect = malformed(`The number in ${this.#field()} is too big. Write a smaller one.`);
    } else {
      this.at = end;
      if (typeof value === "string") this.repairs.add(longNumberRepair);
      if (/^[TFN]/.test(word)) this.repairs.add("Python's True, False or None read as JSON");
      return value;
    }
    return undefined;
  }

  #cut(where: string): void {
    this.defect ??= truncated(where);
  }

  /** The path of the value that is being read, for a message. */
  #field(): string {
    let path = "";
    for (const open of this.#open) {
      if (open.closer === "]") path += `[${String(open.value.length)}]`;
      else if (open.key !== "") path += `${path === "" ? "" : "."}${headOf(open.key, 60)}`;
    }
    return path === "" ? "the arguments" : `the field ${briefPath(path)}`;
  }
}
