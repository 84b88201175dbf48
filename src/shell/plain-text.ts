// Plain text: what a command prints, without what is meant for a terminal.

/** Makes text of bytes as they come. Whatever pieces they come in, the joined text is the same. */
export interface PlainText {
  /** What is certain by now. The last line is held back until it ends or is long: it may be written over. */
  add(chunk: Uint8Array): string;
  /** The rest. To be called once. */
  end(): string;
}

/** Characters of a line that are held back. A longer line is not written over any more: a return begins a new one. */
const mostHeld = 4096;

/** Where in an escape sequence the text is. */
type Place = "text" | "escape" | "intermediate" | "control" | "string" | "string-escape";

const newline = 0x0a;
const tab = 0x09;
const carriageReturn = 0x0d;
const escape = 0x1b;
const bell = 0x07;
const cancel = 0x18;
const substitute = 0x1a;
const stringEnd = 0x9c;

/**
 * UTF-8, bytes that are none replaced. Left out are escape sequences of terminals (also those with text of their own, such as
 * titles and links) and control characters except tab and newline. Of a line that is written over after a return, the last
 * state stays. A sequence ends with its line at the latest, so that what was cut off does not swallow the rest. Takes linear
 * time.
 */
export function plainText(): PlainText {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  let place: Place = "text";
  let line = "";
  /** The line is longer than what is held back, and was given out up to here. */
  let isLong = false;
  /** A return has been read: what comes next, other than the end of the line, begins it anew. */
  let hasReturned = false;
  let out = "";

  function put(text: string): void {
    if (hasReturned) {
      hasReturned = false;
      if (isLong) out += "\n";
      isLong = false;
      line = "";
    }
    if (isLong) out += text;
    else line += text;
    if (line.length <= mostHeld) return;
    out += line;
    line = "";
    isLong = true;
  }

  function endLine(): void {
    out += `${line}\n`;
    line = "";
    isLong = false;
    hasReturned = false;
  }

  function control(code: number): void {
    if (code === newline) endLine();
    else if (code === carriageReturn) hasReturned = true;
    else place = opened(code);
  }

  function read(text: string): void {
    for (let at = 0; at < text.length;) {
      if (place === "text") {
        const end = ordinaryEnd(text, at);
        if (end > at) put(text.slice(at, end));
        at = end + 1;
        if (end < text.length) control(text.charCodeAt(end));
      } else {
        const next = follow(place, text.charCodeAt(at));
        place = next.place;
        if (next.isTaken) at += 1;
      }
    }
  }

  function take(): string {
    const text = out;
    out = "";
    return text;
  }

  return {
    add(chunk) {
      read(decoder.decode(chunk, { stream: true }));
      return take();
    },
    end() {
      read(decoder.decode());
      out += line;
      return take();
    },
  };
}

/** Where the next control character is, or the end. */
function ordinaryEnd(text: string, from: number): number {
  let at = from;
  for (; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if ((code < 0x20 && code !== tab) || (code >= 0x7f && code < 0xa0)) break;
  }
  return at;
}

/** What a control character begins. */
function opened(code: number): Place {
  if (code === escape) return "escape";
  if (code === 0x9b) return "control";
  return [0x90, 0x98, 0x9d, 0x9e, 0x9f].includes(code) ? "string" : "text";
}

interface Step {
  readonly place: Place;
  /** False: the character is no part of the sequence and is read again as text. */
  readonly isTaken: boolean;
}

const taken = (place: Place): Step => ({ place, isTaken: true });
const left: Step = { place: "text", isTaken: false };

/** One character within a sequence (ECMA-48, and xterm's control sequences). */
function follow(place: Exclude<Place, "text">, code: number): Step {
  if (code === newline) return left;
  if (code === cancel || code === substitute) return taken("text");
  if (place === "string") return followString(code);
  if (place === "string-escape") return code === 0x5c ? taken("text") : { place: "escape", isTaken: false };
  if (code === escape) return taken("escape");
  if (place === "control") return code >= 0x20 && code < 0x40 ? taken("control") : ending(code, 0x40);
  if (code >= 0x20 && code < 0x30) return taken("intermediate");
  return place === "escape" ? begun(code) : ending(code, 0x30);
}

function followString(code: number): Step {
  if (code === escape) return taken("string-escape");
  return taken(code === bell || code === stringEnd ? "text" : "string");
}

/** What an escape begins: a control sequence `[`, a string `P X ] ^ _`, or a sequence of one character. */
function begun(code: number): Step {
  if (code === 0x5b) return taken("control");
  if ([0x50, 0x58, 0x5d, 0x5e, 0x5f].includes(code)) return taken("string");
  return ending(code, 0x30);
}

/** The character that ends a sequence, if it is one. */
function ending(code: number, first: number): Step {
  return code >= first && code < 0x7f ? taken("text") : left;
}
