// The handler in servers that others wrote, each in a process of its own: routes, streams, and clients that leave.

import { spawn } from "node:child_process";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { bring, bringServers, cacheFolder } from "../../scripts/runtimes/bring.mjs";
import { dist } from "../dist.js";
import { ask, framesOf, untilEnd } from "./client.js";

const folder = cacheFolder();
const servers = bringServers(folder, { isOffline: true });
const bun = bring("Bun", folder, { isOffline: true });
const deno = bring("Deno", folder, { isOffline: true });

/** Starts a program of the folder `mounts`, and returns the address of its agents. */
async function mounted(name: string, [program, ...words]: readonly string[]): Promise<string> {
  const own = join(import.meta.dirname, "mounts");
  const place = servers === undefined ? own : join(servers, "mounts");
  if (place !== own) cpSync(own, place, { recursive: true });
  const child = spawn(program!, [...words, join(place, `${name}.mjs`)], {
    env: { ...process.env, LASTCALL: dist },
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

  test.skipIf(reason)(`has its routes, streams to the end of a run, and lets go of who left${reason}`, async () => {
    const origin = await mounted(name, program!);
    const url = `${origin}/agents/`;
    expect(await (await fetch(`${origin}/own`)).text()).toBe("own");
    expect(await ask(url, "health/live")).toMatchObject({ status: 200 });
    expect(await ask(url, "sessions/s/runs", { input: "go" })).toMatchObject({ status: 202 });
    const seen = await untilEnd(url, "s");
    expect(seen.at(-1)).toMatchObject({ record: { type: "outcome", status: "completed" } });

    expect(await ask(url, "sessions/left/runs", { input: "go" })).toMatchObject({ status: 202 });
    // There is room for one stream: it opens once the server has noticed that the other client left.
    await eventually(async () => {
      for await (const _frame of framesOf(url, "left")) break;
    });
    const after = await eventually(() => untilEnd(url, "left"));
    expect(after.at(-1)).toMatchObject({ record: { type: "outcome", status: "completed" } });
  });
});

async function eventually<T>(work: () => Promise<T>): Promise<T> {
  for (let turn = 0; ; turn += 1) {
    try {
      return await work();
    } catch (thrown) {
      if (turn > 200) throw thrown;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}
