// Reads an answer as JSON frames: the data of its server-sent events, or one whole body.

import { LastcallError } from "../../core/index.js";
import { isPlainObject, headOf } from "../../core/internal.js";
import type { AnswerHeaders } from "../transport/ports.js";
import { SseReader, type SseEvent } from "./sse.js";

/** Marks the end of a whole body, which is complete. */
export const bodyEnd: unique symbol = Symbol("body end");

/** Marks the end of a stream that has an end marker. */
export const streamEnd: unique symbol = Symbol("stream end");

/**
 * Reads the frames of one answer. The last frame is `streamEnd` if the answer is a stream with an end marker, and `bodyEnd` if it is no
 * stream. Frames are parsed one at a time, so the frames before a broken frame are used even if all came in one piece. Both methods'
 * results throw LastcallError `provider_unavailable` at a frame that is not JSON.
 */
export interface FrameReader {
  /** Takes the next bytes. Returns the frames that end in them. */
  write(bytes: Uint8Array): Iterable<unknown>;
  /** Takes the end of the body. Returns the frames that it ends. */
  end(): Iterable<unknown>;
}

/**
 * Makes a reader for an answer from `address`. The first bytes decide whether it is a stream, since some servers and proxies give a stream
 * another content type, or a body the type of a stream. The content type counts only for bytes that begin neither.
 */
export function frameReader(headers: AnswerHeaders, address: string): FrameReader {
  const isNamedStream = /\btext\/event-stream\b/i.test(headers.get("content-type") ?? "");
  let reader: FrameReader | undefined;
  /** The bytes before the first that tell. */
  let held: Uint8Array = new Uint8Array();

  function chosen(isEnd: boolean): FrameReader | undefined {
    const isStream = beginsStream(held) ?? (isEnd ? isNamedStream : undefined);
    return isStream === undefined ? undefined : isStream ? eventReader(address) : wholeBody(address);
  }

  return {
    write(bytes) {
      if (reader !== undefined) return reader.write(bytes);
      held = held.length === 0 ? bytes : Buffer.concat([held, bytes]);
      reader = chosen(held.length > longestBeginning);
      return reader?.write(held) ?? [];
    },
    end() {
      if (reader !== undefined) return reader.end();
      const last = chosen(true) ?? wholeBody(address);
      return [...last.write(held), ...last.end()];
    },
  };
}

/** The number of bytes after which the beginning of an answer is not waited for any more. */
const longestBeginning = 1024;

/** True for the beginning of a stream, false for the beginning of a JSON body. Undefined for neither, or too few bytes. */
function beginsStream(bytes: Uint8Array): boolean | undefined {
  const text = Buffer.from(bytes.subarray(0, longestBeginning))
    .toString()
    .replace(/^\uFEFF?\s+|^\uFEFF/, "");
  if (/^(?::|data:|event:|id:|retry:)/.test(text)) return true;
  return /^[[{]/.test(text) ? false : undefined;
}

function eventReader(address: string): FrameReader {
  const events = new SseReader();
  return {
    write: (bytes) => parseEach(events.write(bytes), address),
    end: () => parseEach(events.end(), address),
  };
}

function wholeBody(address: string): FrameReader {
  const pieces: Uint8Array[] = [];
  return {
    write(bytes) {
      pieces.push(bytes);
      return [];
    },
    end: () => [
      parse(
        Buffer.concat(pieces)
          .toString()
          .replace(/^\uFEFF/, ""),
        address,
      ),
      bodyEnd,
    ],
  };
}

/** Parses the data of events up to the end marker. */
function* parseEach(batch: readonly SseEvent[], address: string): Generator<unknown, void, void> {
  for (const { data, isError } of batch) {
    if (data.length < 20 && data.trim() === "[DONE]") {
      yield streamEnd;
      return;
    }
    yield isError ? errorFrame(data) : parse(data, address);
  }
}

/** The frame of an event named `error`: it has the error under the key `error`, also if the server sent it without that key. */
function errorFrame(data: string): unknown {
  let frame: unknown;
  try {
    frame = JSON.parse(data);
  } catch {
    return { error: data };
  }
  return isPlainObject(frame) && (Boolean(frame["error"]) || frame["type"] === "error") ? frame : { error: frame };
}

function parse(data: string, address: string): unknown {
  try {
    return JSON.parse(data);
  } catch (thrown) {
    const message = `The provider at ${address} sent something that is not JSON: ${JSON.stringify(headOf(data, 80))}.`;
    throw new LastcallError("provider_unavailable", message, { cause: thrown });
  }
}
