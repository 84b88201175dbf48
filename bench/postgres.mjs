// Sessions in Postgres: what an iteration costs in statements, bytes of the write-ahead log and flushes, and how many there are in a second.
//
//   node bench/postgres.mjs postgres://user@host/database [sessions] [iterations] [at a time]     200 sessions of 20 iterations, 50 at a time
//
// The model is scripted and answers at once, so the figures are those of lastcall and Postgres alone. Each iteration calls one tool that
// only reads, or with `--writes` one that changes something, which keeps an intent before it. The tables are made in a schema of their own.

import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import pg from "pg";
import { z } from "zod";
import { createAgent, tool } from "../dist/index.js";
import { openSession } from "../dist/memory/index.js";
import { migrate, pgStore } from "../dist/postgres/index.js";
import { call, scriptedModel } from "../dist/testing/index.js";
import { taskCompletion } from "../dist/tools/index.js";

const { values, positionals } = parseArgs({ allowPositionals: true, options: { writes: { type: "boolean" } } });
const [connectionString, sessions = "200", iterations = "20", atOnce = "50"] = positionals;
if (connectionString === undefined) {
  console.error("Give the address of a Postgres, such as postgres://user@host/database.");
  process.exit(4);
}
const [count, each, width] = [sessions, iterations, atOnce].map(Number);

const real = new pg.Pool({ connectionString, max: 20 });
const statements = new Map();
const times = [];
/** Counts the statements of the store, and takes the time of appends. */
const pool = {
  connect: () => real.connect(),
  on: (...words) => real.on(...words),
  async query(text, given) {
    const kind = text.includes("WITH ORDINALITY") ? "append" : /^\s*(\w+)/.exec(text)[1].toLowerCase();
    statements.set(kind, (statements.get(kind) ?? 0) + 1);
    const began = performance.now();
    const result = await real.query(text, given);
    if (kind === "append") times.push(performance.now() - began);
    return result;
  },
};

const schema = `bench_${Date.now().toString(36)}`;
await migrate(real, { schema });
const store = pgStore(pool, { schema });
const look = tool({
  name: "look",
  description: "Looks at a place",
  input: z.object({ place: z.string() }),
  effect: values.writes ? "network" : "read",
  run: ({ place }) => `${place} is as it was. `.repeat(10),
});
const place = call("look", { place: "the kitchen" });
const script = ({ requests }) => (requests < each ? [place] : [call("task_completion", { result: "done" })]);
const permission = { decide: () => ({ allowed: true, reason: "bench" }) };

async function runOne(index) {
  let requests = 0;
  const model = scriptedModel(() => script({ requests: (requests += 1) }));
  const agent = createAgent({ model, permission, tools: [look, taskCompletion()], circuit: { stall: false } });
  const outcome = await agent.run("Look around.", { session: openSession({ store, id: `s${index}` }) });
  if (outcome.status !== "completed") throw new Error(`${outcome.status}: ${outcome.message}`);
}

const [{ lsn: from, syncs: syncsBefore }] = await state();
const began = performance.now();
const cpu = process.cpuUsage();
let next = 0;
await Promise.all(
  Array.from({ length: width }, async () => {
    while (next < count) await runOne((next += 1));
  }),
);
const seconds = (performance.now() - began) / 1000;
const { user, system } = process.cpuUsage(cpu);
// The counts of Postgres come with a delay.
await wait(1500);
const [{ bytes, syncs }] = await state(from);
const all = count * each;
const { rows } = await real.query(
  `SELECT sum(pg_total_relation_size(c.oid))::float8 AS size FROM pg_class c
  JOIN pg_namespace n ON n.oid = relnamespace WHERE nspname = $1 AND relkind = 'r'`,
  [schema],
);
const per = (value) => (value / all).toFixed(2);
const at = (share) => times.toSorted((a, b) => a - b)[Math.floor((times.length - 1) * share)].toFixed(2);
console.log(
  `${count} sessions of ${each} iterations, ${width} at a time, a tool that ${values.writes ? "changes" : "reads"}`,
);
for (const [kind, times] of [...statements].sort()) console.log(`${kind.padEnd(10)} ${per(times)} an iteration`);
console.log(
  `log        ${per(bytes)} bytes of the write-ahead log an iteration, ${per(rows[0].size)} bytes of tables and indexes`,
);
console.log(`flushes    ${per(syncs - syncsBefore)} an iteration`);
console.log(
  `speed      ${(all / seconds).toFixed(0)} iterations a second; this process ${per((user + system) / 1000)} ms of processor each`,
);
console.log(`append     p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`);
await real.query(`DROP SCHEMA ${schema} CASCADE`);
await real.end();

async function state(since = "0/0") {
  const { rows } = await real.query(
    "SELECT pg_current_wal_lsn() AS lsn, (pg_current_wal_lsn() - $1::pg_lsn)::float8 AS bytes, (SELECT wal_sync FROM pg_stat_wal)::float8 AS syncs",
    [since],
  );
  return rows;
}
