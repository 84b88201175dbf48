// A provider that answers from a cassette, on loopback.

/// <reference lib="esnext.disposable" preserve="true" />

import { checkOptions, explain, listOf, needed, type OptionKinds } from "../../core/internal.js";
import { loopbackServer } from "../scripted/loopback-server.js";
import type { Opening } from "./cassette.js";
import { arrived, keptRequest, Secrets } from "./kept-request.js";
import { readCassette } from "./read-cassette.js";
import { play, sendError, Tape } from "./tape.js";

/** The cassette, and how it is played. */
export interface ReplayingOptions {
  /** The file that `recordingProvider` wrote. */
  readonly file: string;
  /** True if the bytes come when they came. Default false: they come at once. */
  readonly timing?: boolean | undefined;
  /** The folder that the agent works in now. Default: the folder of the process. */
  readonly folder?: string | undefined;
  /** Secret values of at least 8 characters that requests may hold, besides known formats. They are compared as redacted. Default: none. */
  readonly secrets?: readonly string[] | undefined;
}

const replayingOptions = {
  file: needed("text"),
  timing: "flag",
  folder: "text",
  secrets: listOf("text"),
} satisfies OptionKinds<ReplayingOptions>;

/** A running replay. */
export interface ReplayingProvider extends AsyncDisposable {
  /** The base URL for clients: `http://127.0.0.1:<port>/v1`. */
  readonly url: string;
  /** The texts that the recorder was given. */
  readonly labels: Opening["labels"];
  /** A sentence for each request that was not recorded, in order: the request, and its first difference. */
  readonly departures: readonly string[];
  /** The number of recorded requests that nobody made. */
  readonly unsaid: number;
  close(): Promise<void>;
}

/** The status for a request that was not recorded: no client asks again, and none reads a refusal of a parameter in it. */
const notRecorded = 410;

/**
 * Starts a provider that answers each request with the recorded response to an equal request: the same method, path and body, but for the
 * parts that the cassette ignores. Equal requests are answered in the recorded order. Any other request gets 410, with the code
 * `not_recorded` and the first difference.
 * @throws LastcallError `configuration` if the cassette can't be read.
 */
export async function replayingProvider(options: ReplayingOptions): Promise<ReplayingProvider> {
  checkOptions("replayingProvider", options, replayingOptions);
  const { file, timing = false, folder = process.cwd() } = options;
  const { opening, exchanges } = await readCassette(file);
  const tape = new Tape(exchanges);
  const secrets = new Secrets(options.secrets ?? []);
  const departures: string[] = [];
  let number = 0;
  const { origin, close } = await loopbackServer((incoming, outgoing) => {
    number += 1;
    const own = number;
    arrived(incoming)
      .then(async (request) => {
        const kept = keptRequest(request, secrets.with(request), { ignore: opening.ignore, folder });
        const response = tape.take(kept);
        if (response !== undefined) return play(response, outgoing, timing);
        const departure = tape.departure(kept, own);
        departures.push(departure);
        const advice = `${file} has no answer to it. If the change is meant, record what is missing (--record missing)`;
        sendError(outgoing, notRecorded, "not_recorded", `The replay departs: ${departure}. ${advice}`);
      })
      .catch((thrown: unknown) => {
        if (outgoing.headersSent) outgoing.destroy();
        else sendError(outgoing, notRecorded, "not_replayed", explain(thrown));
      });
  });
  return {
    url: `${origin}/v1`,
    labels: opening.labels,
    departures,
    get unsaid() {
      return tape.unsaid;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}
