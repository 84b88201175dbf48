// A listener on this machine for a fetch function.

import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { LastcallError } from "../../core/index.js";
import { explain } from "../../core/internal.js";

/** A listener that is open. */
export interface Listener {
  readonly port: number;
  close(): Promise<void>;
}

/**
 * Listens on 127.0.0.1. Port 0 is any that is free.
 * @param say Told the requests that failed.
 * @throws LastcallError `configuration` if the port can't be listened on.
 */
export async function listenOn(
  port: number,
  handle: (request: Request) => Promise<Response>,
  say: (line: string) => void,
): Promise<Listener> {
  const server = createServer((incoming, outgoing) => {
    answer(incoming, outgoing, handle).catch((thrown: unknown) => {
      // A caller that has gone away needs no answer.
      if (outgoing.destroyed) return;
      say(`A request failed: ${explain(thrown)}`);
      if (outgoing.headersSent) outgoing.destroy();
      else outgoing.writeHead(500).end();
    });
  });
  try {
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
  } catch (thrown) {
    throw new LastcallError("configuration", `--port ${String(port)} can't be listened on: ${explain(thrown)}.`, {
      cause: thrown,
    });
  }
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

async function answer(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  handle: (request: Request) => Promise<Response>,
): Promise<void> {
  const left = new AbortController();
  outgoing.once("close", () => {
    left.abort();
  });
  const headers = Object.entries(incoming.headersDistinct).flatMap(([name, values = []]) =>
    values.map((value): [string, string] => [name, value]),
  );
  const { method = "GET", url = "/" } = incoming;
  const body = method === "GET" || method === "HEAD" ? null : Readable.toWeb(incoming);
  const request = new Request(new URL(url, "http://127.0.0.1"), {
    method,
    headers,
    body,
    duplex: "half",
    signal: left.signal,
  });
  const response = await handle(request);
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  if (response.body === null) outgoing.end();
  else await pipeline(Readable.fromWeb(response.body), outgoing);
}
