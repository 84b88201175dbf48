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

/** The servers that others wrote, in which a test mounts the handler. */
const servers = ["hono@4", "@hono/node-server@1", "express@5", "fastify@5", "h3@1"];

/** The folder with the packages of these servers; undefined if it is not there and `isOffline`. */
export function bringServers(folder, options) {
  return installed(join(folder, "servers"), servers, options);
}

/** The frameworks whose apps are built before they serve, with their packages. */
export const frameworks = {
  Next: ["next@16.4.6", "react@19.3.1", "react-dom@19.3.1"],
  "Nitro 2": ["nitropack@2.13.6"],
  "Nitro 3": ["nitro@3.0.0"],
};

/** The folder with the packages of a framework; undefined if it is not there and `isOffline`. */
export function bringFramework(name, folder, options) {
  const names = frameworks[name];
  return installed(join(folder, names[0].replace("@", "-")), names, options);
}

/** The path of the program of a runtime; undefined if it is not there and `isOffline`. Node of the major version of this process is this one. */
export function bring(runtime, folder, options) {
  if (runtime === `Node ${process.versions.node.split(".")[0]}`) return process.execPath;
  const { name, version, program } = packages[runtime];
  const place = installed(join(folder, `${name.replace(/^.*\//, "")}-${version}`), [`${name}@${version}`], options);
  return place && join(place, "node_modules", name, program);
}

function installed(place, names, { isOffline = false, say = console.log } = {}) {
  const done = join(place, "installed.json");
  if (existsSync(done)) return place;
  if (isOffline) return undefined;
  mkdirSync(place, { recursive: true });
  writeFileSync(join(place, "package.json"), JSON.stringify({ private: true }));
  say(`npm install ${names.join(" ")}, in ${place}`);
  const flags = ["--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"];
  execFileSync("npm", ["install", ...flags, ...names], { cwd: place, stdio: ["ignore", "inherit", "inherit"] });
  writeFileSync(done, JSON.stringify(names));
  return place;
}
