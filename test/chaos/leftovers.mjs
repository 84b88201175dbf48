// A process in which thousands of runs are asked about, aborted or left, with a model of its own and the HTTP model. It says what they leave behind.

import { getEventListeners } from "node:events";
import { existsSync, readdirSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { createAgent, noUsage, tool } from "../../dist/index.js";
import { fileStore, memoryStore, openSession } from "../../dist/memory/index.js";
import { openai } from "../../dist/model/index.js";
import { gate } from "../../dist/permission/index.js";
import { taskCompletion } from "../../dist/tools/index.js";

const { url, path, runs } = JSON.parse(process.argv[2] ?? "{}");
/** A signal that lives as long as the process, like that of a server. */
const shared = new AbortController();
/** The signals that were lent to approvers, models and tools. */
let lent = [];
const lend = (signal) => lent.push(new WeakRef(signal));
let [opened, closed] = [0, 0];

/** A model of one's own: it holds something open while it answers, and lets go of it in its `finally`. */
const own = {
  name: "own",
  provider: "own:",
  async *respond({ messages }, signal) {
    lend(signal);
    // A guest that does not clean up: a listener of a model or a tool may stay on the signal that it got.
    signal.addEventListener("abort", () => undefined);
    opened += 1;
    try {
      for (let word = 0; word < 5; word += 1) {
        yield { type: "text-delta", text: "word " };
        if (word === 2) await wait(1, undefined, { signal });
      }
      const call = messages.length === 1 ? ["work", {}] : ["task_completion", { result: "done" }];
      return { text: "", calls: [{ type: "call", name: call[0], input: call[1] }], finish: "complete", usage: noUsage };
    } finally {
      await wait(0);
      closed += 1;
    }
  },
};
const http = openai({ baseURL: url, model: "m", apiKey: "k", steady: { firstDelay: 1 } });

const work = tool({
  name: "work",
  description: "Works",
  input: { type: "object", properties: {} },
  effect: "execute",
  reach: () => ({ command: "node work.js" }),
  async *run(_input, { signal }) {
    lend(signal);
    signal.addEventListener("abort", () => undefined);
    yield "half";
    return "done";
  },
});

const answers = {
  yes: () => true,
  no: () => false,
  broken: () => {
    throw new Error("The line is dead.");
  },
  silent: () => new Promise(() => undefined),
};
const approving =
  (answer) =>
  (_call, { signal }) => {
    lend(signal);
    return answers[answer]();
  };
const agents = Object.fromEntries(
  Object.keys(answers).flatMap((answer) =>
    Object.entries({ own, http }).map(([name, model]) => {
      const permission = answer === "no" ? approving(answer) : gate({ root: path, approver: approving(answer) });
      const options = { model, tools: [work, taskCompletion()], permission, limits: { maxIterations: 2 } };
      return [`${answer} ${name}`, createAgent(options)];
    }),
  ),
);

/** What becomes of a run: the answer to its question, the event at which it is left or aborted, and the status that it ends with. */
const fates = [
  { answer: "yes", status: "completed" },
  { answer: "no", status: "completed" },
  { answer: "broken", status: "completed" },
  { answer: "yes", stored: "memory", status: "completed" },
  { answer: "yes", stored: "files", status: "completed" },
  { answer: "yes", leaveAt: "text-delta", status: "aborted" },
  { answer: "yes", leaveAt: "call-progress", status: "aborted" },
  { answer: "yes", leaveAt: "text-delta", stored: "files", status: "aborted" },
  { answer: "yes", abortAt: "text-delta", status: "aborted" },
  { answer: "yes", abortAt: "request-start", status: "aborted" },
  { answer: "silent", abortAt: "reply-end", status: "aborted" },
].flatMap((fate) => ["own", "http"].map((model) => ({ ...fate, model })));

const stores = { memory: memoryStore(), files: fileStore(path) };

/** One run. Returns its status. */
async function live({ answer, model, stored, leaveAt, abortAt }, number) {
  const abort = new AbortController();
  const signal = abortAt === undefined ? shared.signal : abort.signal;
  const store = stores[stored];
  const id = `s${number}`;
  const session = store && openSession({ store, id });
  const events = agents[`${answer} ${model}`].stream("Go.", { signal, session });
  for await (const { type } of events) {
    if (type === leaveAt) break;
    // In the middle of what follows the event.
    if (type === abortAt) setTimeout(() => abort.abort(), 2);
  }
  const { status } = await events.outcome;
  if (store) await store.delete(id);
  return status;
}

/** What is there now. */
async function held() {
  // Bodies of replies that were left may be read for a moment.
  for (let turns = 0; turns < 40 && process.getActiveResourcesInfo().includes("Timeout"); turns += 1) await wait(50);
  for (let turns = 0; turns < 4; turns += 1) {
    await wait(5);
    globalThis.gc();
  }
  const signals = lent.filter((signal) => signal.deref() !== undefined).length;
  lent = [];
  return {
    signals,
    timers: process.getActiveResourcesInfo().filter((name) => name === "Timeout").length,
    listeners: getEventListeners(shared.signal, "abort").length,
    open: opened - closed,
    files: existsSync("/proc/self/fd") ? readdirSync("/proc/self/fd").length : 0,
    heap: process.memoryUsage().heapUsed,
  };
}

const statuses = {};
const seen = [];
const parts = 4;
for (let number = 0; number < runs; number += 1) {
  const fate = fates[number % fates.length];
  const status = await live(fate, number);
  if (status !== fate.status) statuses[`${JSON.stringify(fate)} ended ${status}`] = number;
  if ((number + 1) % Math.floor(runs / parts) === 0) seen.push(await held());
}
console.log(JSON.stringify({ statuses, seen, asked: opened }));
