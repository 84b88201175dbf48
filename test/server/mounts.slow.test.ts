// The handler in servers that others wrote, each in a process of its own: routes, streams, and clients that leave.

import { spawn } from "node:child_process";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, onTestFinished, test } from "vitest";
import { bring, bringServers, cacheFolder } from "../../scripts/runtimes/bring.mjs";
import { bundleWorker } from "../bundle-worker.js";
import { dist } from "../dist.js";
import { probeMount, slowProvider } from "./mount-probes.js";

const folder = cacheFolder();
const servers = bringServers(folder, { isOffline: true });
const bun = bring("Bun", folder, { isOffline: true });
const deno = bring("Deno", folder, { isOffline: true });
const workerd = bring("workerd", folder, { isOffline: true });
const own = join(import.meta.dirname, "mounts");

/** A program to start, in a folder. It says its port on standard output. */
interface Start {
  readonly words: readonly string[];
  readonly cwd: string;
}

/** Starts the program, and returns the address of its agents. */
async function mounted({ words: [program, ...words], cwd }: Start, provider: string): Promise<string> {
  const child = spawn(program!, words, {
    cwd,
    env: { ...process.env, LASTCALL: dist, OPENAI_BASE_URL: provider, OPENAI_API_KEY: "none" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  for await (const piece of child.stdout.setEncoding("utf8") as AsyncIterable<string>) {
    const [, port] = /(?:listening on |"port":)(\d+)/.exec(piece) ?? [];
    if (port !== undefined) return `http://127.0.0.1:${port}`;
  }
  throw new Error(`${program!} ended before it listened.`);
}

/** A program of the folder `mounts`, beside the packages of servers if these are there. */
function ofMounts(name: string, words: readonly string[]): Start {
  const cwd = servers === undefined ? own : join(servers, "mounts");
  if (cwd !== own) cpSync(own, cwd, { recursive: true });
  return { words: [...words, `${name}.mjs`], cwd };
}

/** The worker of the folder `mounts` as one file, for workerd. */
async function ofWorkerd(program: string): Promise<Start> {
  const cwd = mkdtempSync(join(tmpdir(), "lastcall-workerd-"));
  onTestFinished(() => {
    rmSync(cwd, { recursive: true, force: true });
  });
  await bundleWorker("test/server/mounts/workerd.mjs", join(cwd, "worker.js"));
  cpSync(join(own, "workerd.capnp"), join(cwd, "workerd.capnp"));
  return { words: [program, "serve", "--control-fd=1", "workerd.capnp"], cwd };
}

const onNode = servers === undefined ? undefined : [process.execPath];

describe.each<[string, readonly string[] | undefined]>([
  ["hono", onNode],
  ["express", onNode],
  ["fastify", onNode],
  ["h3", onNode],
  ["bun", bun === undefined ? undefined : [bun]],
  ["deno", deno === undefined ? undefined : [deno, "run", "-A"]],
  ["workerd", workerd === undefined ? undefined : [workerd]],
])("a handler in %s", (name, words) => {
  const reason = words === undefined ? " (left out: it is not in the cache; npm run test:runtimes brings it)" : "";

  test.skipIf(reason)(
    `has its routes, streams in pieces, and lets go of who left${reason}`,
    async () => {
      await using provider = await slowProvider();
      const start = name === "workerd" ? await ofWorkerd(words![0]!) : ofMounts(name, words!);
      await probeMount(await mounted(start, provider.url));
    },
    60_000,
  );
});
