// The worker in Cloudflare's workerd: a question in one process, the answer in another, with the session in the storage of a Durable Object.

import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { bring, cacheFolder } from "../../scripts/runtimes/bring.mjs";
import { call, scriptedProvider, type ScriptedProvider } from "../../src/testing/index.js";
import { bundleWorker } from "../bundle-worker.js";
import { freePort } from "../free-port.js";

const root = resolve(import.meta.dirname, "../..");
const program = bring("workerd", cacheFolder(), { isOffline: true });
const without = program === undefined ? " (left out: workerd is not in the cache)" : "";

const question = [call("ask_question", { question: "For how many, and when?" })];
const booking = [call("book_table", { people: 2, time: "20:00" })];
const done = [call("task_completion", { result: "A table for two is booked for 20:00." })];

/** The worker as one file, with its configuration, in a folder that goes with the test. */
async function bundled(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "lastcall-worker-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await mkdir(join(folder, "storage"));
  await bundleWorker("examples/worker/worker.ts", join(folder, "worker.js"));
  await cp(join(root, "examples/worker/config.capnp"), join(folder, "config.capnp"));
  return folder;
}

interface Served {
  readonly child: ChildProcess;
  ask(method: string, customer: string, words?: string): Promise<readonly [status: number, body: unknown]>;
}

/** Starts workerd on the folder, and waits until it answers. */
async function served(folder: string, provider: ScriptedProvider): Promise<Served> {
  const port = await freePort();
  const config = await readFile(join(folder, "config.capnp"), "utf8");
  await writeFile(join(folder, "here.capnp"), config.replace(/127\.0\.0\.1:\d+/, `127.0.0.1:${String(port)}`));
  const env = { OPENAI_BASE_URL: provider.url, OPENAI_API_KEY: "sk-test" };
  const child = spawn(program!, ["serve", "here.capnp"], { cwd: folder, env, stdio: ["ignore", "ignore", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const ask: Served["ask"] = async (method, customer, words) => {
    const response = await fetch(`http://127.0.0.1:${String(port)}/${customer}`, {
      method,
      headers: { connection: "close" },
      ...(words !== undefined && { body: words }),
    });
    const text = await response.text();
    return [response.status, text.startsWith("{") ? JSON.parse(text) : text];
  };
  await expect.poll(() => ask("GET", "nobody").catch(() => undefined)).toEqual([200, { question: null }]);
  return { child, ask };
}

async function kill({ child }: Served): Promise<void> {
  const closed = once(child, "close");
  child.kill("SIGKILL");
  await closed;
}

describe.skipIf(without)(`the worker${without}`, () => {
  test("asks in one process and goes on in another, which was killed in between", async () => {
    const folder = await bundled();
    await using provider = await scriptedProvider([question, booking, done]);
    const first = await served(folder, provider);
    expect(await first.ask("POST", "ada", "Book a table at the Lion.")).toEqual([
      202,
      { question: "For how many, and when?" },
    ]);
    await kill(first);
    const second = await served(folder, provider);
    expect(await second.ask("GET", "ada")).toEqual([200, { question: "For how many, and when?" }]);
    expect(await second.ask("GET", "bob")).toEqual([200, { question: null }]);
    expect(await second.ask("PUT", "ada", "for two, at eight")).toEqual([
      200,
      { result: "A table for two is booked for 20:00." },
    ]);
    expect(provider.requests[1]?.body.messages.slice(1).map(({ role, content }) => [role, content])).toEqual([
      ["user", "Book a table at the Lion."],
      ["assistant", null],
      ["tool", "for two, at eight"],
    ]);
    await kill(second);
    const third = await served(folder, provider);
    expect(await third.ask("PUT", "ada", "for three, at nine")).toEqual([409, "No question is open."]);
    expect(provider.unsaid).toBe(0);
  });
});
