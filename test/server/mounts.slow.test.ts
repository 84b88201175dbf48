// The handler in servers that others wrote, each in a process of its own: routes, streams, and clients that leave.

import { spawn } from "node:child_process";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { describe, onTestFinished, test } from "vitest";
import { bring, bringServers, cacheFolder } from "../../scripts/runtimes/bring.mjs";
import { dist } from "../dist.js";
import { probeMount, slowProvider } from "./mount-probes.js";

const folder = cacheFolder();
const servers = bringServers(folder, { isOffline: true });
const bun = bring("Bun", folder, { isOffline: true });
const deno = bring("Deno", folder, { isOffline: true });

/** Starts a program of the folder `mounts`, and returns the address of its agents. */
async function mounted(name: string, [program, ...words]: readonly string[], provider: string): Promise<string> {
  const own = join(import.meta.dirname, "mounts");
  const place = servers === undefined ? own : join(servers, "mounts");
  if (place !== own) cpSync(own, place, { recursive: true });
  const child = spawn(program!, [...words, join(place, `${name}.mjs`)], {
    env: { ...process.env, LASTCALL: dist, OPENAI_BASE_URL: provider, OPENAI_API_KEY: "none" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  for await (const piece of child.stdout.setEncoding("utf8") as AsyncIterable<string>) {
    const [, port] = /listening on (\d+)/.exec(piece) ?? [];
    if (port !== undefined) return `http://127.0.0.1:${port}`;
  }
  throw new Error(`${name} ended before it listened.`);
}

const onNode = servers === undefined ? undefined : [process.execPath];

describe.each<[string, readonly string[] | undefined]>([
  ["hono", onNode],
  ["express", onNode],
  ["fastify", onNode],
  ["h3", onNode],
  ["bun", bun === undefined ? undefined : [bun]],
  ["deno", deno === undefined ? undefined : [deno, "run", "-A"]],
])("a handler in %s", (name, program) => {
  const reason = program === undefined ? " (left out: it is not in the cache; npm run test:runtimes brings it)" : "";

  test.skipIf(reason)(
    `has its routes, streams in pieces, and lets go of who left${reason}`,
    async () => {
      await using provider = await slowProvider();
      await probeMount(await mounted(name, program!, provider.url));
    },
    60_000,
  );
});
