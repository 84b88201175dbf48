// Brings the programs of other runtimes from their npm packages into a folder outside of the repository. Each package is a binary for this
// platform, without scripts.

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";

const platform = `${process.platform}-${process.arch}`;

/** The packages by runtime: the version, and the program inside. */
const packages = {
  "Node 20": { name: `node-${platform}`, version: "20.20.2", program: "bin/node" },
  "Node 22": { name: `node-${platform}`, version: "22.23.3", program: "bin/node" },
  "Node 24": { name: `node-${platform}`, version: "24", program: "bin/node" },
  Bun: { name: `@oven/bun-${platform}`, version: "1.4.5", program: "bin/bun" },
  Deno: { name: `@deno/${platform}${process.platform === "linux" ? "-glibc" : ""}`, version: "2.9.6", program: "deno" },
  workerd: {
    name: `@cloudflare/workerd-${process.platform}-${process.arch === "x64" ? "64" : process.arch}`,
    version: "1.20261117.1",
    program: "bin/workerd",
  },
};

/** The folder of the programs. Default: `lastcall-runtimes` in the user's cache folder. */
export function cacheFolder(folder) {
  return resolve(folder ?? join(process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "lastcall-runtimes"));
}

/** The path of the program of a runtime; undefined if it is not there and `isOffline`. Node of the major version of this process is this one. */
export function bring(runtime, folder, { isOffline = false, say = console.log } = {}) {
  if (runtime === `Node ${process.versions.node.split(".")[0]}`) return process.execPath;
  const { name, version, program } = packages[runtime];
  const place = join(folder, `${name.replace(/^.*\//, "")}-${version}`);
  const path = join(place, "node_modules", name, program);
  const done = join(place, "installed.json");
  if (existsSync(done)) return path;
  if (isOffline) return undefined;
  mkdirSync(place, { recursive: true });
  writeFileSync(join(place, "package.json"), JSON.stringify({ private: true }));
  say(`npm install ${name}@${version}, in ${place}`);
  const flags = ["--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"];
  execFileSync("npm", ["install", ...flags, `${name}@${version}`], {
    cwd: place,
    stdio: ["ignore", "inherit", "inherit"],
  });
  writeFileSync(done, JSON.stringify({ [name]: version }));
  return path;
}
