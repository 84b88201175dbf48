// The two sides of bench/hosts.mjs, each as a process that works and as one that gives deliveries: DBOS alone, and lastcall's host on it.

import { setTimeout as wait } from "node:timers/promises";
import { DBOS, DBOSClient } from "@dbos-inc/dbos-sdk";
import pg from "pg";
import { z } from "zod";
import { hostOnDbos } from "../dist/dbos/index.js";
import { createAgent, tool } from "../dist/index.js";
import { migrate, pgStore } from "../dist/postgres/index.js";
import { askQuestion, taskCompletion } from "../dist/tools/index.js";

/** Milliseconds of a call. */
const call = 100;
const perWorker = 20;
const poll = 1000;
const queue = "bench";

const usage = { inputTokens: 1, outputTokens: 1, cachedInputTokens: 0, reasoningTokens: 0 };
/** A model whose replies take so many milliseconds. */
const modelOf = (reply) => ({
  name: "by-the-prompt",
  async *respond({ messages }, signal) {
    await wait(reply, undefined, { signal });
    const turn = messages.filter(({ role }) => role === "assistant").length;
    const [name, input] =
      turn === 3
        ? ["ask_question", { question: "Go on?" }]
        : turn === 5
          ? ["task_completion", { result: "done" }]
          : ["charge", { number: turn }];
    return { text: "", finish: "complete", usage, calls: [{ type: "call", name, input }] };
  },
});
const charge = tool({
  name: "charge",
  description: "Charges a card",
  input: z.object({ number: z.number() }),
  effect: "network",
  async run() {
    await wait(call);
    return "charged";
  },
});
const permission = { decide: () => ({ allowed: true, reason: "bench" }) };

const poolOf = (url) => new pg.Pool({ connectionString: url, max: 20 }).on("error", () => undefined);
function hostOf(pool, { reply, work }) {
  const tools = [charge, askQuestion(), taskCompletion()];
  const agents = { worker: createAgent({ model: modelOf(reply), permission, tools }) };
  return hostOnDbos({ agents, store: pgStore(pool), pool, queue, work, poll, concurrency: { perWorker } });
}

/** A process that works until it is killed. */
export async function runWorker({ kind, url, reply }) {
  const pool = poolOf(url);
  if (kind === "lastcall") await hostOf(pool, { reply, work: true });
  else {
    // The time that the replies and calls of each delivery take.
    const busy = [4 * reply + 3 * call, 2 * reply + call];
    DBOS.registerWorkflow((turn) => DBOS.runStep(() => wait(busy[turn], turn), { name: "deliver" }), {
      name: "delivery",
    });
    DBOS.setConfig({
      name: queue,
      systemDatabaseUrl: url,
      systemDatabasePool: pool,
      applicationVersion: "bench",
      executorID: String(process.pid),
      runMigrations: false,
      listenQueues: [queue],
      logLevel: "error",
    });
    await DBOS.launch();
    await DBOS.registerQueue(queue, {
      workerConcurrency: perWorker,
      minPollingIntervalMs: poll,
      onConflict: "always_update",
    });
  }
  process.on("disconnect", () => process.exit(1));
  process.send({ up: true });
}

/** A process that gives deliveries, and waits for their ends. */
export async function openFront({ kind, url, reply }) {
  const pool = poolOf(url);
  return kind === "lastcall" ? hostFront(pool, reply) : engineFront(pool, url);
}

async function hostFront(pool, reply) {
  await migrate(pool);
  const host = await hostOf(pool, { reply, work: false });
  const asked = new Map();
  return {
    async deliver(session, turn) {
      const run =
        turn === 0
          ? await host.give({ session, input: "go", inputId: "first" })
          : await host.give({ session, answers: asked.get(session), input: "yes" });
      const end = await run.ended();
      if (end.status !== ["waiting", "completed"][turn]) throw new Error(`${session}: ${end.status}`);
      asked.set(session, end.waiting?.id);
    },
    async close() {
      await host.close();
      await pool.end();
    },
  };
}

async function engineFront(pool, url) {
  await DBOS.migrate(url);
  const logger = { info: () => undefined, debug: () => undefined, warn: console.warn, error: console.error };
  const client = await DBOSClient.create({
    systemDatabaseUrl: url,
    systemDatabasePool: pool,
    applicationName: queue,
    logger,
  });
  /** Asks for all awaited ends at once, as the host does. */
  const awaited = new Map();
  const asking = setInterval(async () => {
    const ids = [...awaited.keys()];
    for (let from = 0; from < ids.length; from += 500) {
      const workflowIDs = ids.slice(from, from + 500);
      for (const { workflowID } of await client.listWorkflows({ workflowIDs, status: "SUCCESS", loadInput: false }))
        awaited.get(workflowID)?.();
    }
  }, poll);
  return {
    async deliver(session, turn) {
      const workflowID = `${session}/${turn}`;
      await client.enqueue(
        { workflowID, workflowName: "delivery", queueName: queue, appVersion: "bench", attributes: { session } },
        turn,
      );
      await new Promise((resolve) => awaited.set(workflowID, resolve));
      awaited.delete(workflowID);
    },
    async close() {
      clearInterval(asking);
      await client.destroy();
      await pool.end();
    },
  };
}
