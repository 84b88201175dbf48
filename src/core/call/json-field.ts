// Reads one text field of a JSON object while its JSON is still streaming: each chunk in gives the new text out, in linear time.

const escapes: Readonly<Record<string, string>> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };

/** A reader for the arguments of one call. */
export interface FieldReader {
  /**
   * Takes the next chunk of the JSON text. Returns the new text of the field, empty if the chunk has none. Never splits a character: a
   * high surrogate is held back until the next code unit arrives. A lone surrogate becomes U+FFFD, as it does in the parsed arguments.
   */
  write(chunk: string): string;
}

/** Makes a reader for the text field `field` at the top level of a JSON object. */
export function fieldReader(field: string): FieldReader {
  let depth = 0;
  let inString = false;
  /** The characters of an escape after its backslash; undefined outside an escape. */
  let escape: string | undefined;
  /** The text of the last top-level key, or of the part read so far. */
  let key = "";
  let expectsKey = false;
  let isField = false;
  /** A high surrogate that waits for its low surrogate; empty if none waits. */
  let highSurrogate = "";

  /** Takes decoded text of a string. Returns it if the string is the field's value. */
  function take(text: string): string {
    if (!isField) {
      if (depth === 1 && expectsKey) key += text;
      return "";
    }
    const joined = highSurrogate + text;
    const last = joined.charCodeAt(joined.length - 1);
    highSurrogate = last >= 0xd800 && last <= 0xdbff ? joined.slice(-1) : "";
    return (highSurrogate === "" ? joined : joined.slice(0, -1)).toWellFormed();
  }

  function escaped(char: string): string {
    const sequence = (escape ?? "") + char;
    escape = undefined;
    if (!sequence.startsWith("u")) return take(escapes[char] ?? char);
    if (sequence.length < 5) {
      escape = sequence;
      return "";
    }
    const code = Number.parseInt(sequence.slice(1), 16);
    return Number.isNaN(code) ? "" : take(String.fromCharCode(code));
  }

  function closeString(): string {
    inString = false;
    if (!isField) return "";
    isField = false;
    const rest = highSurrogate;
    highSurrogate = "";
    return rest.toWellFormed();
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
    write(chunk) {
      const shown: string[] = [];
      for (let at = 0; at < chunk.length;) {
        const end = inString && escape === undefined ? plainEnd(chunk, at) : at;
        if (end > at) shown.push(take(chunk.slice(at, end)));
        const char = chunk.charAt(end);
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

/** The index of the next quote or backslash, or the end of the chunk: text before it needs no decoding. */
function plainEnd(chunk: string, from: number): number {
  special.lastIndex = from;
  return special.exec(chunk)?.index ?? chunk.length;
}

const special = /["\\]/g;
