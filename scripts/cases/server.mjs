// A server on 127.0.0.1 that sends prepared bytes, request by request, and keeps what it was asked.

import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

/**
 * A request and what it was answered with.
 * @typedef {object} Exchange
 * @property {string} text the body as it came
 * @property {Readonly<Record<string, any>>} body
 * @property {"history" | "case" | "end"} from which reply it got: an earlier turn, the case's, or the one that ends the run
 * @property {boolean} isSent true once the last part of the reply is on its way
 */

/** Starts the server. `answer(number, body)` says what the n-th request (from 1) gets: `{ from, reply }`. */
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

/** Writes the parts, each as a write of its own, with a moment between them, so that early reading shows. */
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
