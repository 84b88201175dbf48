// Starts a server of a model on loopback, waits until it answers, and ends it.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { NotToBeHad } from "./cache.mjs";

/**
 * Starts a server.
 * @param {{ command: readonly string[], cwd?: string, env?: Record<string, string>, log: string, timeout?: number }} options
 * `command` gets `--host`, `--port`. `log`: a file for what the server writes. `timeout`: milliseconds until it has to answer.
 * @returns {Promise<{ baseURL: string, stop: () => Promise<void> }>}
 * @throws NotToBeHad if it ends or does not answer.
 */
export async function startServer({ command: [program, ...args], cwd, env = {}, log, timeout = 120_000 }) {
  const port = await freePort();
  const file = openSync(log, "w");
  const address = ["--host", "127.0.0.1", "--port", String(port)];
  const child = spawn(program, [...args, ...address], {
    cwd,
    env: { ...process.env, ...env },
    stdio: ["ignore", file, file],
  });
  closeSync(file);
  const ended = once(child, "exit").catch((thrown) => [thrown.message]);
  let isEnded = false;
  void ended.then(() => (isEnded = true));
  const leave = () => child.kill("SIGKILL");
  process.once("exit", leave);
  const stop = async () => {
    child.kill("SIGTERM");
    const timer = setTimeout(leave, 10_000);
    await ended;
    clearTimeout(timer);
    process.off("exit", leave);
  };
  const until = Date.now() + timeout;
  while (!(await answers(`http://127.0.0.1:${String(port)}/health`))) {
    if (isEnded || Date.now() > until) {
      await stop();
      const last = readFileSync(log, "utf8").trim().split("\n").at(-1);
      throw new NotToBeHad(`${program} ${isEnded ? "ended" : `did not answer for ${timeout / 1000} s`}: ${last}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  return { baseURL: `http://127.0.0.1:${String(port)}/v1`, stop };
}

/** True if the server says that it is ready. A server that is not there yet refuses the connection. */
const answers = (url) =>
  fetch(url).then(
    ({ ok }) => ok,
    () => false,
  );

async function freePort() {
  const server = createServer();
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return port;
}
