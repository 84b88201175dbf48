// Sends requests with the client of the openai package, which is loaded at the first request.

import type OpenAI from "openai";

/** Sends one request and returns the response once its headers arrive. */
export type Post = (path: string, body: string, signal: AbortSignal) => Promise<Response>;

/** Makes a function that posts requests. `timeout` is the milliseconds until the response must begin. */
export function client(baseURL: string, apiKey: string, timeout: number): Post {
  let connecting: Promise<OpenAI> | undefined;

  async function connect(): Promise<OpenAI> {
    const { default: Client } = await import("openai");
    return new Client({ baseURL, apiKey, organization: null, project: null, maxRetries: 0 });
  }

  return async (path, body, signal) => {
    connecting ??= connect();
    // A string body is sent unchanged; the package's own methods would serialize the whole history again.
    const headers = { "content-type": "application/json" };
    return (await connecting).post(path, { body, headers, stream: true, signal, timeout }).asResponse();
  };
}
