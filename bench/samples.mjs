// Samples: the processes of the bench, one for the server and one for each sample.

import { fork, execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { clients } from "./rows.mjs";

const fileOf = (name) => fileURLToPath(new URL(name, import.meta.url));

/** An environment without NODE_OPTIONS, NODE_EXTRA_CA_CERTS and the like, which slow down the start of every Node process. */
const env = { PATH: process.env.PATH, ...(process.env.TMPDIR && { TMPDIR: process.env.TMPDIR }) };

/** The processor time that all processes of the machine have used, in milliseconds. */
const busy = () => cpus().reduce((sum, { times: { user, nice, sys, irq } }) => sum + user + nice + sys + irq, 0);

/** Starts the server. `used` gives the processor time that it has used. */
export async function startServer() {
  const child = fork(fileOf("server.mjs"), { env, execArgv: [] });
  const [port] = await once(child, "message");
  const used = async () => {
    child.send("cpu");
    const [{ user, system }] = await once(child, "message");
    return (user + system) / 1000;
  };
  return { address: `http://127.0.0.1:${port}`, used, stop: () => child.disconnect() };
}

/**
 * Measures these rows with one client in a fresh process. `foreign` is the number of cores that other programs used meanwhile. It throws if
 * the process fails.
 */
export async function sample(server, client, { rows, warmUp = 3000, library = fileOf("../dist"), ...more }) {
  const given = {
    library: pathToFileURL(library).href,
    ...(client in clients ? clients[client] : { file: "by-hand" }),
  };
  const task = { client: { ...given, openai: more.openai }, rows, warmUp, server: server.address, ...more };
  const [busyBefore, serverBefore, began] = [busy(), await server.used(), performance.now()];
  const child = fork(fileOf("worker.mjs"), [JSON.stringify(task)], { env, execArgv: ["--expose-gc"] });
  const ended = once(child, "exit").then(([code]) => {
    throw new Error(`the process of ${client}, ${rows.map(({ name }) => name).join(", ")} ended with ${code}`);
  });
  const [message] = await Promise.race([once(child, "message"), ended]);
  const own = message.cpu + (await server.used()) - serverBefore;
  const took = performance.now() - began;
  await ended.catch(() => undefined); // it has answered; its exit is the end that it should have
  return { answer: message.answer, foreign: Math.max(0, (busy() - busyBefore - own) / took), took };
}

/** Installs versions of openai into a temporary folder. Each has the name of a client, its version and its address. */
export function installOpenai(versions) {
  return versions.map((asked) => {
    const folder = mkdtempSync(join(tmpdir(), "lastcall-bench-openai-"));
    const args = [
      "install",
      "--no-save",
      "--no-audit",
      "--no-fund",
      "--loglevel=error",
      "--prefix",
      folder,
      `openai@${asked}`,
    ];
    try {
      execFileSync("npm", args, { stdio: ["ignore", "ignore", "pipe"], timeout: 120_000 });
    } catch (error) {
      throw new Error(`openai ${asked} could not be installed: ${
        String(error.stderr ?? error.message)
          .trim()
          .split("\n")[0]
      }
--openai needs the network (or npm's cache). Without the option the bench uses the installed version.`);
    }
    const root = join(folder, "node_modules", "openai");
    const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    return { client: `hand-${version}`, folder, openai: pathToFileURL(join(root, "index.mjs")).href };
  });
}
