// A scripted provider: a real HTTP server on loopback that streams chat completions and responses from a script.

/// <reference lib="esnext.disposable" preserve="true" />

import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { LastcallError } from "../../core/index.js";
import { explain, isPlainObject } from "../../core/internal.js";
import { chunksOf, completionOf } from "./chunks.js";
import { loopbackServer } from "./loopback-server.js";
import { eventsOf } from "./response-events.js";
import { speaker, type Script, type ScriptedError, type ScriptedReply } from "./script.js";

/** A request that the provider got. */
export interface ProviderRequest {
  readonly path: string;
  /** The headers by their lower-case names. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: {
    readonly model: string;
    /** Empty for a request to `/responses`, which has `input` instead. */
    readonly messages: readonly Readonly<Record<string, unknown>>[];
    readonly input?: readonly Readonly<Record<string, unknown>>[];
    readonly tools?: readonly unknown[];
    readonly tool_choice?: unknown;
    readonly [key: string]: unknown;
  };
}

/** A running provider. */
export interface ScriptedProvider extends AsyncDisposable {
  /** The base URL for clients: `http://127.0.0.1:<port>/v1`. */
  readonly url: string;
  /** All requests for a reply so far, in order. */
  readonly requests: readonly ProviderRequest[];
  /** The number of steps of the script that are left. */
  readonly unsaid: number;
  close(): Promise<void>;
}

/**
 * Starts a provider on a free port of 127.0.0.1. It answers each request with the next step of the script: as a response if the
 * path ends with `/responses`, otherwise as a chat completion; as server-sent events if the request has `stream: true`, otherwise as one
 * JSON body. When the script has no more steps, it answers 400 with the code
 * `script_spent`. A path that ends with `/models` lists one model, `scripted`.
 */
export async function scriptedProvider(script: Script): Promise<ScriptedProvider> {
  const speaking = speaker(script);
  const requests: ProviderRequest[] = [];
  const server = await loopbackServer((incoming, outgoing) => {
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
    else await say(outgoing, step, linesOf(step, requests.length, { isResponse, isStream: body["stream"] === true }));
  }

  const { origin, close } = server;
  return {
    url: `${origin}/v1`,
    requests,
    get unsaid() {
      return speaking.unsaid();
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** The lines that are sent for a reply, one text per event. */
interface Lines {
  /** The content type. */
  readonly type: "text/event-stream" | "application/json";
  readonly content: readonly string[];
  /** The finish reason and the lines after it. */
  readonly finish: readonly string[];
  /** The end marker; empty for the Responses API, which has none. */
  readonly end: readonly string[];
}

/** The form in which a request wants its reply. */
interface WantedForm {
  readonly isResponse: boolean;
  readonly isStream: boolean;
}

function linesOf(reply: ScriptedReply, number: number, { isResponse, isStream }: WantedForm): Lines {
  if (isStream) return isResponse ? responseLines(reply, number) : chatLines(reply, number);
  const last = eventsOf(reply, number).finish.at(-1) as { readonly response?: object } | undefined;
  const text = JSON.stringify(isResponse ? last?.response : completionOf(reply, number));
  // A body that is cut lacks its second half.
  const half = Math.ceil(text.length / 2);
  return { type: "application/json", content: [text.slice(0, half)], finish: [text.slice(half)], end: [] };
}

function chatLines(reply: ScriptedReply, number: number): Lines {
  const { content, finish } = chunksOf(reply, number);
  const line = (chunk: object): string => `data: ${JSON.stringify(chunk)}\n\n`;
  return { ...events, content: content.map(line), finish: finish.map(line), end: ["data: [DONE]\n\n"] };
}

function responseLines(reply: ScriptedReply, number: number): Lines {
  const { content, finish } = eventsOf(reply, number);
  const line = (event: { readonly type: string }): string => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
  return { ...events, content: content.map(line), finish: finish.map(line), end: [] };
}

const events = { type: "text/event-stream" } as const;

async function say(
  outgoing: ServerResponse,
  reply: ScriptedReply,
  { type, content, finish, end }: Lines,
): Promise<void> {
  const { delay = 0, pause = 0, split, cut, cutAfter } = reply;
  if (delay > 0) await sleep(delay);
  const lines = [...content];
  if (cut === undefined || cutAfter !== undefined) lines.push(...finish);
  if (cut === undefined) lines.push(...end);
  outgoing.writeHead(200, { "content-type": type, "cache-control": "no-cache" });
  outgoing.flushHeaders();
  for (const part of parts(lines, split, cutAfter)) {
    if (outgoing.destroyed) return;
    await new Promise((resolve) => outgoing.write(part, resolve));
    if (pause > 0) await sleep(pause);
  }
  if (cut === "reset") outgoing.socket?.resetAndDestroy();
  else outgoing.end();
}

/** The bytes to send, divided into writes of `split` bytes and limited to `cutAfter` bytes. */
function parts(lines: readonly string[], split: number | undefined, cutAfter: number | undefined): readonly Buffer[] {
  if (split === undefined && cutAfter === undefined) return lines.map((line) => Buffer.from(line));
  const bytes = Buffer.from(lines.join("")).subarray(0, cutAfter);
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
  if (!Array.isArray(text)) return typeof text === "string" ? text : "";
  return text
    .flatMap((part: unknown) => (isPlainObject(part) && typeof part["text"] === "string" ? [part["text"]] : []))
    .join("\n");
}
