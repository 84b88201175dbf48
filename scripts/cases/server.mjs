// A server on 127.0.0.1 that sends prepared bytes, request by request, and records the requests.

import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

/**
 * A request and its reply.
 * @typedef {object} Exchange
 * @property {string} text the raw body
 * @property {Readonly<Record<string, any>>} body
 * @property {"history" | "case" | "end"} from the kind of reply: an earlier turn, a reply of the case, or the one that ends the run
 * @property {boolean} isSent true once sending the last part of the reply has begun
 */

/** Starts the server. `answer(number, body)` returns the reply to the n-th request (from 1) as `{ from, reply }`. */
export async function startServer(answer) {
  /** @type {Exchange[]} */
  const exchanges = [];
  const server = createServer((incoming, outgoing) => {
    respond(incoming, outgoing).catch(() => outgoing.destroy());
  });

  async function respond(incoming, outgoing) {
    const text = await readText(incoming);
    const body = JSON.parse(text);
    const { from, reply } = answer(exchanges.length + 1, body);
    const exchange = { text, body, from, isSent: false };
    exchanges.push(exchange);
    await send(outgoing, reply, exchange);
    if (reply.end === "fin") outgoing.end();
    if (reply.end === "reset") outgoing.socket?.resetAndDestroy();
  }

  await new Promise((resolve, reject) => server.once("error", reject).listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}/v1`,
    exchanges,
    close: () =>
      new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      }),
  };
}

/** Writes each part separately with a short pause, so that a client that acts before the end of the stream is noticed. */
async function send(outgoing, { status = 200, headers, parts, end }, exchange) {
  outgoing.writeHead(status, headers);
  outgoing.flushHeaders();
  if (parts.length === 0) exchange.isSent = true;
  for (const [index, part] of parts.entries()) {
    if (outgoing.destroyed) return;
    if (index === parts.length - 1) exchange.isSent = true;
    if (part.length > 0) await new Promise((resolve) => outgoing.write(part, resolve));
    await sleep(parts.length > 1 && parts.length < 50 ? 2 : 0);
  }
  if (end === "reset") await sleep(20);
}

async function readText(incoming) {
  const pieces = [];
  for await (const piece of incoming) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}
