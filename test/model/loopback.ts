// A server on 127.0.0.1 that answers each request as a test says, and keeps the requests.

import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";

/** A request as it arrived. */
export interface Received {
  /** The path with the query. */
  readonly path: string;
  readonly text: string;
  readonly headers: IncomingHttpHeaders;
  readonly messages: readonly Readonly<Record<string, unknown>>[];
  /** The name of the form in which a call is asked for; undefined without tools. */
  readonly choice: unknown;
}

/** An answer: its status and its body. A list is the events of a stream; a text is sent unchanged. */
export interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: unknown;
}

export interface Loopback extends AsyncDisposable {
  readonly url: string;
  readonly requests: readonly Received[];
}

/** Starts the server. `answer` takes the number of the request, from 1, and the request. */
export async function loopback(answer: (number: number, request: Received) => Answer): Promise<Loopback> {
  const requests: Received[] = [];
  const server = createServer((incoming, response) => {
    const parts: Buffer[] = [];
    incoming.on("data", (part: Buffer) => parts.push(part));
    incoming.on("end", () => {
      const text = Buffer.concat(parts).toString();
      const { messages = [], tool_choice: choice } = JSON.parse(text) as Partial<Received> & { tool_choice?: unknown };
      const request = { path: incoming.url ?? "", text, messages, choice, headers: incoming.headers };
      requests.push(request);
      const { status = 200, headers, body } = answer(requests.length, request);
      const isStream = Array.isArray(body) || (typeof body === "string" && /^(?:data|event|:)/.test(body));
      response.writeHead(status, { "content-type": isStream ? "text/event-stream" : "application/json", ...headers });
      response.end(typeof body === "string" ? body : isStream ? events(body) : JSON.stringify(body));
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/v1`,
    requests,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Frames as server-sent events, with the end marker. */
export function events(frames: unknown): string {
  return `${(frames as readonly unknown[]).map((frame) => `data: ${JSON.stringify(frame)}\n\n`).join("")}data: [DONE]\n\n`;
}

/** A chunk of a completion. */
export function chunk(delta: object, finish: string | null = null): object {
  return { id: "c", choices: [{ index: 0, delta, finish_reason: finish }] };
}

/** The chunks of a completion with one call; `extra` stands beside the call. */
export function calling(name: string, input: object, extra: object = {}): readonly object[] {
  const piece = { index: 0, id: "call_1", type: "function", function: { name, arguments: JSON.stringify(input) } };
  return [chunk({ role: "assistant", ...extra }), chunk({ tool_calls: [piece] }), chunk({}, "tool_calls")];
}

/** The chunks of a completion that ends a run. */
export const done = calling("task_completion", { result: "done" });
