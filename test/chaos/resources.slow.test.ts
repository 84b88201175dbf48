// What is left when runs are over: nothing. It is looked at in a process of its own, where a rejection that nobody handles is its end.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createAgent } from "../../src/index.js";
import { openai } from "../../src/model/index.js";
import { allowAll } from "../../src/permission/index.js";
import { assertWellFormed, call, scriptedProvider, type ProviderRequest, type Step } from "../../src/testing/index.js";
import { taskCompletion, workspaceTools } from "../../src/tools/index.js";
import { temporaryFolder } from "../memory/store-places.js";
import { counted } from "./counted.js";
import { isAll, isFull, seeds } from "./scale.js";

const done = [call("task_completion", { result: "done" })];
const list = [call("list_files", { path: "." })];

/** What the model says to a task, by how the run is to end, and the status that it ends with. */
const endings: Readonly<Record<string, { readonly says: (request: number) => Step; readonly status: string }>> = {
  completed: { says: (request) => [list, [call("slow")], done][request] ?? done, status: "completed" },
  waiting: { says: () => [call("ask_question", { question: "Which?" })], status: "waiting" },
  "given up": { says: () => [call("give_up", { reason: "No." })], status: "stopped" },
  "stopped by the circuit": { says: () => "Words alone.", status: "stopped" },
  "stopped as refused": { says: () => ({ text: "No.", finishReason: "content_filter" }), status: "stopped" },
  "stopped for its window": { says: () => ({ text: "words ".repeat(900), calls: list }), status: "stopped" },
  "stopped by a limit": {
    says: (request) => [call("list_files", { path: `.${"/.".repeat(request)}` })],
    status: "stopped",
  },
  "aborted in a reply": {
    says: () => ({ text: "words and words", piece: 3, pause: 50, calls: list }),
    status: "aborted",
  },
  "aborted in a command": { says: () => [call("run_command", { command: "sleep 30" })], status: "aborted" },
  left: { says: () => [call("run_command", { command: "sleep 30" })], status: "aborted" },
  "failed for what was sent": { says: () => ({ status: 400 }), status: "failed" },
  "failed for the server": { says: () => ({ status: 500 }), status: "failed" },
  "failed for the wire": { says: () => ({ text: "words", calls: list, cut: "reset" }), status: "failed" },
  "failed for its store": { says: () => list, status: "failed" },
};

interface Held {
  readonly resources: readonly string[];
  readonly files: number;
  readonly children: string;
  readonly listeners: number;
  readonly exits: number;
  readonly heap: number;
}

/** Runs one of the processes beside this file to its end, and returns what it said. */
async function said(file: string, words: object): Promise<unknown> {
  const flags = ["--expose-gc", "--unhandled-rejections=strict"];
  const child = spawn(process.execPath, [...flags, join(import.meta.dirname, file), JSON.stringify(words)], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let [stdout, stderr] = ["", ""];
  let saidAt = performance.now();
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
    saidAt = performance.now();
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const [code] = (await once(child, "close")) as [number | null];
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  // Once it has said all, nothing keeps it.
  expect(performance.now() - saidAt).toBeLessThan(10_000);
  return JSON.parse(stdout);
}

/** The reply by the task that the request is about, and by how many replies there were. */
function replyTo({ body: { messages } }: ProviderRequest): Step {
  const task = messages.find(({ role }) => role === "user")?.["content"];
  const ending = /^Do this: (.*)\.$/.exec(String(task))?.[1] ?? "";
  return endings[ending]!.says(messages.filter(({ role }) => role === "assistant").length);
}

test("whatever a run ends with, nothing of it is left: no child, timer, file, socket, listener, lock or memory", async () => {
  await using folder = await temporaryFolder();
  await using provider = await scriptedProvider(() => replyTo(provider.requests.at(-1)!));
  const rounds = isFull(5) ? 40 : 3;
  const path = join(folder.path, "sessions");
  const { statuses, seen } = (await said("resident.mjs", {
    endings: Object.keys(endings),
    url: provider.url,
    path,
    rounds,
  })) as { readonly statuses: Readonly<Record<string, string>>; readonly seen: readonly Held[] };
  expect(statuses).toEqual(Object.fromEntries(Object.entries(endings).map(([name, { status }]) => [name, status])));
  const [first, last] = [seen[0]!, seen.at(-1)!];
  for (const { resources, children, listeners } of seen)
    expect({ resources, children, listeners }).toEqual({ resources: [], children: "", listeners: 0 });
  expect(last.exits).toBe(first.exits);
  // Connections that are kept for the next request are few, however many there were.
  expect(last.files - first.files).toBeLessThan(5);
  expect(last.heap - seen[Math.floor(rounds / 2)]!.heap).toBeLessThan(4e6);
  for (const id of await readdir(path)) expect(await filesOf(join(path, id))).toEqual(["journal.jsonl", "lock/free"]);
  counted("resources-endings", rounds * Object.keys(endings).length);
}, 600_000);

async function filesOf(folder: string): Promise<readonly string[]> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  return found
    .filter((one) => one.isFile())
    .map(({ name, parentPath }) => join(parentPath, name).slice(folder.length + 1))
    .sort();
}

