// A scripted provider: a real HTTP server on loopback that speaks chat completions and responses, streamed, from a script.

/// <reference lib="esnext.disposable" preserve="true" />

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { LastcallError } from "../../core/index.js";
import { explain, isPlainObject } from "../../core/internal.js";
import { chunksOf } from "./chunks.js";
import { eventsOf } from "./response-events.js";
import { speaker, type Script, type ScriptedError, type ScriptedReply } from "./script.js";

/** A request as it came. */
export interface ProviderRequest {
  readonly path: string;
  /** By their names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: {
    readonly model: string;
    /** Empty where the request went to `/responses`: what it has is `input`. */
    readonly messages: readonly Readonly<Record<string, unknown>>[];
    readonly input?: readonly Readonly<Record<string, unknown>>[];
    readonly tools?: readonly unknown[];
    readonly tool_choice?: unknown;
    readonly [key: string]: unknown;
  };
}

/** A provider that is running. */
export interface ScriptedProvider extends AsyncDisposable {
  /** The base URL to give to a client: `http://127.0.0.1:<port>/v1`. */
  readonly url: string;
  /** Every request for a reply so far, in order. */
  readonly requests: readonly ProviderRequest[];
  /** Steps of the script that nobody asked for yet. */
  readonly unsaid: number;
  close(): Promise<void>;
}

/**
 * Starts a provider on a free port of 127.0.0.1. It says the script to whoever asks, as a chat completion or, under a path
 * that ends with `/responses`, as a response, by what was asked. Asked for more than its script it answers 400 with the code
 * `script_spent`. `GET /v1/models` lists one model, `scripted`.
 */
export async function scriptedProvider(script: Script): Promise<ScriptedProvider> {
  const speaking = speaker(script);
  const requests: ProviderRequest[] = [];
  const server = createServer((incoming, outgoing) => {
    answer(incoming, outgoing).catch((thrown: unknown) => {
      if (outgoing.headersSent) outgoing.destroy();
      else fail(outgoing, { status: 400, code: "script_spent", message: explain(thrown) });
    });
  });

  async function answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const path = incoming.url ?? "";
    if (path.endsWith("/models")) {
      json(outgoing, 200, {
        object: "list",
        data: [{ id: "scripted", object: "model", created: 0, owned_by: "lastcall" }],
      });
      return;
    }
    const isResponse = path.endsWith("/responses");
    const sent = JSON.parse(await readText(incoming)) as ProviderRequest["body"];
    const body = isResponse ? { ...sent, messages: [] } : sent;
    requests.push({ path, headers: headersOf(incoming), body });
    const step = speaking.say(lastText(body));
    if ("status" in step) fail(outgoing, step);
    else
      await say(outgoing, step, isResponse ? responseLines(step, requests.length) : chatLines(step, requests.length));
  }

  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => {
        resolve();
      });
      server.closeAllConnections();
    });
  return {
    url: `http://127.0.0.1:${String(port)}/v1`,
    requests,
    get unsaid() {
      return speaking.unsaid();
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** What is sent of a reply, event by event. */
interface Lines {
  readonly content: readonly string[];
  /** The finish reason and what follows it. */
  readonly finish: readonly string[];
  /** The mark of the end, if there is one. */
  readonly end: readonly string[];
}

function chatLines(reply: ScriptedReply, number: number): Lines {
  const { content, finish } = chunksOf(reply, number);
  const line = (chunk: object): string => `data: ${JSON.stringify(chunk)}\n\n`;
  return { content: content.map(line), finish: finish.map(line), end: ["data: [DONE]\n\n"] };
}

function responseLines(reply: ScriptedReply, number: number): Lines {
  const { content, finish } = eventsOf(reply, number);
  const line = (event: { readonly type: string }): string => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
  return { content: content.map(line), finish: finish.map(line), end: [] };
}

async function say(outgoing: ServerResponse, reply: ScriptedReply, { content, finish, end }: Lines): Promise<void> {
  const { delay = 0, pause = 0, split, cut, cutAfter } = reply;
  if (delay > 0) await sleep(delay);
  const lines = [...content];
  if (cut === undefined || cutAfter !== undefined) lines.push(...finish);
  if (cut === undefined) lines.push(...end);
  outgoing.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  outgoing.flushHeaders();
  for (const part of parts(lines, split, cutAfter)) {
    if (outgoing.destroyed) return;
    await new Promise((resolve) => outgoing.write(part, resolve));
    if (pause > 0) await sleep(pause);
  }
  if (cut === "reset") outgoing.socket?.resetAndDestroy();
  else outgoing.end();
}

/** The bytes to write, one part a write. */
function parts(lines: readonly string[], split: number | undefined, most: number | undefined): readonly Buffer[] {
  if (split === undefined && most === undefined) return lines.map((line) => Buffer.from(line));
  const bytes = Buffer.from(lines.join("")).subarray(0, most);
  if (split !== undefined && !(split > 0)) throw new LastcallError("script", "A split of 0 bytes: give at least 1.");
  const size = split ?? bytes.length;
  const all: Buffer[] = [];
  for (let start = 0; start < bytes.length; start += size) all.push(bytes.subarray(start, start + size));
  return all;
}

function headersOf({ headers }: IncomingMessage): ProviderRequest["headers"] {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}

function fail(outgoing: ServerResponse, { status, message, code, headers = {} }: ScriptedError): void {
  json(
    outgoing,
    status,
    { error: { message: message ?? `scripted ${String(status)}`, type: "scripted", code: code ?? null } },
    headers,
  );
}

function json(
  outgoing: ServerResponse,
  status: number,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): void {
  outgoing.writeHead(status, { "content-type": "application/json", ...headers });
  outgoing.end(JSON.stringify(body));
}

async function readText(incoming: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of incoming) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString();
}

function lastText({ messages, input = messages }: ProviderRequest["body"]): string {
  const last = input.at(-1);
  const text = isPlainObject(last) ? (last["content"] ?? last["output"]) : undefined;
  return typeof text === "string" ? text : "";
}
