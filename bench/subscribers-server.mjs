// The server of `bench/subscribers.mjs`, a process of its own: one host over a store in memory, and orders over the channel to its parent.
//
//   memory                 collects garbage, and answers with the bytes of the process and of its heap
//   cpu                    answers with the milliseconds of processor time that the process has used
//   runs COUNT DELTAS      runs in COUNT sessions at once, each with DELTAS pieces of text; answers when all have ended
//   bare DELTAS            writes as many frames of the same size to each client of a bare `node:http` server; answers when all are written
//   ticks SESSION MS       one run in a new session, with an event of 1 KB every two milliseconds; answers when it has ended

import { createServer } from "node:http";
import { createAgent, tool } from "lastcall";
import { memoryStore } from "lastcall/memory";
import { createHandler, serve } from "lastcall/server";
import { taskCompletion } from "lastcall/tools";
import { z } from "zod";

const usage = { inputTokens: 100, cachedInputTokens: 0, outputTokens: 100, reasoningTokens: 0 };
const turn = () => new Promise((resolve) => setImmediate(resolve));
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
/** A clock that all processes of a machine share, in milliseconds. */
const now = () => Number(process.hrtime.bigint()) / 1e6;

/** A model that says the pieces that its input asks for, or makes the events that it asks for, and is done. */
const model = {
  name: "talker",
  provider: "talker:",
  async *respond({ messages }) {
    const { deltas = 0, ticks } = JSON.parse(messages[0].text);
    const isDone = messages.length > 1 || ticks === undefined;
    for (let delta = 0; delta < deltas; delta += 1) {
      yield { type: "text-delta", text: "word " };
      await turn();
    }
    const call = isDone
      ? { type: "call", name: "task_completion", input: { result: "said" } }
      : { type: "call", name: "tick", input: { ms: ticks } };
    return { text: "word ".repeat(deltas), calls: [call], finish: "complete", usage };
  },
};

const tick = tool({
  name: "tick",
  description: "Makes events, each with the time at which it was made",
  input: z.object({ ms: z.number() }),
  effect: "read",
  run: async function* ({ ms }) {
    for (const end = now() + ms; now() < end; await pause(2)) yield { made: now(), pad: "x".repeat(1000) };
    return "ticked";
  },
});

const talker = createAgent({ model, tools: [tick, taskCompletion()] });
const handler = createHandler({ agents: { talker }, store: memoryStore() });
const { port } = await serve(handler, { port: 0 });

async function run(session, work) {
  const given = await handler.host.give({ session, input: JSON.stringify(work) });
  const { status } = await given.ended();
  if (status !== "completed") throw new Error(`a run of the bench ended ${status}`);
}

/** The open answers of the bare server: the least that a server of events can do. */
const answers = new Set();
const bare = createServer((_request, response) => {
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.flushHeaders();
  answers.add(response);
  response.on("close", () => answers.delete(response));
});
await new Promise((resolve) => bare.listen(0, "127.0.0.1", 4096, resolve));
const event = { type: "text-delta", text: "word " };

const orders = {
  async memory() {
    // Dropped objects are free after the second collection, once their finalizers have run.
    for (let time = 0; time < 3; time += 1) {
      globalThis.gc();
      await pause(200);
    }
    const { rss, heapUsed, external } = process.memoryUsage();
    return { rss, heap: heapUsed + external };
  },
  async cpu() {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  },
  async runs(count, deltas) {
    await Promise.all(Array.from({ length: count }, (_none, index) => run(`s${index}`, { deltas })));
  },
  async bare(deltas) {
    for (let delta = 1; delta <= deltas; delta += 1) {
      // Each run has events of its own, so their texts are written once for each client.
      for (const answer of answers)
        answer.write(`id: 1.mdz0k3f9+${delta}@k3f9x1ab\ndata: ${JSON.stringify({ event })}\n\n`);
      await turn();
    }
  },
  ticks: (session, ms) => run(session, { ticks: ms }),
};

process.on("message", async ([order, ...values]) => process.send({ answer: (await orders[order](...values)) ?? null }));
process.on("disconnect", () => process.exit());
process.send([port, bare.address().port]);
