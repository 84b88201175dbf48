// The runtimes: each takes files of tests and yields what came of each file.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { randomUUID } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { delimiter, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { chromium } from "playwright-core";
import { withoutIn } from "./left-out.mjs";

/** The path of Chromium; undefined if it is not installed. */
export function chromiumOnPath() {
  const names = ["chromium-headless-shell", "chromium", "google-chrome"];
  const paths = (process.env["PATH"] ?? "").split(delimiter);
  return names.flatMap((name) => paths.map((path) => join(path, name))).find((file) => existsSync(file));
}

/** Runs the files in a process of Node, Bun or Deno. */
export async function* inProcess({ program, words = [], folder, isList = false }, files) {
  const report = join(folder, `report-${randomUUID()}.ndjson`);
  writeFileSync(report, "");
  const script = join(import.meta.dirname, "in-process.mjs");
  const child = spawn(program, [...words, script, folder, report, ...(isList ? ["--list"] : [])], {
    stdio: ["pipe", "ignore", "pipe"],
    env: { ...process.env, NO_COLOR: "1", TEST_EMPTY_ROOT: folder },
  });
  const said = child.stderr.toArray();
  const closed = once(child, "close");
  child.stdin.on("error", () => undefined);
  child.stdin.end(files.join("\n"));
  await closed;
  const results = readFileSync(report, "utf8")
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  rmSync(report);
  yield* results;
  if (results.length === files.length) return;
  const message = `The process ended in this file: ${Buffer.concat(await said)
    .toString()
    .slice(-1000)}`;
  yield { file: files[results.length], tests: [], error: { name: "Error", message } };
}

/** Runs the files in headless Chromium, in one page. */
export async function* inChromium({ side, program }, files) {
  const browser = await chromium.launch({ executablePath: program, args: ["--no-sandbox"] });
  try {
    let page;
    for (const file of files) {
      if (page === undefined) {
        page = await browser.newPage();
        await page.goto(side.url);
      }
      const given = [side.url, file, withoutIn("chromium", file)].map((one) => JSON.stringify(one)).join(", ");
      const work = page.evaluate(`import("/bundle/run-visit.js").then(({ runVisit }) => runVisit(${given}))`);
      const result = await inTime(file, work);
      yield result;
      if (!result.hangs) continue;
      // Nothing stops a page that computes.
      await Promise.race([page.close(), sleep(5000)]);
      page = undefined;
    }
  } finally {
    await browser.close();
  }
}

/** Runs the files in workerd, in one process of the program. */
export async function* inWorkerd({ side, program, folder }, files) {
  const modules = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".js"));
  // The first module is the worker.
  const sorted = ["worker.js", ...modules.filter((name) => name !== "worker.js")];
  const port = await freePort();
  writeFileSync(
    join(folder, "config.capnp"),
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .main),
    (name = "internet", network = (allow = ["public", "private"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")],
);
const main :Workerd.Worker = (
  modules = [
${sorted.map((name) => `    (name = ${JSON.stringify(name)}, esModule = embed ${JSON.stringify(name)}),`).join("\n")}
  ],
  compatibilityDate = "2026-06-01",
);
`,
  );
  const start = async () => {
    const child = spawn(program, ["serve", "config.capnp"], { cwd: folder, stdio: "ignore" });
    await untilOpen(port, child);
    return child;
  };
  let child = await start();
  try {
    for (const file of files) {
      const body = JSON.stringify({ url: side.url, file, without: withoutIn("workerd", file) });
      const work = fetch(`http://127.0.0.1:${port}/`, { method: "POST", body, headers: { connection: "close" } }).then(
        async (response) => {
          const text = await response.text();
          if (response.status === 200) return JSON.parse(text);
          return { file, tests: [], error: { name: "Error", message: text } };
        },
      );
      const result = await inTime(file, work);
      yield result;
      if (!result.hangs) continue;
      child.kill("SIGKILL");
      child = await start();
    }
  } finally {
    child.kill("SIGKILL");
  }
}

async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return port;
}

/** Waits until somebody listens on the port. */
async function untilOpen(port, child) {
  while (child.exitCode === null) {
    const socket = connect(port, "127.0.0.1");
    const isOpen = await Promise.race([
      once(socket, "connect").then(() => true),
      once(socket, "close").then(() => false),
    ]).catch(() => false);
    socket.destroy();
    if (isOpen) return;
    await sleep(50);
  }
  throw new Error(`The program ended with the status ${child.exitCode}.`);
}

/** Milliseconds that a file may take. */
const fileTimeout = 300_000;

async function inTime(file, work) {
  const stop = new AbortController();
  const late = sleep(fileTimeout, undefined, { signal: stop.signal }).then(
    () => ({
      file,
      tests: [],
      hangs: true,
      error: { name: "Error", message: `The file took more than ${fileTimeout / 1000} seconds.` },
    }),
    () => undefined,
  );
  work.catch(() => undefined);
  try {
    return await Promise.race([work, late]);
  } finally {
    stop.abort();
  }
}
