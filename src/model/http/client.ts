// The client of the openai package, loaded at the first request.

import type OpenAI from "openai";

/** Sends one request and returns the response as it begins. */
export type Post = (path: string, body: string, signal: AbortSignal) => Promise<Response>;

/** Makes a sender. `timeout` is the milliseconds a response may take to begin. */
export function client(baseURL: string, apiKey: string, timeout: number): Post {
  let connecting: Promise<OpenAI> | undefined;

  async function connect(): Promise<OpenAI> {
    const { default: Client } = await import("openai");
    return new Client({ baseURL, apiKey, organization: null, project: null, maxRetries: 0 });
  }

  return async (path, body, signal) => {
    connecting ??= connect();
    // A text with its content type goes out as it is; the package's own methods would write the whole history anew.
    const headers = { "content-type": "application/json" };
    return (await connecting).post(path, { body, headers, stream: true, signal, timeout }).asResponse();
  };
}
