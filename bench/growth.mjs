// Growth: runs one long session in a file store, and measures the cost of an append early and late, and the time to open it and a longer one.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAgent, tool } from "lastcall";
import { fileStore, openSession, windowed } from "lastcall/memory";
import { taskCompletion } from "lastcall/tools";
import { z } from "zod";
import { median } from "./figures/statistics.mjs";
import { open, opening } from "./opening.mjs";

const page = "what a page of the book says, line by line\n".repeat(30);
const read = tool({
  name: "read_page",
  description: "Reads a page",
  input: z.object({ number: z.number() }),
  effect: "read",
  run: ({ number }) => `page ${number}\n${page}`,
});

/** A model that reads page after page. It counts four characters per token, and measures how much of each prompt is unchanged. */
function reader(iterations) {
  const prefix = { same: 0, all: 0 };
  let asked = 0;
  let before = [];
  const sizeOf = (message) => message.text?.length ?? 60;
  return {
    name: "reader",
    provider: "reader:",
    prefix,
    async *respond({ messages }) {
      asked += 1;
      const shared = before.findIndex((message, index) => message !== messages[index]);
      const kept = shared < 0 ? before.length : shared;
      for (const [index, message] of before.entries()) {
        prefix.all += sizeOf(message);
        if (index < kept) prefix.same += sizeOf(message);
      }
      before = [...messages];
      const inputTokens = Math.ceil(messages.reduce((sum, message) => sum + sizeOf(message), 0) / 4);
      const usage = { inputTokens, cachedInputTokens: 0, outputTokens: 10, reasoningTokens: 0 };
      const call =
        asked === iterations
          ? { type: "call", name: "task_completion", input: { result: "read" } }
          : { type: "call", name: "read_page", input: { number: asked } };
      return { text: "", calls: [call], finish: "complete", usage };
    },
  };
}

/** Wraps the store so that the duration of every append is added to `times`, in milliseconds. */
function timed(store, times) {
  return {
    ...store,
    async lock(id, holder) {
      const lock = await store.lock(id, holder);
      if (!("append" in lock)) return lock;
      const append = async (lines, flush) => {
        const began = performance.now();
        await lock.append(lines, flush);
        times.push(performance.now() - began);
      };
      return { ...lock, append };
    },
  };
}

/** Runs a session of this many iterations in a window of 32,000 tokens, and returns the measurements. */
export async function growth(iterations) {
  const folder = mkdtempSync(join(tmpdir(), "lastcall-growth-"));
  try {
    const store = fileStore(folder);
    const appends = [];
    const perTenth = [];
    const model = reader(iterations);
    const agent = createAgent({ model, tools: [read, taskCompletion()], memory: windowed({ window: 32_000 }) });
    let began = process.cpuUsage();
    const outcome = await agent.run("Read the book.", {
      session: openSession({ store: timed(store, appends), id: "book" }),
      onEvent: (event) => {
        if (event.type !== "iteration-end" || event.iteration % (iterations / 10) !== 0) return;
        const { user, system } = process.cpuUsage(began);
        perTenth.push((user + system) / 1000 / (iterations / 10));
        began = process.cpuUsage();
      },
    });
    if (outcome.status !== "completed") throw new Error(`the run ended ${outcome.status}`);
    const { took, lease } = await open(store, "book");
    await lease.release();
    const openLong = await opening(folder, lease.records, 5);
    const tenth = Math.floor(appends.length / 10);
    const [early, late] = [appends.slice(tenth, 2 * tenth), appends.slice(-tenth)].map(median);
    const changed = 100 * (1 - model.prefix.same / model.prefix.all);
    return {
      early,
      late,
      growth: late / early,
      cpu: perTenth[1],
      cpuLate: perTenth.at(-1),
      open: took,
      openLong,
      changed,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
