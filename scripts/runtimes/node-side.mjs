// The side of Node for tests in a runtime that can't listen: it serves the bundled files, and listens for them. A server that a test starts is
// a real one here. Its requests go to the test as events of one long answer, and the test says what is written.

import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";

/** Starts it. `dataFiles` are the texts of files that tests read, by path. `send` says how the runtime may reach what is at the URL. */
export async function startNodeSide(folder, dataFiles) {
  const visits = new Map();
  const main = createServer((request, response) => {
    allow(request, response);
    if (request.method === "OPTIONS") return void response.writeHead(204).end();
    answer(request, response).catch((error) => response.writeHead(500).end(String(error?.stack)));
  });

  async function answer(request, response) {
    const { pathname, searchParams } = new URL(request.url, "http://localhost");
    if (pathname === "/")
      return response
        .writeHead(200, { "content-type": "text/html" })
        .end("<!doctype html><meta charset=utf-8><link rel=icon href=data:,>");
    if (pathname === "/data")
      return response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(dataFiles));
    if (pathname === "/events") {
      const visit = { response, servers: new Map() };
      visits.set(searchParams.get("visit"), visit);
      response.writeHead(200, { "content-type": "application/x-ndjson" });
      response.write("\n");
      response.once("close", () => {
        for (const server of visit.servers.values()) server.close();
      });
      return undefined;
    }
    if (pathname === "/acts") {
      const visit = visits.get(searchParams.get("visit"));
      const acts = JSON.parse(Buffer.concat(await request.toArray()).toString());
      for (const act of acts) await perform(visit, act);
      return response.writeHead(204).end();
    }
    const file = join(folder, pathname.replace(/^\/bundle\//, ""));
    return readFile(file).then(
      (bytes) => response.writeHead(200, { "content-type": "text/javascript" }).end(bytes),
      () => response.writeHead(404).end(),
    );
  }

  main.listen(0, "127.0.0.1");
  await once(main, "listening");
  return {
    url: `http://127.0.0.1:${main.address().port}`,
    async [Symbol.asyncDispose]() {
      for (const { response } of visits.values()) response.destroy();
      main.closeAllConnections();
      main.close();
    },
  };
}

/** The headers that let a page of another origin ask with any header and read any header. */
function allow(request, response) {
  response.setHeader("access-control-allow-origin", "*");
  response.setHeader("access-control-allow-methods", "*");
  response.setHeader("access-control-allow-headers", request.headers["access-control-request-headers"] ?? "*");
  response.setHeader("access-control-expose-headers", "*");
  response.setHeader("access-control-max-age", "600");
}

async function perform(visit, { server: id, request: number, act, ...given }) {
  if (act === "listen") visit.servers.set(id, await listen(visit, id));
  const server = visit.servers.get(id);
  if (act === "close") {
    server?.close();
    return;
  }
  const response = server?.responses.get(number);
  if (response === undefined) return;
  if (act === "head") response.writeHead(given.status, given.headers);
  if (act === "write") response.write(Buffer.from(given.bytes, "base64"));
  if (act === "end") response.end();
  if (act === "destroy") response.destroy();
}

async function listen(visit, id) {
  const responses = new Map();
  const tell = (event) => visit.response.write(`${JSON.stringify({ server: id, ...event })}\n`);
  const server = createServer((request, response) => {
    allow(request, response);
    if (request.method === "OPTIONS") return void response.writeHead(204).end();
    const number = responses.size + 1;
    responses.set(number, response);
    response.once("close", () => tell({ event: "gone", request: number }));
    response.on("error", () => undefined);
    request.toArray().then(
      (parts) => {
        const { method, url, headers, rawHeaders } = request;
        tell({
          event: "request",
          request: number,
          method,
          url,
          headers,
          rawHeaders,
          body: Buffer.concat(parts).toString("base64"),
        });
      },
      () => undefined,
    );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  tell({ event: "listening", port: server.address().port });
  return {
    responses,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
