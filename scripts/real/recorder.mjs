// A proxy on loopback before the server of a model. It passes all bytes on as they come, and keeps each request and its answer.

import { createServer, request as send } from "node:http";
import { once } from "node:events";

/**
 * Starts the proxy.
 * @param {string} baseURL The server's base URL.
 * @returns {Promise<{ baseURL: string, take: () => Promise<object[]>, stop: () => void }>} `take` returns the exchanges since its last call
 * once they have ended: `{ path, request, status, type, body, end, ms, firstMs }`. `end` is `whole`, `broken` (by the server) or `left`
 * (by the caller). A stream is whole at its end marker.
 */
export async function startRecorder(baseURL) {
  let exchanges = [];
  const target = new URL(baseURL);
  const server = createServer((incoming, outgoing) => exchanges.push(passOn(target, incoming, outgoing)));
  await once(server.listen(0, "127.0.0.1"), "listening");
  const own = `http://127.0.0.1:${String(server.address().port)}${target.pathname}`;
  function take() {
    const taken = exchanges;
    exchanges = [];
    return Promise.all(taken);
  }
  function stop() {
    server.closeAllConnections();
    server.close();
  }
  return { baseURL: own, take, stop };
}

/** Passes a request on, and its answer back. Resolves with the exchange when the answer has ended, or can't come any more. */
async function passOn(target, incoming, outgoing) {
  const began = performance.now();
  const asked = await bytesOf(incoming);
  const request = asJson(asked.toString("utf8"));
  const exchange = { path: incoming.url, request, status: 0, type: "", body: "", end: "left", ms: 0, firstMs: 0 };
  const { host: _, ...headers } = incoming.headers;
  const address = { host: target.hostname, port: target.port, path: incoming.url, method: incoming.method };
  // Each request has a connection of its own, because a server may close a connection that it said it would keep.
  const sent = send({ ...address, headers, agent: false });
  outgoing.on("close", () => sent.destroy());
  sent.end(asked);
  const pieces = [];
  try {
    const [answer] = await once(sent, "response");
    Object.assign(exchange, { status: answer.statusCode, type: answer.headers["content-type"] ?? "" });
    outgoing.writeHead(answer.statusCode, answer.headers);
    for await (const bytes of answer) {
      exchange.firstMs ||= Math.round(performance.now() - began);
      pieces.push(bytes);
      outgoing.write(bytes);
    }
    exchange.end = "whole";
    outgoing.end();
  } catch {
    // The caller may leave at the end marker, before the server ends its answer.
    if (!outgoing.destroyed) exchange.end = "broken";
    outgoing.destroy();
  }
  exchange.body = Buffer.concat(pieces).toString("utf8");
  if (/^data: \[DONE\]$/m.test(exchange.body)) exchange.end = "whole";
  exchange.ms = Math.round(performance.now() - began);
  return exchange;
}

function asJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

async function bytesOf(stream) {
  const pieces = [];
  for await (const bytes of stream) pieces.push(bytes);
  return Buffer.concat(pieces);
}
