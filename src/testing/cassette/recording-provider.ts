// A provider that passes requests on to another server, and keeps each request with its response in a cassette.

/// <reference lib="esnext.disposable" preserve="true" />

import { appendFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import { LastcallError, redactor } from "../../core/index.js";
import { checkOptions, choiceOf, explain, listOf, needed, recordOf, type OptionKinds } from "../../core/internal.js";
import { loopbackServer } from "../scripted/loopback-server.js";
import { ignorings, type Ignoring } from "./ignorings.js";
import type { Exchange, Opening } from "./cassette.js";
import { arrived, keptRequest, Secrets, type ArrivedRequest } from "./kept-request.js";
import { chunksOf, type Piece } from "./kept-response.js";
import { readCassette } from "./read-cassette.js";
import { play, sendError, Tape } from "./tape.js";

/** The server to record, and the file. */
export interface RecordingOptions {
  /** The base URL of the server that answers, such as `https://api.openai.com/v1`. */
  readonly upstream: string;
  /** The cassette to write. */
  readonly file: string;
  /**
   * `all`: the file must not be there yet, and every request is passed on. `missing`: requests that the file has are answered from it, and
   * the others are passed on and added to it. Default: `all`.
   */
  readonly record?: "all" | "missing" | undefined;
  /** Headers for the upstream in place of the client's, such as a key that the client does not have. Default: none. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The parts of a body that a replay does not compare; the file's first line has them. Default: `nonces` and `folder`. */
  readonly ignore?: readonly Ignoring[] | undefined;
  /** The folder that the agent works in. Default: the folder of the process. */
  readonly folder?: string | undefined;
  /**
   * Secret values of at least 8 characters, besides known formats and the values of headers that speak of a key or a token. None of them
   * gets into the file. Default: none.
   */
  readonly secrets?: readonly string[] | undefined;
  /** Texts for the first line of a new file, such as the name of the model. Default: none. */
  readonly labels?: Readonly<Record<string, string>> | undefined;
}

const recordingOptions = {
  upstream: needed("text"),
  file: needed("text"),
  record: choiceOf("all", "missing"),
  headers: recordOf("text"),
  ignore: listOf("text"),
  folder: "text",
  secrets: listOf("text"),
  labels: recordOf("text"),
} satisfies OptionKinds<RecordingOptions>;

/** A running recorder. */
export interface RecordingProvider extends AsyncDisposable {
  /** The base URL for clients: `http://127.0.0.1:<port>/v1`. */
  readonly url: string;
  /** The number of requests that were passed on and kept. */
  readonly recorded: number;
  /** With `missing`, a sentence for each request that the file lacked, in order: the request, and its first difference. */
  readonly departures: readonly string[];
  /** @throws LastcallError `store` if an exchange could not be written. */
  close(): Promise<void>;
}

/** Headers of a response that a client may act on. A client gets only these from the recorder, as it does from a replay. */
const keptHeaders =
  /^(?:content-type|retry-after|retry-after-ms|x-should-retry|(?:x-)?request-id|[\w-]*ratelimit[\w-]*)$/;

/** Headers of the connection, and the compression: the upstream's bytes are kept as text. */
const ofConnection =
  /^(?:host|connection|content-length|transfer-encoding|accept-encoding|keep-alive|expect|upgrade|te)$/;

/**
 * Starts a recorder. It passes bytes on as they come, and keeps each response with the times of its pieces, also a refusal and a connection
 * that was cut. It keeps no header of a request. Secrets are replaced by `[redacted: kind]` before anything is written.
 * @throws LastcallError `configuration` if the file is there already, or can't be written or read, or the upstream is no address.
 */
export async function recordingProvider(options: RecordingOptions): Promise<RecordingProvider> {
  checkOptions("recordingProvider", options, recordingOptions);
  const { upstream, file, headers = {}, folder = process.cwd(), record = "all" } = options;
  expectAddress(upstream, file);
  const { opening, exchanges } = await begin(options);
  const tape = new Tape(exchanges);
  const secrets = new Secrets(options.secrets ?? []);
  const departures: string[] = [];
  let recorded = 0;
  let number = 0;
  let broken: unknown;

  async function answer(request: ArrivedRequest, outgoing: ServerResponse): Promise<void> {
    const redact = secrets.with({ path: request.path, headers: { ...request.headers, ...headers } });
    const kept = keptRequest(request, redact, { ignore: opening.ignore, folder });
    number += 1;
    const known = tape.take(kept);
    if (known !== undefined) return play(known, outgoing, false);
    if (record === "missing" && exchanges.length > 0) departures.push(tape.departure(kept, number));
    const startedAt = performance.now();
    const response = await passOn(request, { upstream, headers }, outgoing);
    const passed = [...response.headers].filter(([name]) => keptHeaders.test(name));
    outgoing.writeHead(response.status, Object.fromEntries(passed));
    outgoing.flushHeaders();
    const pieces: Piece[] = [];
    let end: Exchange["response"]["end"] = "complete";
    try {
      for await (const bytes of response.body ?? []) {
        pieces.push({ at: Math.round(performance.now() - startedAt), bytes: Buffer.from(bytes as Uint8Array) });
        await new Promise((resolve) => outgoing.write(bytes, resolve));
      }
    } catch {
      // The upstream cut the connection, or the client left. Both are an end of the response.
      end = "cut";
    }
    const line = {
      status: response.status,
      headers: redact.data(Object.fromEntries(passed)),
      chunks: chunksOf(pieces, redact),
      end,
    };
    // The line is written before the client sees the end, so that a client that ends the process loses nothing.
    appendFileSync(file, `${JSON.stringify({ request: kept, response: line } satisfies Exchange)}\n`);
    recorded += 1;
    if (end === "cut") outgoing.socket?.resetAndDestroy();
    else outgoing.end();
  }

  const { origin, close } = await loopbackServer((incoming, outgoing) => {
    arrived(incoming)
      .then((request) => answer(request, outgoing))
      .catch((thrown: unknown) => {
        if (!outgoing.headersSent) {
          sendError(outgoing, 502, "upstream_unreachable", `${upstream} can't be reached: ${reasonOf(thrown)}`);
          return;
        }
        broken ??= thrown;
        outgoing.destroy();
      });
  });
  const end = async (): Promise<void> => {
    await close();
    if (broken !== undefined)
      throw new LastcallError("store", `The recording ${file} lacks a response: ${explain(broken)}`, { cause: broken });
  };
  return {
    url: `${origin}/v1`,
    departures,
    get recorded() {
      return recorded;
    },
    close: end,
    [Symbol.asyncDispose]: end,
  };
}

/** A fetch function takes no user in an address, and a message that names the address must not tell a password. */
function expectAddress(upstream: string, file: string): void {
  const url = URL.canParse(upstream) ? new URL(upstream) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw new LastcallError("configuration", `The upstream of ${file} is no http or https address.`);
  if (url.username + url.password + url.search !== "")
    throw new LastcallError(
      "configuration",
      `The upstream of ${file} has a user, a password or a query in its address. Leave it out, and give a header instead.`,
    );
}

/** The opening and the exchanges to begin with. A new file gets its first line. */
async function begin({
  file,
  record = "all",
  ignore = ignorings,
  labels = {},
  secrets = [],
}: RecordingOptions): Promise<Awaited<ReturnType<typeof readCassette>>> {
  const unknown: string | undefined = ignore.find((name) => !ignorings.includes(name));
  if (unknown !== undefined) {
    const message = `recordingProvider: "${unknown}" can't be ignored; ${ignorings.join(" and ")} can.`;
    throw new LastcallError("configuration", message);
  }
  const opening: Opening = { cassette: 1, ignore, labels: redactor({ values: secrets }).data(labels) };
  try {
    // Others must not read what a model was told.
    await writeFile(file, `${JSON.stringify(opening)}\n`, { flag: "wx", mode: 0o600 });
    return { opening, exchanges: [] };
  } catch (thrown) {
    const isThere = (thrown as NodeJS.ErrnoException).code === "EEXIST";
    if (isThere && record === "missing") return readCassette(file);
    const message = isThere
      ? `The cassette ${file} is there already. Delete it to record anew, or record what is missing (--record missing).`
      : `The cassette ${file} can't be written: ${explain(thrown)}`;
    throw new LastcallError("configuration", message, { cause: thrown });
  }
}

/** Sends the request to the upstream. It ends when the client leaves. */
function passOn(
  { method, path, headers, bytes }: ArrivedRequest,
  { upstream, headers: own }: { readonly upstream: string; readonly headers: Readonly<Record<string, string>> },
  outgoing: ServerResponse,
): Promise<Response> {
  const abort = new AbortController();
  outgoing.once("close", () => {
    abort.abort();
  });
  const given = Object.entries(headers).flatMap(([name, value]) =>
    ofConnection.test(name) || value === undefined ? [] : [[name, String(value)] as [string, string]],
  );
  const sent = new Headers([...given, ["accept-encoding", "identity"]]);
  for (const [name, value] of Object.entries(own)) sent.set(name, value);
  return fetch(`${upstream.replace(/\/$/, "")}${path}`, {
    method,
    headers: sent,
    // A redirect would take the key to another server.
    redirect: "manual",
    signal: abort.signal,
    ...(bytes.length > 0 && { body: bytes }),
  });
}

/** The innermost reason: "fetch failed" alone explains nothing. */
function reasonOf(thrown: unknown): string {
  return thrown instanceof Error && thrown.cause !== undefined ? reasonOf(thrown.cause) : explain(thrown);
}
