// Makes the form of a response that is kept: its pieces with their times, without secrets.

import type { Redactor } from "../../core/index.js";
import { isPlainObject } from "../../core/internal.js";
import type { Chunk } from "./cassette.js";

/** Bytes that came together, and the milliseconds after the request. */
export interface Piece {
  readonly at: number;
  readonly bytes: Buffer;
}

/** The chunks of the pieces. A secret is found although it spans several pieces or events; without one, each byte stays as it came. */
export function chunksOf(pieces: readonly Piece[], redact: Redactor): readonly Chunk[] {
  const whole = Buffer.concat(pieces.map(({ bytes }) => bytes));
  const text = whole.toString();
  const encoding = Buffer.from(text).equals(whole) ? "utf8" : "latin1";
  const clean = withoutSecrets(encoding === "utf8" ? text : whole.toString("latin1"), redact);
  const bytes = Buffer.from(clean, encoding);
  let from = 0;
  return pieces.map((piece, index) => {
    const to = index === pieces.length - 1 ? bytes.length : Math.min(bytes.length, from + piece.bytes.length);
    const part = bytes.subarray(from, to);
    from = to;
    return chunkOf(piece.at, part);
  });
}

/** The text of a body without secrets. */
export function withoutSecrets(text: string, redact: Redactor): string {
  return inEvents(redact.text(text), redact);
}

function chunkOf(at: number, bytes: Buffer): Chunk {
  const text = bytes.toString();
  return Buffer.from(text).equals(bytes) ? { at, text } : { at, base64: bytes.toString("base64") };
}

/** Redacts secrets that were sent in parts: the texts at one place of all events are read as one text. */
function inEvents(text: string, redact: Redactor): string {
  const lines = text.split("\n");
  const events = lines.map(eventIn);
  const parts = new Map<string, string[]>();
  for (const event of events)
    eachText(event, "", (path, part) => {
      const before = parts.get(path);
      if (before === undefined) parts.set(path, [part]);
      else before.push(part);
      return part;
    });
  const clean = new Map<string, string[]>();
  for (const [path, texts] of parts) {
    const joined = texts.join("");
    if (texts.length > 1 && redact.text(joined) !== joined) clean.set(path, inParts(texts, redact));
  }
  if (clean.size === 0) return text;
  return lines
    .map((line, index) => {
      const event = events[index];
      if (event === undefined) return line;
      const changed = eachText(event, "", (path, part) => clean.get(path)?.shift() ?? part);
      return `data: ${JSON.stringify(changed)}${line.endsWith("\r") ? "\r" : ""}`;
    })
    .join("\n");
}

/** Redacts a text that came in parts. The parts add up to the redacted text. */
function inParts(parts: readonly string[], redact: Redactor): string[] {
  const stream = redact.stream();
  return parts.map((part, index) => stream.write(part) + (index === parts.length - 1 ? stream.end() : ""));
}

function eventIn(line: string): unknown {
  if (!line.startsWith("data:")) return undefined;
  try {
    const event: unknown = JSON.parse(line.slice(5));
    return isPlainObject(event) ? event : undefined;
  } catch {
    return undefined;
  }
}

/** The value with each of its texts changed. The paths have the names and numbers on the way. */
function eachText(value: unknown, path: string, change: (path: string, text: string) => string): unknown {
  if (typeof value === "string") return change(path, value);
  if (Array.isArray(value)) return value.map((item, index) => eachText(item, `${path}/${String(index)}`, change));
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, eachText(item, `${path}/${name}`, change)]),
  );
}
