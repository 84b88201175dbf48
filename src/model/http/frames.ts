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

/** Makes a reader for an answer from `address`. */
export function frameReader(headers: AnswerHeaders, address: string): FrameReader {
  if (headers.get("content-type")?.includes("text/event-stream") !== true) return wholeBody(address);
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
    end: () => [parse(Buffer.concat(pieces).toString(), address), bodyEnd],
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
