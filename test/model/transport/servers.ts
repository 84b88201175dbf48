// Servers on 127.0.0.1 for the tests of the transport.

import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Server } from "node:net";
import { onTestFinished } from "vitest";
import { dispatcherFor } from "../../../src/model/transport/dispatcher.js";
import type { HttpAnswer, HttpRequest, Transport } from "../../../src/model/transport/http-answer.js";
import { overDispatcher } from "../../../src/model/transport/send.js";

/** Starts a server until the test ends. Returns its origin. */
export async function listening(server: Server, scheme = "http"): Promise<string> {
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => {
    if ("closeAllConnections" in server) (server.closeAllConnections as () => void)();
    server.close();
  });
  return `${scheme}://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
}

/** Starts a server that answers each request with `answer`, once it has read its body. */
export function answering(
  answer: (response: ServerResponse, request: IncomingMessage, body: string) => void,
): Promise<string> {
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      answer(response, request, Buffer.concat(parts).toString());
    });
  });
  return listening(server);
}

/** The dispatcher that models use. */
export const direct: Transport = overDispatcher((url) => dispatcherFor(url, {}));

/** A request with this body. */
export function requestTo(url: string, body: string | readonly Uint8Array[] = "{}"): HttpRequest {
  const parts = typeof body === "string" ? [Buffer.from(body)] : body;
  return { url: new URL(url), headers: { "x-own": "1" }, body: parts, timeout: 10_000 };
}

/** The text of a body. */
export async function textOf({ source }: HttpAnswer): Promise<string> {
  const pieces: Uint8Array[] = [];
  for (let bytes = await source.read(); bytes !== undefined; bytes = await source.read()) pieces.push(bytes);
  return Buffer.concat(pieces).toString();
}
