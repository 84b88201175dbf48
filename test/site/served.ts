// The built site behind a server, for tests in a browser.

import { existsSync } from "node:fs";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join, resolve } from "node:path";

/** The folder that `npm run site` writes. */
const folder = resolve(import.meta.dirname, "../../site/dist");

/** The reason for a skip, to put at the end of a test's name; empty if the site is there. */
export const withoutSite = existsSync(join(folder, "playground/index.html"))
  ? ""
  : " (left out: the site is not built; `npm run site` does)";

const types: Readonly<Record<string, string>> = {
  ".css": "text/css",
  ".html": "text/html",
  ".js": "text/javascript",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
};

/** A server of the site, until it is closed. */
export interface ServedSite {
  readonly url: string;
  close(): void;
}

/** Serves the site on loopback. */
export async function serveSite(): Promise<ServedSite> {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    const file = join(folder, pathname.endsWith("/") ? `${pathname}index.html` : pathname);
    readFile(file).then(
      (bytes) => response.writeHead(200, { "content-type": types[extname(file)] ?? "text/plain" }).end(bytes),
      () => response.writeHead(404).end(),
    );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
