// A session in a page: its JSON, compressed, in Base64, so that no text of the session can end or begin markup.

import { LastcallError, type JsonObject, type Session } from "../../core/index.js";
import { toBase64 } from "../../core/internal.js";

/** A session as a page carries it. */
export interface PackedSession {
  readonly lastcall: "page";
  readonly version: 1;
  /** The time at which the page was made, in milliseconds since 1970. */
  readonly made: number;
  /** The session, redacted, without the bytes of attachments. */
  readonly session: Session;
  /** The numbers of the records that lost a secret when the page was made, by session. */
  readonly redacted: Readonly<Record<string, readonly number[]>>;
  /** The files that records name, whose bytes the page leaves out. */
  readonly files: number;
  /** The summaries of the session and of the sessions below it, by id. */
  readonly summaries: Readonly<Record<string, JsonObject>>;
}

/** The beginning and the end of the element that has the packed session. */
export const packedElement: readonly [begin: string, end: string] = [
  '<script type="text/plain" id="lastcall-session">',
  "</script>",
];

/** The most bytes of a session's JSON: a text of a program can't be much longer. */
export const mostBytes: number = 256 * 1024 * 1024;

/** Characters that are compressed at once. */
const portion = 256 * 1024;

/**
 * Compresses JSON that comes in pieces.
 * @throws LastcallError `configuration` for more than `most` bytes.
 */
export async function packed(pieces: AsyncIterable<string>, most: number = mostBytes): Promise<string> {
  const encoder = new TextEncoder();
  const source = pieces[Symbol.asyncIterator]();
  let length = 0;
  const bytes = new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      const texts: string[] = [];
      let characters = 0;
      let next = await source.next();
      for (; next.done !== true; next = await source.next()) {
        texts.push(next.value);
        characters += next.value.length;
        if (characters >= portion) break;
      }
      const piece = encoder.encode(texts.join(""));
      length += piece.length;
      if (length > most) throw tooLong(most);
      if (piece.length > 0) controller.enqueue(piece);
      if (next.done === true) controller.close();
    },
  });
  return toBase64(await read(bytes.pipeThrough(new CompressionStream("deflate-raw")), Infinity));
}

/**
 * Reads what `packed` has made. A text that grows beyond `most` bytes is not read on.
 * @throws LastcallError `configuration` if it is none, or is too long.
 */
export async function unpacked(text: string, most: number = mostBytes): Promise<unknown> {
  try {
    const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
    return JSON.parse(new TextDecoder().decode(await read(stream, most)));
  } catch (thrown) {
    if (thrown instanceof LastcallError) throw thrown;
    throw new LastcallError("configuration", "The session in the page can't be read: the page is not whole.");
  }
}

/** Reads all bytes of a stream, and stops once there are too many. */
async function read(stream: ReadableStream<Uint8Array<ArrayBuffer>>, most: number): Promise<Uint8Array<ArrayBuffer>> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  const reader = stream.getReader();
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    pieces.push(next.value);
    length += next.value.length;
    if (length <= most) continue;
    await reader.cancel();
    throw tooLong(most);
  }
  const all = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}

function tooLong(most: number): LastcallError {
  const size = `${String(Math.round(most / 1024 / 1024))} MB`;
  return new LastcallError("configuration", `The session has more than ${size}: it is too long for one file.`);
}
