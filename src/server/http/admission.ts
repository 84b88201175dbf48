// Admission: the most posts a minute, and the most event streams at once, that a handler takes from all of its callers.

import { wholeNumber } from "../../core/internal.js";
import { endOf } from "../answer/event-stream.js";
import { problem } from "../answer/json-answer.js";

/** The options of a handler that say how much it takes. */
export interface AdmissionOptions {
  /**
   * The most requests a minute that are no look: posts of all callers together, without posts that the guard refused. A minute's worth
   * may come at once, and room for the next comes back evenly. One more is answered with 429 and `retry-after`. Default 600.
   */
  readonly maxRequests?: number | undefined;
  /** The most event streams that are open at once, counted over all callers. One more is answered with 503. Default 10,000. */
  readonly maxStreams?: number | undefined;
}

/** Milliseconds of a minute. */
const minute = 60_000;

/** Counts posts and open streams. It keeps two numbers, however many callers there are. */
export class Admission {
  readonly #maxRequests: number;
  readonly #maxStreams: number;
  readonly #now: () => number;
  /** The posts that may come at once. It grows with time, up to `maxRequests`. */
  #room: number;
  /** The time at which the room was last counted. */
  #counted: number;
  #streams = 0;

  /**
   * `now`: a clock in milliseconds that never goes back.
   * @throws LastcallError `configuration` for a number that is not whole, or below 1.
   */
  constructor(
    { maxRequests = 600, maxStreams = 10_000 }: AdmissionOptions,
    now: () => number = () => performance.now(),
  ) {
    this.#maxRequests = wholeNumber("maxRequests", maxRequests);
    this.#maxStreams = wholeNumber("maxStreams", maxStreams);
    this.#now = now;
    this.#room = this.#maxRequests;
    this.#counted = now();
  }

  /** Returns the refusal of a post for which there is no room, and counts any other post. */
  post(): Response | undefined {
    const now = this.#now();
    const gained = ((now - this.#counted) * this.#maxRequests) / minute;
    this.#room = Math.min(this.#maxRequests, this.#room + gained);
    this.#counted = now;
    if (this.#room >= 1) {
      this.#room -= 1;
      return undefined;
    }
    const wait = ((1 - this.#room) * minute) / this.#maxRequests;
    return refusal(429, `The server takes ${String(this.#maxRequests)} posts a minute. Ask again later.`, wait);
  }

  /** Makes an answer that is a stream of events, or refuses to if too many are open. It counts until it ends. */
  async stream(answer: () => Promise<Response>): Promise<Response> {
    if (this.#streams >= this.#maxStreams)
      return refusal(503, `The server has ${String(this.#maxStreams)} open event streams, and takes no more.`, 1000);
    this.#streams += 1;
    let ended: Promise<void> | undefined;
    try {
      const response = await answer();
      ended = endOf(response);
      return response;
    } finally {
      void Promise.resolve(ended).then(() => (this.#streams -= 1));
    }
  }
}

/** A refusal that says when to ask again, in whole seconds. */
function refusal(status: number, message: string, wait: number): Response {
  const refused = problem(status, message);
  refused.headers.set("retry-after", String(Math.ceil(wait / 1000)));
  return refused;
}
