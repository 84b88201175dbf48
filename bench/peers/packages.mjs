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

/** LangChain, which has a page for its users and no part in the truth suite. */
const langchain = {
  name: "langchain",
  title: "LangChain, `createAgent`",
  packages: {
    ...{ langchain: "1.5.14", "@langchain/core": "1.4.0", "@langchain/langgraph": "1.7.3" },
    ...{ "@langchain/openai": "1.6.0", zod: "4.6.7" },
  },
};

/** The libraries with a page for their users: docs/coming-from-NAME.md. */
export const comingFrom = [...peers, langchain];

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
  const { node, nodeVersion, places } = installPeers(folder, chosen, say);
  const programs = chosen.map((peer, index) => {
    // A program finds the packages of the folder that it is in.
    cpSync(fileURLToPath(new URL("programs", import.meta.url)), places[index], { recursive: true });
    return { ...peer, program: join(places[index], `${peer.name}.mjs`) };
  });
  return { node, nodeVersion, programs };
}

/** Installs what is missing, and returns the Node and the folder of each peer's packages. */
export function installPeers(folder, chosen, say) {
  const { node, nodeVersion } = bringNode(folder, say);
  const places = chosen.map((peer) => {
    const place = placeOf(folder, peer);
    install(place, peer.packages, say);
    return place;
  });
  return { node, nodeVersion, places };
}

/** The Node of `nodeIn`, which is installed in the folder if it has to be. */
export function bringNode(folder, say) {
  const { node, version, packages, place } = nodeIn(rootOf(folder));
  if (packages !== undefined) install(place, packages, say);
  return { node, nodeVersion: version };
}

/** The Node and the folder of a peer's packages, or undefined if something is not installed. */
export function findPeer(folder, peer) {
  const { node } = nodeIn(rootOf(folder));
  const place = placeOf(folder, peer);
  return existsSync(node) && existsSync(join(place, "installed.json")) ? { node, place } : undefined;
}

function rootOf(folder) {
  const users = process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache");
  return resolve(folder ?? join(users, "lastcall-peers"));
}

function placeOf(folder, peer) {
  return join(rootOf(folder), `${peer.name}-${versionOf(peer)}`);
}

/** The Node that runs this, if the peers take it, or else a package that brings one. */
function nodeIn(root) {
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major > neededNode[0] || (major === neededNode[0] && minor >= neededNode[1]))
    return { node: process.execPath, version: process.versions.node };
  const { name, version } = nodePackage;
  const place = join(root, "node");
  return { node: join(place, "node_modules", name, "bin/node"), version, packages: { [name]: version }, place };
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
