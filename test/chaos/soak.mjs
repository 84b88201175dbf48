// A process in which one session goes on and on over files, while whatever can fail does, by a seed; it says what it came to.

import { createAgent, LastcallError, tool } from "../../dist/index.js";
import { fileStore, openSession, windowed } from "../../dist/memory/index.js";
import { allowAll } from "../../dist/permission/index.js";
import { askQuestion, readResult, taskCompletion } from "../../dist/tools/index.js";
import { assertWellFormed } from "../../dist/testing/index.js";

const { path, seed, iterations } = JSON.parse(process.argv[2] ?? "{}");
let state = seed;
/** Numbers from 0 up to 1 (Park and Miller). */
const random = () => (state = (state * 48271) % 2147483647) / 2147483647;

const effects = new Map();
let twice = 0;
const work = tool({
  name: "work",
  description: "Works",
  input: { type: "object", properties: { what: { type: "string" } }, required: ["what"] },
  effect: "write",
  run: ({ what }, { callId }) => {
    if (effects.has(callId)) twice += 1;
    effects.set(callId, what);
    if (random() < 0.05) throw new Error("It broke");
    return random() < 0.05 ? "line after line\n".repeat(400) : `did ${what}`;
  },
});

let [asked, since] = [0, 0];
const usage = { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0, reasoningTokens: 0 };
const model = {
  name: "soaked",
  provider: "soaked:",
  async *respond() {
    asked += 1;
    since += 1;
    const chance = random();
    if (chance < 0.004) throw new LastcallError("provider_unavailable", "It is gone.");
    const reply = (name, input, text = "") => ({
      text,
      calls: [{ type: "call", name, input }],
      finish: "complete",
      usage,
    });
    if (chance < 0.02) return reply("wrok", {});
    if (chance < 0.04) return { text: "words", calls: [], finish: "complete", usage };
    if (chance < 0.045) return { ...reply("work", { what: "cut" }), finish: "cut" };
    // Now and then a run ends, so that the next one reads all of it again.
    if (since > 300 && chance < 0.1) {
      since = 0;
      return chance < 0.07
        ? reply("ask_question", { question: "Go on?" })
        : reply("task_completion", { result: "A part." });
    }
    return reply("work", { what: String(asked) }, random() < 0.1 ? "words ".repeat(200) : "");
  },
};

const tools = [work, readResult(), askQuestion(), taskCompletion()];
const agent = createAgent({ model, tools, permission: allowAll(), memory: windowed({ window: 8000 }) });
const store = fileStore(path);
const failing = {
  ...store,
  async lock(...taken) {
    const lock = await store.lock(...taken);
    if (!("append" in lock)) return lock;
    const append = async (lines, flush) => {
      if (random() < 0.0005) throw new LastcallError("store", "The disk is full.");
      await lock.append(lines, flush);
    };
    return { ...lock, append };
  },
};

const heaps = [];
const statuses = {};
while (asked < iterations) {
  const session = openSession({ store: failing, id: "s" });
  const abort = new AbortController();
  let left = random() < 0.2 ? random() * 500 : Infinity;
  const onEvent = () => {
    left -= 1;
    if (left < 0) abort.abort();
  };
  const outcome = await agent.run("Go on.", { session, signal: abort.signal, onEvent });
  statuses[outcome.status] = (statuses[outcome.status] ?? 0) + 1;
  if (outcome.status === "failed" && !["store", "provider_unavailable"].includes(outcome.fault.code))
    throw outcome.fault;
}
const { records } = await openSession({ store, id: "s" }).toJSON();
assertWellFormed(records, { tools, ended: records.at(-1)?.type === "outcome" });
const own = records.filter(({ type }) => type === "result" || type === "claim");
const answered = new Set(own.map((record) => record.callId ?? record.result.callId));
const untold = [...effects.keys()].filter((id) => !answered.has(id)).length;
const folds = records.filter(({ type }) => type === "fold").length;
const count = records.length;
records.length = own.length = 0;
answered.clear();
effects.clear();
globalThis.gc();
heaps.push(process.memoryUsage().heapUsed);
console.log(JSON.stringify({ asked, statuses, twice, untold, folds, records: count, heap: heaps[0] }));
