// A proxy on loopback before the server of a model. It passes all bytes on as they come, and keeps each request and its answer.

import { createServer, request as send } from "node:http";
import { once } from "node:events";

/**
 * Starts the proxy.
 * @param {string} baseURL The server's base URL.
 * @returns {Promise<{ baseURL: string, take: () => object[], stop: () => void }>} `take` returns the exchanges since its last call:
 * `{ path, request, status, type, body, end, ms, firstMs }`. `end` is `whole`, `broken` (by the server) or `left` (by the caller).
 */
export async function startRecorder(baseURL) {
  let exchanges = [];
  const target = new URL(baseURL);
  const server = createServer((incoming, outgoing) => {
    const exchange = { path: incoming.url, request: undefined, status: 0, type: "", body: "", end: "left", ms: 0 };
    const began = performance.now();
    const [asked, answered] = [[], []];
    exchanges.push(exchange);
    incoming.on("data", (bytes) => asked.push(bytes));
    incoming.on("end", () => {
      const body = Buffer.concat(asked);
      exchange.request = asJson(body.toString("utf8"));
      const { host: _, ...headers } = incoming.headers;
      const onward = { host: target.hostname, port: target.port, path: incoming.url, method: incoming.method, headers };
      const sent = send(onward, (answer) => {
        Object.assign(exchange, { status: answer.statusCode, type: answer.headers["content-type"] ?? "" });
        outgoing.writeHead(answer.statusCode, answer.headers);
        answer.on("data", (bytes) => {
          exchange.firstMs ??= Math.round(performance.now() - began);
          answered.push(bytes);
          outgoing.write(bytes);
        });
        answer.on("close", () => {
          exchange.body = Buffer.concat(answered).toString("utf8");
          exchange.ms = Math.round(performance.now() - began);
          if (answer.complete) exchange.end = "whole";
          else if (!outgoing.destroyed) exchange.end = "broken";
          if (answer.complete) outgoing.end();
          else outgoing.destroy();
        });
      });
      sent.on("error", () => outgoing.destroy());
      outgoing.on("close", () => sent.destroy());
      sent.end(body);
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const own = `http://127.0.0.1:${String(server.address().port)}${target.pathname}`;
  function take() {
    const taken = exchanges;
    exchanges = [];
    return taken;
  }
  function stop() {
    server.closeAllConnections();
    server.close();
  }
  return { baseURL: own, take, stop };
}

function asJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
