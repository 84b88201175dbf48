// Starts Postgres, two workers and the server with the studio on this machine: `node examples/many-machines/start.mjs`. Ctrl-C stops them.

import { fork } from "node:child_process";
import { join } from "node:path";
import { migrate } from "lastcall/postgres";
import pg from "pg";
import { startPostgres, url } from "./postgres.mjs";

const stopPostgres = await startPostgres();
const pool = new pg.Pool({ connectionString: url });
await migrate(pool);
await pool.end();
console.log(`Postgres: ${url}`);

const programs = new Set();
let isOver = false;
/** Starts a program, and starts it again when it dies. */
function keepRunning(name) {
  const program = fork(join(import.meta.dirname, `${name}.mjs`));
  programs.add(program);
  program.once("exit", (code, signal) => {
    programs.delete(program);
    if (isOver) return;
    console.log(`${name} ${program.pid} died (${signal ?? code}); another one starts`);
    keepRunning(name);
  });
}
for (const name of ["worker", "worker", "server"]) keepRunning(name);
console.log("In another terminal: node examples/many-machines/survive.mjs");

process.once("SIGINT", () => void stop());
process.once("SIGTERM", () => void stop());
async function stop() {
  isOver = true;
  await Promise.all(
    [...programs].map((program) => {
      const gone = new Promise((resolve) => program.once("exit", resolve));
      program.kill("SIGTERM");
      return gone;
    }),
  );
  await stopPostgres();
  process.exit(0);
}
