// Reads one text field out of a JSON object while it is still being written: delta in, delta out, in linear time.

const escapes: Readonly<Record<string, string>> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };

/** A reader for one call's arguments. */
export interface FieldReader {
  /** Takes the next piece of the JSON text; returns the next piece of the field's value, empty if none. */
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
  let heldSurrogate = "";

  function emit(unit: string): string {
    if (!isField) {
      if (depth === 1 && expectsKey) key += unit;
      return "";
    }
    const code = unit.charCodeAt(0);
    const whole = heldSurrogate + unit;
    heldSurrogate = "";
    if (code < 0xd800 || code > 0xdbff) return whole;
    heldSurrogate = unit;
    return whole.slice(0, -1);
  }

  function inside(char: string): string {
    if (escape !== undefined) {
      if (escape === "" && char !== "u") {
        escape = undefined;
        return emit(escapes[char] ?? char);
      }
      escape += char;
      if (escape.length < 5) return "";
      const code = Number.parseInt(escape.slice(1), 16);
      escape = undefined;
      return Number.isNaN(code) ? "" : emit(String.fromCharCode(code));
    }
    if (char === "\\") {
      escape = "";
      return "";
    }
    if (char !== '"') return emit(char);
    inString = false;
    const rest = heldSurrogate;
    heldSurrogate = "";
    if (!isField) return "";
    isField = false;
    return rest;
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
      let shown = "";
      for (let index = 0; index < piece.length; index += 1) {
        const char = piece.charAt(index);
        if (inString) shown += inside(char);
        else outside(char);
      }
      return shown;
    },
  };
}
