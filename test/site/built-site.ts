// The built site, for tests: it is built once, read from its folder, and served as a plain host of files would.

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { basename, extname, join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { emptyRoot } from "../empty-root.js";

const root = resolve(import.meta.dirname, "../..");
const dist = join(root, "site/dist");

/** The reason for a skip, to put at the end of a test's name; empty if the packages of the site are installed. */
export const withoutSite = existsSync(join(root, "site/node_modules/.installed"))
  ? ""
  : " (left out: the packages of site/ are not installed)";

/**
 * Builds the site as `npm run site` does, once in a run of tests: the files run side by side, and share the folder of the site. Returns all
 * that the build said.
 */
export async function buildSite(): Promise<string> {
  // The empty folder has another name in each run of tests.
  const place = join(root, "test/.cache/site", basename(emptyRoot));
  const said = join(place, "said.txt");
  if (mkdirSync(place, { recursive: true }) !== undefined) {
    const text = build();
    writeFileSync(`${said}.part`, text);
    renameSync(`${said}.part`, said);
  }
  while (!existsSync(said)) await sleep(200);
  const text = readFileSync(said, "utf8");
  if (text.startsWith(notBuilt)) throw new Error(text);
  return text;
}

const notBuilt = "The site was not built:";

function build(): string {
  // The test runner's own variables, such as DEV, would make pages for a server in development.
  const ours = /^(?:SITE_URL|NODE_ENV|MODE|DEV|PROD|SSR|TEST|BASE_URL|VITEST.*)$/;
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !ours.test(name)));
  const run = spawnSync(process.execPath, ["scripts/site.mjs"], { cwd: root, env, encoding: "utf8", maxBuffer: 1e8 });
  const said = `${run.stdout}${run.stderr}`;
  return run.status === 0 ? said : `${notBuilt}\n${said.slice(-4000)}`;
}

/** The pages by their addresses, as HTML. */
export function builtPages(): ReadonlyMap<string, string> {
  const files = readdirSync(dist, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".html"));
  return new Map(files.map((file) => [`/${file.replace(/index\.html$/, "")}`, readFileSync(join(dist, file), "utf8")]));
}

/** A file of the built site by its address. */
export function builtFile(address: string): string | undefined {
  const file = join(dist, decodeURIComponent(address));
  return existsSync(file) && statSync(file).isFile() ? readFileSync(file, "utf8") : undefined;
}

/** The links and sources of a page, as they are written in it. */
export function linksOf(html: string): readonly string[] {
  return [...html.matchAll(/\s(?:href|src)="([^"]*)"/g)].map(([, link = ""]) => link.replaceAll("&amp;", "&"));
}

/** A server that is running. */
interface Served extends AsyncDisposable {
  readonly url: string;
}

const kinds: Readonly<Record<string, string>> = {
  ".css": "text/css",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".json": "application/json",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
  ".wasm": "application/wasm",
  ".woff2": "font/woff2",
};

/** Serves the folder, with texts compressed. */
export async function serveSite(): Promise<Served> {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://site");
    const named = join(dist, decodeURIComponent(pathname));
    const file = pathname.endsWith("/") ? join(named, "index.html") : named;
    if (!existsSync(file) || !statSync(file).isFile()) {
      response.writeHead(404).end();
      return;
    }
    const kind = kinds[extname(file)] ?? "application/octet-stream";
    const isText = /^text|json|javascript|svg/.test(kind);
    response.writeHead(200, { "content-type": kind, ...(isText ? { "content-encoding": "gzip" } : {}) });
    response.end(isText ? gzipSync(readFileSync(file)) : readFileSync(file));
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${String(port)}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}
