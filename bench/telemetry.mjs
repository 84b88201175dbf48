// Telemetry: the processor time of an iteration with `lastcall/otel`, beside the same iteration without it, in one process and in turn.
//
//   node bench/telemetry.mjs [blocks]     ends with 1 if the hook with a tracer that does nothing costs 5 % or more
//
// The provider is a server on this machine. A block is 10 runs of 50 iterations. The figures are medians over the blocks, and the ratios
// medians of the ratios of neighbouring blocks.

import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { context } from "@opentelemetry/api";
import { BatchSpanProcessor, NodeTracerProvider } from "@opentelemetry/sdk-trace-node";
import { createAgent, tool } from "lastcall";
import { openai } from "lastcall/model";
import { otel } from "lastcall/otel";
import { taskCompletion } from "lastcall/tools";
import { z } from "zod";
import { median } from "./figures/statistics.mjs";
import { startServer } from "./samples.mjs";

const blocks = Number(process.argv[2] ?? 15);
const [runs, n] = [10, 50];

/** An exporter that throws spans away, so that only the work of making them counts. */
const nowhere = { export: (_spans, done) => done({ code: 0 }), shutdown: async () => undefined };
const provider = new NodeTracerProvider({ spanProcessors: [new BatchSpanProcessor(nowhere)] });
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());

const kinds = {
  without: [],
  "no tracer": [await otel({ agent: "bench" })],
  "SDK, all sampled": [await otel({ agent: "bench", tracer: provider.getTracer("lastcall") })],
  "SDK, content": [await otel({ agent: "bench", tracer: provider.getTracer("lastcall"), content: true })],
};

const server = await startServer();
const lookup = tool({
  name: "lookup",
  description: "Looks a key up",
  input: z.object({ key: z.string() }),
  effect: "read",
  run: async () => "the quick brown fox jumps over the lazy dog".repeat(3),
});

/** The processor time of this process for a block, in milliseconds per iteration. */
async function block(hooks) {
  const model = openai({ baseURL: `${server.address}/s/n=${n}/v1`, model: "scripted", apiKey: "none" });
  const agent = createAgent({ model, tools: [lookup, taskCompletion()], hooks });
  globalThis.gc?.();
  const before = process.cpuUsage();
  for (let run = 0; run < runs; run += 1) {
    const outcome = await agent.run("Look them all up.");
    if (outcome.status !== "completed" || outcome.iterations !== n)
      throw new Error(JSON.stringify(outcome).slice(-300));
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / runs / n;
}

const times = Object.fromEntries(Object.keys(kinds).map((kind) => [kind, []]));
try {
  for (const hooks of [...Object.values(kinds), ...Object.values(kinds)]) await block(hooks);
  for (let round = 0; round < blocks; round += 1) {
    const entries = Object.entries(kinds);
    for (const [kind, hooks] of round % 2 === 0 ? entries : entries.toReversed()) times[kind].push(await block(hooks));
  }
} finally {
  server.stop();
}

const ratio = (kind) => median(times[kind].map((time, index) => time / times.without[index]));
for (const kind of Object.keys(kinds)) {
  const more = (100 * (ratio(kind) - 1)).toFixed(1);
  console.log(
    `${kind.padEnd(18)} ${(1000 * median(times[kind])).toFixed(0).padStart(5)} µs per iteration, ${more.padStart(5)} % more`,
  );
}
process.exitCode = ratio("no tracer") < 1.05 ? 0 : 1;
