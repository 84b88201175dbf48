// The exchanges of a cassette during a replay: each answers one equal request, in their order.

import { setTimeout as sleep } from "node:timers/promises";
import type { ServerResponse } from "node:http";
import { bytesOf, type Exchange, type KeptRequest, type KeptResponse } from "./cassette.js";
import { firstDifference, sharedLength } from "./first-difference.js";

/** The exchanges that were not asked for yet. */
export class Tape {
  readonly #all: readonly Exchange[];
  readonly #left: Exchange[];

  constructor(exchanges: readonly Exchange[]) {
    this.#all = exchanges;
    this.#left = [...exchanges];
  }

  /** The number of exchanges that nobody asked for. */
  get unsaid(): number {
    return this.#left.length;
  }

  /** The response to the first equal request that is left; undefined if there is none. */
  take(request: KeptRequest): KeptResponse | undefined {
    const index = this.#left.findIndex((one) => isEqual(one.request, request));
    return index < 0 ? undefined : this.#left.splice(index, 1)[0]?.response;
  }

  /** The sentence about a request that has no response: its first difference from the most similar request that is left. */
  departure(request: KeptRequest, number: number): string {
    const name = `request ${String(number)} (${request.method} ${request.path})`;
    const times = this.#all.filter((one) => isEqual(one.request, request)).length;
    if (times > 0)
      return `${name} was recorded ${times === 1 ? "once" : `${String(times)} times`} and is asked once more`;
    const alike = this.#left.filter(
      (one) => one.request.method === request.method && one.request.path === request.path,
    );
    const shared = alike.map((one) => sharedLength(one.request.body, request.body));
    const nearest = alike[shared.indexOf(Math.max(...shared))];
    if (nearest === undefined) {
      const left = this.#left[0]?.request;
      if (left !== undefined) return `${name} has no record; the next recorded request is ${left.method} ${left.path}`;
      return `${name} comes after the end of the recording, which has ${String(this.#all.length)}`;
    }
    const place = this.#all.indexOf(nearest) + 1;
    const difference = firstDifference(nearest.request.body, request.body) ?? "its body is another";
    return `${name} is not the recorded request ${String(place)}: ${difference}`;
  }
}

function isEqual(one: KeptRequest, other: KeptRequest): boolean {
  return one.method === other.method && one.path === other.path && one.digest === other.digest;
}

/** Sends a response as it was recorded, with its waits if `timing` is set. */
export async function play(
  { status, headers, chunks, end }: KeptResponse,
  outgoing: ServerResponse,
  timing: boolean,
): Promise<void> {
  const startedAt = performance.now();
  outgoing.writeHead(status, headers);
  outgoing.flushHeaders();
  for (const chunk of chunks) {
    const wait = chunk.at - (performance.now() - startedAt);
    if (timing && wait > 0) await sleep(wait);
    if (outgoing.destroyed) return;
    const bytes = bytesOf(chunk);
    if (bytes.length > 0) await new Promise((resolve) => outgoing.write(bytes, resolve));
  }
  if (end === "cut") outgoing.socket?.resetAndDestroy();
  else outgoing.end();
}

/** Sends an error as JSON. */
export function sendError(outgoing: ServerResponse, status: number, code: string, message: string): void {
  outgoing.writeHead(status, { "content-type": "application/json", "x-should-retry": "false" });
  outgoing.end(JSON.stringify({ error: { message, type: "cassette", code } }));
}
