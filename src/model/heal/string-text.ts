// Reads one quoted string inside arguments, and its escapes.

/** A quoted string that was read. */
export interface ReadText {
  readonly value: string;
  /** The index after the closing quote. */
  readonly end: number;
  /** The repairs that were made, worded for people. */
  readonly repairs: readonly string[];
}

/** The reason why a quoted string can't be read. */
export interface TextFlaw {
  /** `cut`: no closing quote. `nul`: a NUL character. `escape`: an invalid escape. `backslash`: a backslash with two readings. */
  readonly flaw: "cut" | "nul" | "escape" | "backslash";
  /** The index in the whole text. */
  readonly at: number;
}

const meanings: ReadonlyMap<string, string> = new Map([
  ["b", "\b"],
  ["f", "\f"],
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
  ["/", "/"],
  ["\\", "\\"],
  ['"', '"'],
]);

/** Reads the string whose opening quote, double or single, is at `start`. Takes linear time. */
export function readString(text: string, start: number): ReadText | TextFlaw {
  const end = closingQuote(text, start);
  if (end === -1) return { flaw: "cut", at: text.length };
  const quote = text.charAt(start);
  const raw = text.slice(start + 1, end);
  const escapes = classifyEscapes(raw, quote);
  if (typeof escapes === "object") return { ...escapes, at: start + 1 + escapes.at };
  const hasControl = /[\0-\u001f]/.test(raw);
  const isJson = quote === '"' && escapes === "meant" && !hasControl;
  // JSON.parse is several times faster, and most strings are valid JSON.
  const decoded =
    escapes === "none" ? raw : isJson ? (JSON.parse(text.slice(start, end + 1)) as string) : decode(raw, quote);
  if (decoded.includes("\0")) return { flaw: "nul", at: start };
  // UTF-8 cannot encode a lone surrogate, so a history that held one could not be sent.
  const value = decoded.toWellFormed();
  const repairs: string[] = [];
  if (quote === "'") repairs.push("single quotes read as double quotes");
  if (hasControl) repairs.push("raw control characters in a text kept as they are");
  if (escapes === "literal") repairs.push("single backslashes in a text kept as backslashes");
  if (value !== decoded) repairs.push("half a surrogate pair replaced by U+FFFD");
  return { value, end: end + 1, repairs };
}

function closingQuote(text: string, start: number): number {
  const quote = text.charCodeAt(start);
  const backslash = 92;
  for (let at = start + 1; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit === quote) return at;
    if (unit === backslash) at += 1;
  }
  return -1;
}

/**
 * Classifies the escapes of a string: there are none, they are meant as escapes, or single backslashes (`\d`, `C:\dir`) are
 * meant literally. Backslashes are literal only if no other escape in the string is valid: in `C:\new\dir`, the `\n` would
 * become a line break, so the string has a flaw.
 */
function classifyEscapes(raw: string, quote: string): "none" | "meant" | "literal" | TextFlaw {
  let at = raw.indexOf("\\");
  if (at === -1) return "none";
  let literal = -1;
  let hasMeaning = false;
  for (; at !== -1; at = raw.indexOf("\\", at + 2)) {
    const next = raw.charAt(at + 1);
    if (next === "\\" || next === quote) continue;
    if (meanings.has(next) || (next === "u" && isHex(raw, at + 2, 4))) hasMeaning = true;
    else if (next === "u" || !/[!-~]/.test(next)) return { flaw: "escape", at: at };
    else if (quote === "'" || !isLiteral(raw, at)) return { flaw: "backslash", at: at };
    else if (literal === -1) literal = at;
  }
  if (literal === -1) return "meant";
  return hasMeaning ? { flaw: "backslash", at: literal } : "literal";
}

/** False for a backslash that begins an escape in other languages: `\'`, `\0`, `\1`, `\x41`. */
function isLiteral(raw: string, at: number): boolean {
  const next = raw.charAt(at + 1);
  return !/['0-9]/.test(next) && !(next === "x" && isHex(raw, at + 2, 2));
}

function isHex(text: string, at: number, count: number): boolean {
  const digits = text.slice(at, at + count);
  return digits.length === count && /^[0-9a-fA-F]+$/.test(digits);
}

function decode(raw: string, quote: string): string {
  return raw.replace(/\\(u[0-9a-fA-F]{4}|[^])/g, (whole, escape: string) => {
    if (escape.length > 1) return String.fromCharCode(Number.parseInt(escape.slice(1), 16));
    return escape === quote ? quote : (meanings.get(escape) ?? whole);
  });
}
