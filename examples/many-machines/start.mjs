// Starts Postgres, two workers and the studio on this machine: `node examples/many-machines/start.mjs`. Ctrl-C stops them.

import { fork } from "node:child_process";
import { join } from "node:path";
import { migrate, pgStore } from "lastcall/postgres";
import { createHandler, createHub, serve } from "lastcall/server";
import pg from "pg";
import { agents } from "./agent.mjs";
import { startPostgres, url } from "./postgres.mjs";

const stopPostgres = await startPostgres();
const pool = new pg.Pool({ connectionString: url });
await migrate(pool);
console.log(`Postgres: ${url}`);

const workers = new Set();
let isOver = false;
/** Starts a worker, and another one when it dies. */
function startWorker() {
  const worker = fork(join(import.meta.dirname, "worker.mjs"));
  workers.add(worker);
  worker.once("exit", (code, signal) => {
    workers.delete(worker);
    if (isOver) return;
    console.log(`worker ${worker.pid} died (${signal ?? code}); another one starts`);
    startWorker();
  });
}
startWorker();
startWorker();

const hub = createHub({ agents, store: pgStore(pool) });
const server = await serve(createHandler({ hub, studio: true, readOnly: true }), {
  port: Number(process.env["PORT"] ?? 8123),
});
console.log(`Studio: http://127.0.0.1:${server.port}/studio/`);
console.log("In another terminal: node examples/many-machines/survive.mjs");

process.once("SIGINT", () => void stop());
process.once("SIGTERM", () => void stop());
async function stop() {
  isOver = true;
  await Promise.all(
    [...workers].map((worker) => {
      const gone = new Promise((resolve) => worker.once("exit", resolve));
      worker.kill("SIGTERM");
      return gone;
    }),
  );
  await server.close();
  await hub.close();
  await pool.end();
  await stopPostgres();
  process.exit(0);
}
