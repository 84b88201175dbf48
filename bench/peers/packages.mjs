// The peers: their packages, installed in a folder outside of the repository, and a Node that they take.

import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** Each with the packages that its program imports. The first package gives the version that the page names. */
export const peers = [
  {
    name: "ai-sdk",
    title: "AI SDK, `ToolLoopAgent`",
    packages: { ai: "7.0.173", "@ai-sdk/openai-compatible": "3.0.92", zod: "4.6.7" },
  },
  {
    name: "openai-agents",
    title: "OpenAI Agents JS, `run`",
    packages: { "@openai/agents": "0.20.0", openai: "7.59.0", zod: "4.6.7" },
  },
  {
    name: "pi",
    title: "pi, `Agent`",
    packages: { "@earendil-works/pi-agent-core": "1.6.0", "@earendil-works/pi-ai": "1.6.0" },
  },
  {
    name: "mastra",
    title: "Mastra, `Agent`",
    packages: { "@mastra/core": "1.71.0", zod: "4.6.7" },
  },
];

/** The first Node that all of them take, and Astro of `site/`, and the package that brings one. */
const neededNode = [22, 19];
const nodePackage = { name: `node-${process.platform}-${process.arch}`, version: "22.23.3" };

/** The version of a peer, as its page says it. */
export const versionOf = ({ packages }) => Object.values(packages)[0];

/**
 * Installs what is missing, and returns the Node and the program of each peer.
 * @param {string | undefined} folder Default: `lastcall-peers` in the user's cache folder.
 */
export function bringPeers(folder, chosen, say) {
  const root = resolve(folder ?? cache());
  const { node, nodeVersion } = bringNode(root, say);
  const programs = chosen.map((peer) => {
    const place = join(root, `${peer.name}-${versionOf(peer)}`);
    install(place, peer.packages, say);
    // A program finds the packages of the folder that it is in.
    cpSync(fileURLToPath(new URL("programs", import.meta.url)), place, { recursive: true });
    return { ...peer, program: join(place, `${peer.name}.mjs`) };
  });
  return { node, nodeVersion, programs };
}

function cache() {
  return join(process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "lastcall-peers");
}

/** This Node if it is new enough for all packages here, or else a newer one, which is installed in the folder. */
export function bringNode(root = cache(), say) {
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major > neededNode[0] || (major === neededNode[0] && minor >= neededNode[1]))
    return { node: process.execPath, nodeVersion: process.versions.node };
  const place = join(root, "node");
  install(place, { [nodePackage.name]: nodePackage.version }, say);
  return { node: join(place, "node_modules", nodePackage.name, "bin/node"), nodeVersion: nodePackage.version };
}

function install(place, packages, say) {
  const done = join(place, "installed.json");
  if (existsSync(done)) return;
  mkdirSync(place, { recursive: true });
  writeFileSync(join(place, "package.json"), JSON.stringify({ private: true, type: "module" }));
  const words = Object.entries(packages).map(([name, version]) => `${name}@${version}`);
  say(`npm install ${words.join(" ")}, in ${place}`);
  const flags = ["--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"];
  // npm compares the engines with this Node, and the peers run on another.
  execFileSync("npm", ["install", ...flags, ...words], { cwd: place, stdio: ["ignore", "inherit", "inherit"] });
  writeFileSync(done, JSON.stringify(packages));
}
