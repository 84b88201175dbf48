// Reads the answer of a server as it arrives: bytes, frames, events for watchers.

import type { ModelEvent } from "../core/index.js";
import type { Answer } from "./data/carrier.js";
import { bodyEnd, frameReader, streamEnd } from "./http/frames.js";
import { joinDeltas } from "./read/join-deltas.js";
import { Body } from "./transport/body.js";
import type { HttpAnswer } from "./transport/http-answer.js";
import type { WireReader } from "./wire/wire.js";

/** The reading of an answer: who it came from, and how long its server may be silent. */
export interface Reading {
  readonly address: string;
  /** Milliseconds. */
  readonly idleTimeout: number;
  readonly reader: WireReader;
}

/** Makes the answer whose body has begun to arrive. */
export function answerOf(http: HttpAnswer, { address, idleTimeout, reader }: Reading): Answer {
  const patience = { idle: idleTimeout, waited: 0 };
  const frames = frameReader(http.headers, address);
  const body = new Body(http.source, patience);
  let hasEnded = false;
  let ending: "body" | "marker" | undefined;
  let broken: { readonly thrown: unknown } | undefined;
  return {
    get hasEnded() {
      return hasEnded;
    },
    read() {
      if (broken !== undefined) throw broken.thrown;
      return body.read();
    },
    take(piece) {
      const bytes = piece as Awaited<ReturnType<typeof body.read>>;
      const events: ModelEvent[] = [];
      try {
        for (const frame of bytes === undefined ? frames.end() : frames.write(bytes)) {
          if (frame === bodyEnd) ending = "body";
          else if (frame === streamEnd) ending = "marker";
          else joinDeltas(events, reader.add(frame));
        }
      } catch (thrown) {
        // The frames before a broken one are shown first.
        broken = { thrown };
      }
      if (events.length > 0) patience.waited = 0;
      hasEnded = broken === undefined && (bytes === undefined || ending === "marker");
      return events;
    },
    leave() {
      body.leave();
    },
    end: () => reader.end(ending),
  };
}
