// A package registry on loopback that has what `npm ci` brought, and packages of ours: for a real `npm install` without a network.

import { readdir, readFile, stat } from "node:fs/promises";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { basename, join, relative, sep } from "node:path";
import { gunzipSync } from "node:zlib";

interface Manifest {
  readonly name: string;
  readonly version: string;
}

/** A registry that is running. */
interface Registry extends AsyncDisposable {
  readonly url: string;
}

/** Serves every package in the folder's `node_modules`, and the tarballs as the packages that they are. It needs no program. */
export async function registry(folder: string, ...tarballs: readonly string[]): Promise<Registry> {
  const installed = await packagesIn(join(folder, "node_modules"));
  const packed = await Promise.all(
    tarballs.map(async (path) => {
      const bytes = await readFile(path);
      return { manifest: manifestIn(gunzipSync(bytes)), bytes };
    }),
  );

  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? "").slice(1);
    const [name = "", file] = path.split("/-/");
    void (file === undefined ? describe(name, response) : send(name, file, response));
  });

  async function send(name: string, file: string, response: ServerResponse): Promise<void> {
    const own = packed.find(({ manifest }) => manifest.name === name);
    const place = Buffer.from(basename(file, ".tgz"), "base64url").toString();
    response.end(file === "packed.tgz" && own !== undefined ? own.bytes : await archived(place));
  }

  async function describe(name: string, response: ServerResponse): Promise<void> {
    const places = installed.get(name) ?? [];
    const versions: Record<string, unknown> = {};
    const list = (manifest: Manifest, file: string): void => {
      versions[manifest.version] = { ...manifest, dist: { tarball: `${address()}/${name}/-/${file}` } };
    };
    for (const place of places) list(await manifestOf(place), `${Buffer.from(place).toString("base64url")}.tgz`);
    const own = packed.find(({ manifest }) => manifest.name === name)?.manifest;
    if (own !== undefined) list(own, "packed.tgz");
    // What stands at the top is what the project itself gets.
    const top = places[0] === undefined ? own?.version : (await manifestOf(places[0])).version;
    response.statusCode = Object.keys(versions).length === 0 ? 404 : 200;
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ name, "dist-tags": { latest: top }, versions }));
  }

  const address = (): string => `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  return {
    url: address(),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

/** Where each package is, by its name: the one that has its name for a folder first. Links lead elsewhere and are left out. */
async function packagesIn(folder: string): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = new Map<string, string[]>();
  const look = async (at: string): Promise<void> => {
    for (const entry of await readdir(at, { withFileTypes: true }).catch(() => [])) {
      if (!entry.isDirectory() || entry.name.startsWith(".")) continue;
      const place = join(at, entry.name);
      if (entry.name.startsWith("@")) {
        await look(place);
        continue;
      }
      const { name } = await manifestOf(place).catch(() => ({ name: undefined }));
      if (name === undefined) continue;
      const places = found.get(name) ?? [];
      if (place === join(folder, name)) places.unshift(place);
      else places.push(place);
      found.set(name, places);
      await look(join(place, "node_modules"));
    }
  };
  await look(folder);
  return found;
}

async function manifestOf(place: string): Promise<Manifest> {
  return JSON.parse(await readFile(join(place, "package.json"), "utf8")) as Manifest;
}

/** Bytes of a block of an archive. */
const block = 512;

/** The manifest in an archive. */
function manifestIn(archive: Buffer): Manifest {
  for (let at = 0; at < archive.length;) {
    const size = parseInt(archive.toString("latin1", at + 124, at + 135), 8) || 0;
    const [name] = archive.toString("utf8", at, at + 100).split("\0");
    const content = archive.subarray(at + block, at + block + size);
    if (name === "package/package.json") return JSON.parse(content.toString("utf8")) as Manifest;
    at += block + Math.ceil(size / block) * block;
  }
  throw new Error("The archive has no package.json.");
}

/** A package in its folder as an archive, as npm takes one: without compression, and without the packages in it. */
async function archived(folder: string): Promise<Buffer> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const parts: Buffer[] = [];
  for (const entry of entries) {
    const path = join(entry.parentPath, entry.name);
    const named = relative(folder, path).split(sep);
    if (!entry.isFile() || named.includes("node_modules")) continue;
    const [{ mode }, content] = await Promise.all([stat(path), readFile(path)]);
    const name = Buffer.from(`package/${named.join("/")}`);
    // A name that is too long for a header has an entry of its own before the file, as GNU tar writes it.
    if (name.length > 100) parts.push(header(Buffer.from("././@LongLink"), name.length, 0o644, "L"), padded(name));
    parts.push(header(name.subarray(0, 100), content.length, mode & 0o777, "0"), padded(content));
  }
  return Buffer.concat([...parts, Buffer.alloc(2 * block)]);
}

function header(name: Buffer, size: number, mode: number, type: string): Buffer {
  const bytes = Buffer.alloc(block);
  const octal = (value: number, length: number): string => value.toString(8).padStart(length - 1, "0");
  bytes.set(name, 0);
  bytes.write(octal(mode, 8), 100);
  bytes.write(octal(0, 8), 108);
  bytes.write(octal(0, 8), 116);
  bytes.write(octal(size, 12), 124);
  bytes.write(octal(0, 12), 136);
  bytes.write("        ", 148);
  bytes.write(type, 156);
  bytes.write("ustar  ", 257);
  bytes.write(
    `${octal(
      bytes.reduce((sum, byte) => sum + byte, 0),
      7,
    )}\0 `,
    148,
  );
  return bytes;
}

function padded(content: Buffer): Buffer {
  return Buffer.concat([content, Buffer.alloc((block - (content.length % block)) % block)]);
}
