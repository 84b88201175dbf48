// The openai package, loaded at the first request: it makes the head of a request and the error for a refused one.

import type OpenAI from "openai";
import type { AnswerHeaders } from "../transport/ports.js";
import { errorIn } from "./error-body.js";

/** The server that requests go to. */
export interface Receiver {
  readonly baseURL: string;
  readonly apiKey: string;
  /** More headers for each request. */
  readonly headers: Readonly<Record<string, string>>;
  /** Milliseconds until a response must begin. */
  readonly timeout: number;
}

/** The head of a request: all but its body. */
export interface RequestHead {
  readonly url: URL;
  /** The headers, by their names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
}

/** The parts of the package that are used. */
export interface OpenAIPackage {
  /** Makes the head of the requests to a path under the base URL. It is the same for every request. */
  head(receiver: Receiver, path: string): Promise<RequestHead>;
  /** The error for an answer with this status and this text. */
  refusal(status: number, text: string, headers: AnswerHeaders): Error;
}

let loading: Promise<OpenAIPackage> | undefined;

/** Loads the package once per process. */
export function openaiPackage(): Promise<OpenAIPackage> {
  loading ??= load();
  return loading;
}

async function load(): Promise<OpenAIPackage> {
  const { default: Client } = await import("openai");
  // One client serves all models: the address and the key are given with each head.
  const identity = { organization: null, project: null };
  const client = new Client({ baseURL: "http://localhost", apiKey: "none", ...identity, maxRetries: 0 });
  return {
    head: (receiver, path) => headOf(client, receiver, path),
    refusal(status, text, headers) {
      const error = text === "" ? undefined : errorIn(parsed(text));
      return Client.APIError.generate(status, { error }, undefined, headersOf(headers));
    },
  };
}

async function headOf(client: OpenAI, receiver: Receiver, path: string): Promise<RequestHead> {
  const { baseURL, apiKey, headers: more, timeout } = receiver;
  const given = Object.entries(more).map(([name, value]) => [name.toLowerCase(), value] as const);
  const headers = {
    authorization: `Bearer ${apiKey}`,
    "content-type": "application/json",
    ...Object.fromEntries(given),
  };
  const address = `${baseURL.replace(/\/$/, "")}${path}`;
  const { req, url } = await client.buildRequest({ method: "post", path: address, headers, timeout });
  return { url: new URL(url), headers: Object.fromEntries(new Headers(req.headers)) };
}

/** The headers that errors are read for. The package takes only a whole set of headers. */
const readHeaders = ["retry-after", "retry-after-ms", "x-request-id", "x-should-retry"];

function headersOf(headers: AnswerHeaders): Headers {
  return new Headers(
    readHeaders.flatMap((name) => {
      const value = headers.get(name);
      return value === null ? [] : [[name, value] as [string, string]];
    }),
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
