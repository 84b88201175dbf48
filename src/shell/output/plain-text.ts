// Plain text: removes terminal control sequences from the output of a command.

/** Turns chunks of bytes into text. The joined text does not depend on where the chunks were cut. */
export interface PlainText {
  /** The text that is final by now. The last line is held back until it ends or is long, because it may be overwritten. */
  add(chunk: Uint8Array): string;
  /** The rest. To be called once. */
  end(): string;
}

/**
 * Characters of a line that are held back. A longer line is no longer overwritten: a carriage return then begins a new
 * line.
 */
const maxHeldCharacters = 4096;

/** The state of the parser: text, or a part of an escape sequence. */
type ParserState = "text" | "escape" | "intermediate" | "control" | "string" | "string-escape";

const newline = 0x0a;
const tab = 0x09;
const carriageReturn = 0x0d;
const escape = 0x1b;
const bell = 0x07;
const cancel = 0x18;
const substitute = 0x1a;
const stringEnd = 0x9c;

/**
 * Decodes UTF-8, with invalid bytes replaced. Removes the escape sequences of terminals (also sequences that contain
 * text, such as titles and links) and control characters except tab and newline. If a line is overwritten after a
 * carriage return, its last state stays. A sequence ends with its line at the latest, so that a cut sequence does not
 * swallow the rest. Takes linear time.
 */
export function plainText(): PlainText {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  let state: ParserState = "text";
  let line = "";
  /** True if the line is longer than the limit and was returned up to here. */
  let isLong = false;
  /** True after a carriage return: the next character, except a newline, begins the line anew. */
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
    if (line.length <= maxHeldCharacters) return;
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
    else state = stateAfterControl(code);
  }

  function read(text: string): void {
    for (let at = 0; at < text.length;) {
      if (state === "text") {
        const end = ordinaryEnd(text, at);
        if (end > at) put(text.slice(at, end));
        at = end + 1;
        if (end < text.length) control(text.charCodeAt(end));
      } else {
        const next = advance(state, text.charCodeAt(at));
        state = next.state;
        if (next.isConsumed) at += 1;
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

/** The index of the next control character, or the end. */
function ordinaryEnd(text: string, from: number): number {
  let at = from;
  for (; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if ((code < 0x20 && code !== tab) || (code >= 0x7f && code < 0xa0)) break;
  }
  return at;
}

/** The state after a control character. */
function stateAfterControl(code: number): ParserState {
  if (code === escape) return "escape";
  if (code === 0x9b) return "control";
  return [0x90, 0x98, 0x9d, 0x9e, 0x9f].includes(code) ? "string" : "text";
}

interface Transition {
  readonly state: ParserState;
  /** False: the character is not part of the sequence and is read again as text. */
  readonly isConsumed: boolean;
}

const consumed = (state: ParserState): Transition => ({ state, isConsumed: true });
const notConsumed: Transition = { state: "text", isConsumed: false };

/** Reads one character within a sequence (ECMA-48, and xterm's control sequences). */
function advance(state: Exclude<ParserState, "text">, code: number): Transition {
  if (code === newline) return notConsumed;
  if (code === cancel || code === substitute) return consumed("text");
  if (state === "string") return advanceString(code);
  if (state === "string-escape") return code === 0x5c ? consumed("text") : { state: "escape", isConsumed: false };
  if (code === escape) return consumed("escape");
  if (state === "control") return code >= 0x20 && code < 0x40 ? consumed("control") : endSequence(code, 0x40);
  if (code >= 0x20 && code < 0x30) return consumed("intermediate");
  return state === "escape" ? advanceAfterEscape(code) : endSequence(code, 0x30);
}

function advanceString(code: number): Transition {
  if (code === escape) return consumed("string-escape");
  return consumed(code === bell || code === stringEnd ? "text" : "string");
}

/** The state after ESC: a control sequence `[`, a string `P X ] ^ _`, or a sequence of one character. */
function advanceAfterEscape(code: number): Transition {
  if (code === 0x5b) return consumed("control");
  if ([0x50, 0x58, 0x5d, 0x5e, 0x5f].includes(code)) return consumed("string");
  return endSequence(code, 0x30);
}

/** Ends the sequence if the character can end it. */
function endSequence(code: number, first: number): Transition {
  return code >= first && code < 0x7f ? consumed("text") : notConsumed;
}
