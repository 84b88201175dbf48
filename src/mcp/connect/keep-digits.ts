// Keeps the digits of long numbers in results: a number of JavaScript keeps about 16.

import { isPlainObject } from "../../core/internal.js";
import { endOfEvent } from "./bounded-fetch.js";

/** A text in double quotes, or a number outside of one. */
const textsAndNumbers = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g;

/**
 * The message, with the data of a result that has no words as words in which each number has its digits. A longer number is written as a
 * text. `text` is the message as it came.
 */
export function withDigits(message: unknown, text: string): unknown {
  if (!isPlainObject(message) || !/\d[\d.]{15}/.test(text)) return message;
  const { result } = message;
  if (!isPlainObject(result) || result["structuredContent"] === undefined) return message;
  if (Array.isArray(result["content"]) && result["content"].length > 0) return message;
  const quoted = text.replace(textsAndNumbers, (part) =>
    part.startsWith('"') || Number.isSafeInteger(Number(part)) || !/^-?\d+$/.test(part) ? part : `"${part}"`,
  );
  const { result: whole } = JSON.parse(quoted) as { readonly result: { readonly structuredContent: unknown } };
  const words = JSON.stringify(whole.structuredContent);
  return { ...message, result: { ...result, content: [{ type: "text", text: words }] } };
}

/** Makes a fetch function whose streams of events have results with all digits, as `withDigits` writes them. */
export function fetchWithDigits(inner: typeof fetch): typeof fetch {
  return async (input, init) => {
    const answer = await inner(input, init);
    const kind = answer.headers.get("content-type") ?? "";
    if (answer.body === null || !/^\s*text\/event-stream/i.test(kind)) return answer;
    const { status, statusText, headers } = answer;
    const kept = new Response(answer.body.pipeThrough(eventsWithDigits()), { status, statusText, headers });
    Object.defineProperty(kept, "url", { value: answer.url });
    return kept;
  };
}

/** Passes a stream on event by event. */
function eventsWithDigits(): TransformStream<Uint8Array, Uint8Array> {
  let pieces: Uint8Array[] = [];
  let isAfterNewline = false;
  return new TransformStream({
    transform(piece, controller) {
      const end = endOfEvent(piece, isAfterNewline);
      isAfterNewline = piece.at(-1) === 10;
      if (end < 0) {
        pieces.push(piece);
        return;
      }
      controller.enqueue(rewritten(joined([...pieces, piece.subarray(0, end)])));
      pieces = end < piece.length ? [piece.subarray(end)] : [];
    },
    flush(controller) {
      if (pieces.length > 0) controller.enqueue(joined(pieces));
    },
  });
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const [only = new Uint8Array()] = pieces;
  if (pieces.length < 2) return only;
  const whole = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

/** Whole events as bytes. Only an event whose result would lose digits is written anew. */
function rewritten(bytes: Uint8Array): Uint8Array {
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  if (!text.includes('"structuredContent"')) return bytes;
  const events = text.split(/(\r?\n\r?\n)/);
  const kept = events.map(eventWithDigits);
  return kept.every((event, index) => event === events[index]) ? bytes : new TextEncoder().encode(kept.join(""));
}

function eventWithDigits(event: string): string {
  const lines = event.split(/\r?\n/);
  const data = lines.filter((line) => line.startsWith("data:"));
  const text = data.map((line) => line.slice("data:".length).trim()).join("\n");
  try {
    const message = JSON.parse(text) as unknown;
    const kept = withDigits(message, text);
    if (kept === message) return event;
    return [...lines.filter((line) => !data.includes(line)), `data: ${JSON.stringify(kept)}`].join("\n");
  } catch {
    // An event without a message says nothing about numbers. The client tells what is wrong with it.
    return event;
  }
}