test("one session goes on and on while whatever can fail does: nothing runs twice, nothing is lost, and no memory is kept", async () => {
  const iterations = isFull(1) ? 10_000 : 300;
  for (const seed of seeds(1, 5)) {
    await using folder = await temporaryFolder();
    const seen = (await said("soak.mjs", { path: folder.path, seed, iterations })) as Record<string, number>;
    const again = `npm run chaos -- --seed ${String(seed)} one session goes on and on: ${JSON.stringify(seen)}`;
    expect({ twice: seen["twice"], untold: seen["untold"] }, again).toEqual({ twice: 0, untold: 0 });
    expect(seen["asked"], again).toBeGreaterThanOrEqual(iterations);
    expect(seen["heap"], again).toBeLessThan(60e6);
    counted("soak", seen["asked"]!);
  }
}, 1_800_000);

interface Leftovers {
  readonly signals: number;
  readonly timers: number;
  readonly listeners: number;
  readonly open: number;
  readonly files: number;
  readonly heap: number;
}

test("runs that are asked about, aborted and left leave nothing: no signal, timer, listener, open model, file or memory, and the process ends", async () => {
  await using folder = await temporaryFolder();
  await using provider = await scriptedProvider(() => {
    const isFirst = !provider.requests.at(-1)!.body.messages.some(({ role }) => role === "tool");
    return { text: "words ".repeat(20), piece: 20, pause: 1, calls: isFirst ? [call("work")] : done };
  });
  const runs = isFull(2) ? 5000 : 440;
  const { statuses, seen } = (await said("leftovers.mjs", { url: provider.url, path: folder.path, runs })) as {
    readonly statuses: object;
    readonly seen: readonly Leftovers[];
  };
  expect(statuses).toEqual({});
  expect(seen).toHaveLength(4);
  const [first, , , last] = seen as readonly [Leftovers, Leftovers, Leftovers, Leftovers];
  for (const { signals, timers, listeners, open } of seen) {
    expect({ timers, listeners, open }).toEqual({ timers: 0, listeners: 0, open: 0 });
    // Those of the last run may still be on the stack.
    expect(signals).toBeLessThan(10);
  }
  expect(last.files - first.files).toBeLessThan(5);
  // A gate that leaks keeps 8 KB of each question.
  expect(last.heap - first.heap).toBeLessThan(isFull(2) ? 3e6 : 1.5e6);
  counted("left-asked-aborted", runs);
}, 1_800_000);

const later = isAll ? "" : " (left out: npm run chaos runs it)";
test.skipIf(later)(
  `a call with ten megabytes of arguments runs once, with all of them${later}`,
  async () => {
    await using folder = await temporaryFolder();
    const content = "0123456789".repeat(1e6);
    await using provider = await scriptedProvider([
      { calls: [call("write_file", { path: "big.txt", content })], piece: 65_536 },
      done,
    ]);
    const model = openai({ baseURL: provider.url, model: "m" });
    const tools = [...workspaceTools({ root: folder.path }), taskCompletion()];
    const outcome = await createAgent({ model, tools, permission: allowAll() }).run("Write it");
    expect(outcome.status).toBe("completed");
    assertWellFormed(outcome.session.records, { tools });
    expect((await readFile(join(folder.path, "big.txt"), "utf8")) === content).toBe(true);
    counted("model-huge-turn", 1);
  },
  120_000,
);
