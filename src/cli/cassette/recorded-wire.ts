// The recording or the replay of a run: a server in the process, between the model and its provider.

import { resolve } from "node:path";
import { LastcallError } from "../../core/index.js";
import type { Settings } from "../args/args.js";
import { missing } from "../args/options.js";
import { count } from "../display/quantities.js";
import { visible } from "../display/visible.js";

/** The way of the requests to the provider, while a run is recorded or replayed. */
export interface Wire {
  /** Sends a request over the recording. */
  readonly fetch: typeof fetch;
  /** Ends the recording, and says what it has. */
  close(): Promise<void>;
}

/** The model and its server, as a recording keeps them. */
export interface WireEnd {
  readonly model: string;
  readonly provider: string;
  readonly baseURL: string;
  /** The window in tokens; undefined if it is unknown. */
  readonly window: number | undefined;
}

/** The settings of a recording. */
type WireSettings = Pick<Settings, "record" | "replay" | "workdir" | "quiet" | "baseUrl" | "provider">;

/** The secrets that must not be kept, and the printer of lines. */
interface Around {
  readonly secrets: readonly string[];
  readonly say: (line: string) => void;
}

/**
 * Starts the recording; undefined if the settings want none.
 * @throws LastcallError `configuration` if the file can't be written.
 */
export async function recorded(settings: WireSettings, end: WireEnd, around: Around): Promise<Wire | undefined> {
  const { record, replay, workdir, quiet } = settings;
  if (record === undefined) return undefined;
  const file = record === missing ? replay : record;
  if (file === undefined) return undefined;
  const { recordingProvider } = await import("../../testing/index.js");
  const { model, provider, baseURL, window } = end;
  const labels = { model, provider, baseURL, ...(window !== undefined && { window: String(window) }) };
  const server = await recordingProvider({
    ...{ upstream: baseURL, file, labels, secrets: around.secrets },
    folder: resolve(workdir),
    record: record === missing ? "missing" : "all",
  });
  return {
    fetch: over(server.url, baseURL),
    async close() {
      await server.close();
      for (const departure of server.departures) around.say(visible(`not in ${file}: ${departure}`));
      if (!quiet) around.say(visible(`recorded ${count(server.recorded, "request")} in ${file}`));
    },
  };
}

/** A replay: the way of the requests, and the model of the recording. */
export interface Replay extends WireEnd {
  readonly wire: Wire;
}

/**
 * Starts the replay; undefined if the settings want none.
 * @throws LastcallError `configuration` if the file can't be read, or comes from another server than the options name.
 */
export async function replayed(settings: WireSettings, { secrets, say }: Around): Promise<Replay | undefined> {
  const { record, replay, workdir, quiet } = settings;
  if (replay === undefined || record !== undefined) return undefined;
  const { replayingProvider } = await import("../../testing/index.js");
  const server = await replayingProvider({ file: replay, folder: resolve(workdir), secrets });
  const end = endIn(server.labels);
  const other =
    end !== undefined && settings.provider !== undefined && settings.provider !== end.provider
      ? `--provider ${settings.provider}`
      : end !== undefined && settings.baseUrl !== undefined && settings.baseUrl !== end.baseURL
        ? `--base-url ${settings.baseUrl}`
        : undefined;
  if (end === undefined || other !== undefined) {
    await server.close();
    const why =
      end === undefined
        ? "does not name its model; a recording of the command does. Replay it with replayingProvider"
        : `was recorded from ${end.provider} at ${end.baseURL}, and not from ${String(other)}; leave that out`;
    throw new LastcallError("configuration", `${visible(`${replay} ${why}`)}.`);
  }
  const wire: Wire = {
    fetch: over(server.url, end.baseURL),
    async close() {
      await server.close();
      const { departures, unsaid } = server;
      const [first] = departures;
      // A run tells its last fault. A request of an agent below, or a request before, may have departed first.
      if (first !== undefined && departures.length > 1) say(visible(`the first departure: ${first}`));
      if (first === undefined && unsaid > 0)
        say(`not made: ${count(unsaid, "recorded request")}; the run ended before`);
      else if (first === undefined && !quiet) say(visible(`replayed every request of ${replay}`));
    },
  };
  return { ...end, wire };
}

function endIn({ model, provider, baseURL, window }: Readonly<Record<string, string>>): WireEnd | undefined {
  if (model === undefined || provider === undefined || baseURL === undefined) return undefined;
  return { model, provider, baseURL, window: window === undefined ? undefined : Number(window) };
}

/** A fetch function that sends requests to the server in the process. The model keeps the address of its provider, and so its manners. */
function over(url: string, baseURL: string): typeof fetch {
  const base = baseURL.replace(/\/$/, "");
  return (input, init) => {
    const asked = input instanceof Request ? input.url : String(input);
    if (!asked.startsWith(base))
      throw new LastcallError("configuration", `A request to ${asked} can't be recorded: it is not below ${base}.`);
    return fetch(url + asked.slice(base.length), init);
  };
}
