// Servers for programs of other runtimes: a provider that pages of other origins may ask, and the files of the package.

import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join, resolve } from "node:path";
import { scriptedProvider, type Script } from "../../src/testing/index.js";

const root = resolve(import.meta.dirname, "../..");

/** A server on loopback, until it is disposed of. */
export interface Place extends AsyncDisposable {
  readonly url: string;
}

async function placeOf(server: Server, path: string, also?: AsyncDisposable): Promise<Place> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${String(port)}${path}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await also?.[Symbol.asyncDispose]();
    },
  };
}

/** The scripted provider behind the headers that let a page of another origin ask it, with the headers that it may send. */
export async function providerForPages(script: Script): Promise<Place> {
  const provider = await scriptedProvider(script);
  const server = createServer((request, response) => {
    response.setHeader("access-control-allow-origin", "*");
    response.setHeader("access-control-allow-headers", "authorization, content-type");
    if (request.method === "OPTIONS") {
      response.writeHead(204).end();
      return;
    }
    void (async () => {
      const body = Buffer.concat((await request.toArray()) as Buffer[]);
      const { authorization = "", "content-type": type = "" } = request.headers;
      const headers = { authorization, "content-type": type };
      const url = new URL(request.url ?? "/", provider.url);
      const answer = await fetch(url, { method: "POST", headers, body });
      response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "" });
      for await (const bytes of answer.body ?? []) response.write(bytes);
      response.end();
    })();
  });
  return placeOf(server, new URL(provider.url).pathname, provider);
}

const types: Readonly<Record<string, string>> = {
  ".js": "text/javascript",
  ".mjs": "text/javascript",
  ".html": "text/html",
};

/** The files of the repository, and a page at `/` with a map of the packages that the bundle imports. */
export async function filesForPages(imports: Readonly<Record<string, string>>): Promise<Place> {
  const page = `<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><script type="importmap">${JSON.stringify({ imports })}</script>`;
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    if (pathname === "/") {
      response.writeHead(200, { "content-type": "text/html" }).end(page);
      return;
    }
    readFile(join(root, pathname)).then(
      (bytes) => response.writeHead(200, { "content-type": types[extname(pathname)] ?? "text/plain" }).end(bytes),
      () => response.writeHead(404).end(),
    );
  });
  return placeOf(server, "/");
}
