// Replay: what a provider once answered, sent again over TCP byte for byte, or hurt in some way.

import { createServer, type AddressInfo, type Socket } from "node:net";
import { setImmediate as turn } from "node:timers/promises";
import { scriptedProvider, type RequestBody, type ScriptedReply } from "../../src/testing/index.js";

/** What comes before the body of every answer. It has no length: where the connection ends, the body does. */
export const head: Buffer = Buffer.from(
  "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n",
);

/** The API that something is recorded of. */
export type RecordedApi = "chat/completions" | "responses";

/** The whole answer of a provider that says this, as it went over the wire. */
export async function recorded(reply: ScriptedReply, api: RecordedApi): Promise<Buffer> {
  await using provider = await scriptedProvider([reply]);
  const body = JSON.stringify({ model: "scripted", messages: [], input: [], stream: true });
  const response = await fetch(`${provider.url}/${api}`, { method: "POST", body });
  return Buffer.concat([head, Buffer.from(await response.arrayBuffer())]);
}

/** A server that answers with bytes. */
export interface ReplayServer extends AsyncDisposable {
  readonly url: string;
  /** Every request so far, in order. */
  readonly requests: readonly (RequestBody & { readonly path: string })[];
}

/** The segments of the answer to the n-th request, from 1; after them the connection is ended cleanly. */
export type Answers = (number: number, request: RequestBody) => readonly Buffer[];

/** Starts a server on a free port of 127.0.0.1. */
export async function replayServer(answers: Answers): Promise<ReplayServer> {
  const requests: (RequestBody & { readonly path: string })[] = [];
  const sockets = new Set<Socket>();
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    // Whoever hangs up early is not the server's trouble.
    socket.on("error", () => socket.destroy());
    void readRequest(socket).then(async (request) => {
      requests.push(request);
      for (const segment of answers(requests.length, request)) await send(socket, segment);
      socket.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/v1`,
    requests,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        for (const socket of sockets) socket.destroy();
      }),
  };
}

/** Sends it, and gives the reader time to get it before the next. */
async function send(socket: Socket, segment: Buffer): Promise<void> {
  if (socket.destroyed) return;
  await new Promise((resolve) => socket.write(segment, resolve));
  await turn();
  await turn();
}

function readRequest(socket: Socket): Promise<RequestBody & { readonly path: string }> {
  return new Promise((resolve) => {
    let bytes = Buffer.alloc(0);
    const read = (piece: Buffer): void => {
      bytes = Buffer.concat([bytes, piece]);
      const end = bytes.indexOf("\r\n\r\n");
      if (end < 0) return;
      const headers = bytes.toString("latin1", 0, end);
      const length = Number(/content-length: (\d+)/i.exec(headers)?.[1] ?? 0);
      if (bytes.length < end + 4 + length) return;
      socket.off("data", read);
      socket.resume();
      const [, path = ""] = headers.split(" ");
      resolve({ ...(JSON.parse(bytes.toString("utf8", end + 4)) as RequestBody), path });
    };
    socket.on("data", read);
  });
}
