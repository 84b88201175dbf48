// A package registry on loopback that has what `npm ci` brought, and a package of ours: for a real `npm install` without a network.

import { spawn, spawnSync } from "node:child_process";
import { createReadStream } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { basename, join } from "node:path";

interface Manifest {
  readonly name: string;
  readonly version: string;
}

/** A registry that is running. */
interface Registry extends AsyncDisposable {
  readonly url: string;
}

/** Serves every package in the folder's `node_modules`, and the tarball as the package that it is. */
export async function registry(folder: string, tarball: string): Promise<Registry> {
  const installed = await packagesIn(join(folder, "node_modules"));
  const read = spawnSync("tar", ["-xzOf", tarball, "package/package.json"], { encoding: "utf8" });
  const packed = JSON.parse(read.stdout) as Manifest;

  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? "").slice(1);
    const [name = "", file] = path.split("/-/");
    if (file !== undefined) send(file, response);
    else void describe(name, response);
  });

  function send(file: string, response: ServerResponse): void {
    if (file === "packed.tgz") {
      createReadStream(tarball).pipe(response);
      return;
    }
    const at = Buffer.from(basename(file, ".tgz"), "base64url").toString();
    const options = ["--exclude=./node_modules", "--transform=s,^\\.,package,", "-C", at];
    spawn("tar", ["-cf", "-", ...options, "."], { stdio: ["ignore", "pipe", "ignore"] }).stdout.pipe(response);
  }

  async function describe(name: string, response: ServerResponse): Promise<void> {
    const places = installed.get(name) ?? [];
    const versions: Record<string, unknown> = {};
    const list = (manifest: Manifest, file: string): void => {
      versions[manifest.version] = { ...manifest, dist: { tarball: `${address()}/${name}/-/${file}` } };
    };
    for (const place of places) list(await manifestOf(place), `${Buffer.from(place).toString("base64url")}.tgz`);
    if (name === packed.name) list(packed, "packed.tgz");
    // What stands at the top is what the project itself gets.
    const top = places[0] === undefined ? packed.version : (await manifestOf(places[0])).version;
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
