// The arguments of one call as they arrive, in pieces: their text, whether it is whole, and whether a later text only repeats it.

import { canonical, isPlainObject } from "../../core/internal.js";

/** The largest number of JSON texts inside each other that are read as one object. */
const maxEncodings = 3;

/** The length from which on a text is not looked at as empty arguments. */
const longestEmpty = 40;

/** Arguments that grow. A piece is looked through at most once, and only if somebody asks whether the text is whole. */
export class ArgumentPieces {
  readonly #pieces: string[] = [];
  readonly #brackets = new Brackets();
  /** The number of pieces that were looked through. */
  #seen = 0;
  #length = 0;
  #hasText = false;
  /** True if the last character that is no white space closes an object. Otherwise the pieces need not be looked through. */
  #endsClosed = false;
  /** The canonical text of the whole object. Read at most once, since nothing is added to a whole object but what ends it. */
  #canonical: string | undefined;

  /** True if the pieces have more than white space. */
  get hasText(): boolean {
    return this.#hasText;
  }

  add(piece: string): void {
    this.#pieces.push(piece);
    this.#length += piece.length;
    const end = piece.trimEnd();
    if (end === "") return;
    this.#hasText = true;
    this.#endsClosed = end.endsWith("}");
  }

  text(): string {
    return this.#pieces.join("");
  }

  /** True for arguments that say nothing. */
  isEmpty(): boolean {
    return this.#length < longestEmpty && isEmptyArguments(this.text());
  }

  /** True if the pieces are one object from its opening to its closing bracket, and nothing else. */
  isWhole(): boolean {
    if (!this.#endsClosed) return false;
    for (; this.#seen < this.#pieces.length; this.#seen += 1) this.#brackets.read(this.#pieces[this.#seen] ?? "");
    return this.#brackets.areClosed;
  }

  /** True if this text adds nothing to arguments that are whole: it is empty, or it has the same object, also as a JSON text in a text. */
  isRepeatedBy(text: string): boolean {
    if (!this.isWhole() || text.trim() === "") return false;
    if (isEmptyArguments(text)) return true;
    const again = objectIn(text);
    if (again === undefined) return false;
    this.#canonical ??= canonicalOf(this.text());
    return this.#canonical !== undefined && canonicalOf(again) === this.#canonical;
  }
}

/** True for arguments that say nothing: none, an empty object or null, also as a JSON text in a text. */
export function isEmptyArguments(text: string): boolean {
  return text.length < longestEmpty && /^[\s"\\]*(?:null|\{\s*\})?[\s"\\]*$/.test(text);
}

/** The text of an object, taken out of the JSON texts around it. Undefined for any other text. */
function objectIn(text: string): string | undefined {
  let inner: unknown = text;
  for (let encodings = 0; typeof inner === "string" && encodings <= maxEncodings; encodings += 1) {
    if (/^\s*\{/.test(inner)) return inner;
    inner = /^\s*"/.test(inner) ? parsed(inner) : undefined;
  }
  return undefined;
}

/** The canonical text of an object. Numbers that lose digits are not compared: the text stays as it is. */
function canonicalOf(text: string): string | undefined {
  if (/\d{16}/.test(text)) return text;
  const value = parsed(text);
  return isPlainObject(value) ? canonical(value) : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Arguments that are no JSON are read later, by the part that repairs them.
    return undefined;
  }
}

/** Counts the brackets of an object outside of its texts. */
class Brackets {
  #depth = 0;
  #state: "before" | "inside" | "closed" | "other" = "before";
  #isInText = false;
  #isEscaped = false;

  get areClosed(): boolean {
    return this.#state === "closed";
  }

  read(piece: string): void {
    for (let at = 0; at < piece.length && this.#state !== "other"; at += 1) {
      const character = piece.charAt(at);
      if (this.#isInText) this.#readText(character);
      else if (this.#state === "inside") this.#readStructure(character);
      else if (character.trim() !== "") this.#begin(character);
    }
  }

  #readText(character: string): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (character === "\\") this.#isEscaped = true;
    else if (character === '"') this.#isInText = false;
  }

  #readStructure(character: string): void {
    if (character === '"') this.#isInText = true;
    else if (character === "{" || character === "[") this.#depth += 1;
    else if (character === "}" || character === "]") this.#depth -= 1;
    if (this.#depth === 0) this.#state = "closed";
  }

  #begin(character: string): void {
    this.#state = this.#state === "before" && character === "{" ? "inside" : "other";
    this.#depth = 1;
  }
}
