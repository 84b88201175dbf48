// Sessions on many workers: how many there are in a second, and how much of their cost is DBOS' and how much lastcall's.
//
//   node bench/hosts.mjs postgres://user@host/database [sessions] [workers] [--reply 5000] [--rounds 2]     1,000 sessions on 20 processes
//
// A session is two deliveries: a run of four replies and three calls that ends with a question, and one of two replies and a call after its
// answer. The engine alone keeps, queues and ends the same deliveries, and its step only takes the time that these replies and calls take.
// Both go by turns, each in a database of its own. Run it on a machine that does nothing else: processor time is that of the machine.

import { fork } from "node:child_process";
import { once } from "node:events";
import { cpus } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import pg from "pg";
import { runWorker, openFront } from "./hosts-worker.mjs";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    worker: { type: "string" },
    rounds: { type: "string", default: "2" },
    reply: { type: "string", default: "5000" },
  },
});
if (values.worker !== undefined) await runWorker(JSON.parse(values.worker));
else await compare();

async function compare() {
  const [address, sessions = "1000", workers = "20"] = positionals;
  if (address === undefined) {
    console.error("Give the address of a Postgres, such as postgres://user@host/database.");
    process.exit(4);
  }
  const all = { engine: [], lastcall: [] };
  for (let round = 0; round < Number(values.rounds); round += 1)
    for (const kind of ["engine", "lastcall"]) {
      const measured = await inDatabase(address, `bench_${kind}_${Date.now().toString(36)}`, (url) =>
        measure({ kind, url, reply: Number(values.reply), sessions: Number(sessions), workers: Number(workers) }),
      );
      all[kind].push(measured);
      console.log(`round ${round + 1}: ${kind.padEnd(8)} ${describe(measured)}`);
    }
  const [engine, lastcall] = [all.engine, all.lastcall].map(medians);
  console.log(`\nmedian:  engine   ${describe(engine)}\nmedian:  lastcall ${describe(lastcall)}`);
  for (const figure of Object.keys(engine))
    console.log(
      `${figure.padEnd(12)} lastcall over the engine alone: ${(lastcall[figure] / engine[figure]).toFixed(2)}`,
    );
}

async function inDatabase(address, name, work) {
  const admin = new pg.Client({ connectionString: address });
  await admin.connect();
  await admin.query(`create database ${name}`);
  const url = new URL(address);
  url.pathname = name;
  try {
    return await work(url.href);
  } finally {
    await admin.query(`drop database ${name} with (force)`);
    await admin.end();
  }
}

async function measure({ kind, url, reply, sessions, workers }) {
  const front = await openFront({ kind, url, reply });
  const children = Array.from({ length: workers }, () =>
    fork(fileURLToPath(import.meta.url), ["--worker", JSON.stringify({ kind, url, reply })]),
  );
  await Promise.all(children.map((child) => once(child, "message")));
  const [busy, began] = [processorTime(), performance.now()];
  const times = [];
  await Promise.all(
    Array.from({ length: sessions }, async (_none, index) => {
      for (const turn of [0, 1]) {
        const from = performance.now();
        await front.deliver(`s${index}`, turn);
        times.push(performance.now() - from);
      }
    }),
  );
  const seconds = (performance.now() - began) / 1000;
  const processor = (processorTime() - busy) / sessions;
  const gone = Promise.all(children.map((child) => once(child, "exit")));
  for (const child of children) child.kill("SIGKILL");
  await gone;
  await front.close();
  const at = (share) => times.toSorted((a, b) => a - b)[Math.floor((times.length - 1) * share)];
  return { rate: sessions / seconds, p50: at(0.5), p99: at(0.99), processor };
}

/** Milliseconds that the processors of this machine were busy. */
function processorTime() {
  return cpus().reduce((sum, { times: { user, nice, sys, irq } }) => sum + user + nice + sys + irq, 0);
}

function describe({ rate, p50, p99, processor }) {
  const ms = (value) => `${value.toFixed(0)} ms`;
  return `${rate.toFixed(1)} sessions a second; a delivery p50 ${ms(p50)}, p99 ${ms(p99)}; ${ms(processor)} of processor a session`;
}

function medians(measured) {
  const middle = (figure) => measured.map((each) => each[figure]).toSorted((a, b) => a - b)[measured.length >> 1];
  return Object.fromEntries(Object.keys(measured[0]).map((figure) => [figure, middle(figure)]));
}
