// Reads one text field out of a JSON object while it is still being written: delta in, delta out, in linear time.

const escapes: Readonly<Record<string, string>> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };

/** A reader for one call's arguments. */
export interface FieldReader {
  /**
   * Takes the next piece of the JSON text; returns the next piece of the field's value, empty if none. Never half a character:
   * the first half of a pair is held back until the second is there, and what is no half of a pair is U+FFFD, as in the value itself.
   */
  write(piece: string): string;
}

/** Makes a reader for the text field `field` at the top level of a JSON object. */
export function fieldReader(field: string): FieldReader {
  let depth = 0;
  let inString = false;
  /** Undefined outside an escape; else what was read of it after the backslash. */
  let escape: string | undefined;
  /** The string being read, where it may be a top-level key. */
  let key = "";
  let expectsKey = false;
  let isField = false;
  let half = "";

  /** Text inside a string, escapes decoded: shown where it is the field's. */
  function take(text: string): string {
    if (!isField) {
      if (depth === 1 && expectsKey) key += text;
      return "";
    }
    const whole = half + text;
    const last = whole.charCodeAt(whole.length - 1);
    half = last >= 0xd800 && last <= 0xdbff ? whole.slice(-1) : "";
    return wellFormed(half === "" ? whole : whole.slice(0, -1));
  }

  function escaped(char: string): string {
    const so = (escape ?? "") + char;
    escape = undefined;
    if (!so.startsWith("u")) return take(escapes[char] ?? char);
    if (so.length < 5) {
      escape = so;
      return "";
    }
    const code = Number.parseInt(so.slice(1), 16);
    return Number.isNaN(code) ? "" : take(String.fromCharCode(code));
  }

  function closeString(): string {
    inString = false;
    if (!isField) return "";
    isField = false;
    const rest = half;
    half = "";
    return wellFormed(rest);
  }

  function outside(char: string): void {
    if (char === '"') {
      inString = true;
      isField = depth === 1 && !expectsKey && key === field;
      if (depth === 1 && expectsKey) key = "";
    } else if (char === "{" || char === "[") {
      depth += 1;
      expectsKey = depth === 1;
    } else if (char === "}" || char === "]") depth -= 1;
    else if (depth === 1 && char === ":") expectsKey = false;
    else if (depth === 1 && char === ",") {
      expectsKey = true;
      key = "";
    }
  }

  return {
    write(piece) {
      const shown: string[] = [];
      for (let at = 0; at < piece.length;) {
        const end = inString && escape === undefined ? plainEnd(piece, at) : at;
        if (end > at) shown.push(take(piece.slice(at, end)));
        const char = piece.charAt(end);
        at = end + 1;
        if (char === "") break;
        if (!inString) outside(char);
        else if (escape !== undefined) shown.push(escaped(char));
        else if (char === "\\") escape = "";
        else shown.push(closeString());
      }
      return shown.join("");
    },
  };
}

/** Where what stands for itself ends within a string: at a quote, a backslash or the piece's end. */
function plainEnd(piece: string, from: number): number {
  special.lastIndex = from;
  return special.exec(piece)?.index ?? piece.length;
}

const special = /["\\]/g;

/** The text, what is no half of a pair of surrogates replaced, as the reading of arguments does. */
export function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, "\ufffd");
}
