// A reader of one JSON value that forgives what has one reading, and refuses what JSON.parse lets pass. Linear, not recursive.

import type { Json } from "../../core/index.js";
import { readWord } from "./scalar.js";
import { readString } from "./string-text.js";
import {
  briefPath,
  forbiddenKey,
  malformed,
  nulCharacter,
  place,
  repeatedKey,
  tooDeep,
  truncated,
  type Defect,
} from "./explain.js";

/** How many objects and lists may stand in one another. */
export const deepest = 100;

/** Keys that name something else than data in JavaScript. */
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

/** Whatever can't be part of a number or literal ends one. */
const wordPattern = /[^\s,:{}[\]"'\\]*/y;

/** Reads values one after the other out of one text. */
export class JsonReader {
  /** The index of what is read next. */
  at = 0;
  /** Why reading stopped; after that nothing more is read. */
  defect: Defect | undefined;
  /** What was mended, in words for people. */
  readonly repairs: Set<string> = new Set<string>();
  readonly #text: string;
  readonly #open: (OpenObject | OpenList)[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  /** Reads one value; undefined where there is a defect. */
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

  /** Skips white space, and line breaks that were escaped although they stand outside a text. The next character; empty at the end. */
  skip(): string {
    for (;;) {
      const next = this.#text.charAt(this.at);
      if (next === " " || next === "\n" || next === "\t" || next === "\r") this.at += 1;
      else if (next === "\\" && /[nrt]/.test(this.#text.charAt(this.at + 1))) {
        this.repairs.add("escaped line breaks between the parts left out");
        this.at += 2;
      } else return next;
    }
  }

  /** The defect of a text that is no JSON at this point. */
  fail(expected: string, advice = ""): void {
    const where = place(this.#text, this.at);
    this.defect = malformed(
      `The arguments are not valid JSON: expected ${expected} ${where}.${advice && ` ${advice}`}`,
    );
  }

  /** A scalar, an empty container, or undefined where a container was opened. */
  #begin(): Json | undefined {
    const next = this.skip();
    if (next === '"' || next === "'") return this.#string();
    if (next !== "{" && next !== "[") return this.#word();
    if (this.#open.length >= deepest) {
      this.defect = tooDeep(deepest);
      return undefined;
    }
    this.at += 1;
    const open: OpenObject | OpenList = next === "{" ? { closer: "}", value: {}, key: "" } : { closer: "]", value: [] };
    this.#open.push(open);
    if (this.skip() === open.closer) return this.#close(open);
    this.#key(open);
    return undefined;
  }

  /** What follows a value: a closer, which completes the container, or a comma and the next key. */
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

  /** In an object, reads the next key and its colon. */
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
    else if (Object.hasOwn(open.value, key)) this.defect = repeatedKey(key, place(this.#text, start));
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
    const where = place(this.#text, this.at);
    return flaw === "escape"
      ? `there is an invalid escape ${where}. Write the character itself, or \\\\ for a backslash.`
      : `there is a backslash that can be read in two ways, ${where}. Write every backslash as \\\\.`;
  }

  /** A number or literal. */
  #word(): Json | undefined {
    wordPattern.lastIndex = this.at;
    const word = wordPattern.exec(this.#text)?.[0] ?? "";
    const end = this.at + word.length;
    const value = readWord(word);
    // A backslash at the very end is an escaped line break that was cut.
    const isLast = end === this.#text.length || (end === this.#text.length - 1 && this.#text.endsWith("\\"));
    if (isLast && this.#open.length > 0) this.#cut(`inside ${this.#field()}`);
    else if (value === undefined) this.fail(this.#open.length === 0 ? "an object" : `a value for ${this.#field()}`);
    else if (typeof value === "number" && !Number.isFinite(value)) {
      this.defect = malformed(`The number in ${this.#field()} is too big. Write a smaller one.`);
    } else {
      this.at = end;
      if (/^[TFN]/.test(word)) this.repairs.add("Python's True, False or None read as JSON");
      return value;
    }
    return undefined;
  }

  #cut(where: string): void {
    this.defect = truncated(where);
  }

  /** What is being read, by its path. */
  #field(): string {
    let path = "";
    for (const open of this.#open) {
      if (open.closer === "]") path += `[${String(open.value.length)}]`;
      else if (open.key !== "") path += `${path === "" ? "" : "."}${open.key.slice(0, 60)}`;
    }
    return path === "" ? "the arguments" : `the field ${briefPath(path)}`;
  }
}
