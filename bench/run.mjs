// npm run bench [-- --quick] [-- --json FILE]: measures an iteration against a loop written by hand, a long session, and the startup.

import { fork } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { growth as growthOf } from "./growth.mjs";
import { median } from "./median.mjs";
import { startup } from "./startup.mjs";

const { values: options } = parseArgs({ options: { quick: { type: "boolean" }, json: { type: "string" } } });
const { rounds, turns, warmUp } = options.quick
  ? { rounds: 1, turns: 2, warmUp: 2000 }
  : { rounds: 4, turns: 3, warmUp: 3000 };
/** The number of runs of each length in one turn, chosen so that each length has about the same number of iterations. */
const lengths = [
  { n: 50, runs: 16 },
  { n: 200, runs: 4 },
  { n: 1000, runs: 1 },
];
const clients = { lastcall: "./by-lastcall.mjs", hand: "./by-hand.mjs" };
const goals = { ratio: 1.3, growth: 1.15, append: 1.5, open: 1000, prefix: 0.9, import: 30, help: 150 };

/** Starts a script of this folder as a process. If it fails, this process exits with code 2. */
function start(file, ...args) {
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), args);
  return child.once("exit", (code) => code !== 0 && process.exit(2));
}

/** Sends a task to a worker and waits for the measurements. */
async function ask(worker, task) {
  worker.send(task);
  const [answer] = await once(worker, "message");
  return answer;
}

/** Starts and warms up two new processes, then measures every length alternately: lastcall, by hand, lastcall, by hand, ... */
async function round(address, samples) {
  const workers = Object.entries(clients).map(([name, file]) => ({
    name,
    process: start("worker.mjs", file, address),
  }));
  for (const { process } of workers) await once(process, "message");
  for (const { process } of workers) await ask(process, { n: 100, runs: warmUp / 100 });
  for (let turn = 0; turn < turns; turn += 1) {
    for (const { n, runs } of lengths) {
      const pair = { n };
      for (const { name, process } of workers) pair[name] = await ask(process, { n, runs });
      samples.push(pair);
    }
  }
  for (const { process } of workers) process.disconnect();
}

/** The medians at one length. Ratios are computed per pair. */
function summary(samples, n) {
  const pairs = samples.filter((pair) => pair.n === n);
  const of = (read) => median(pairs.map(read));
  return {
    n,
    cpu: {
      lastcall: of((p) => p.lastcall.cpu),
      hand: of((p) => p.hand.cpu),
      ratio: of((p) => p.lastcall.cpu / p.hand.cpu),
    },
    wall: {
      lastcall: of((p) => p.lastcall.wall),
      hand: of((p) => p.hand.wall),
      ratio: of((p) => p.lastcall.wall / p.hand.wall),
    },
  };
}

const server = start("server.mjs");
const [port] = await once(server, "message");
const samples = [];
for (let count = 1; count <= rounds; count += 1) {
  process.stderr.write(`round ${count} of ${rounds}\n`);
  await round(`http://127.0.0.1:${port}`, samples);
}
server.disconnect();

const iterations = lengths.map(({ n }) => summary(samples, n));
const at = (n) => iterations.find((row) => row.n === n).cpu;
const growth = { lastcall: at(1000).lastcall / at(50).lastcall, hand: at(1000).hand / at(50).hand };
process.stderr.write("a session of 10,000 iterations\n");
const session = await growthOf(10_000);
const started = startup(15);

const ms = (value) => value.toFixed(2).padStart(9);
const times = (value) => `${value.toFixed(2)}x`.padStart(7);
const line = ({ lastcall, hand, ratio }) => `${ms(lastcall)} ${ms(hand)} ${times(ratio)}`;
console.log(
  `Node ${process.versions.node}, ${cpus().length} cores; milliseconds per iteration, medians of ${rounds * turns} pairs`,
);
console.log("            CPU                            wall");
console.log("     N   lastcall   by hand   ratio   lastcall   by hand   ratio");
for (const { n, cpu, wall } of iterations) console.log(`${String(n).padStart(6)}  ${line(cpu)}  ${line(wall)}`);
console.log(`CPU per iteration at 1000 over 50:  lastcall ${times(growth.lastcall)}  by hand ${times(growth.hand)}`);
console.log(
  `A session of ${session.iterations} iterations (${session.records} records in files): an append takes ${session.append.early.toFixed(3)} ms early, ${session.append.late.toFixed(3)} ms late;`,
);
console.log(
  `an iteration ${session.cpu.early.toFixed(2)} ms CPU early, ${session.cpu.late.toFixed(2)} late; it opens in ${session.open.toFixed(0)} ms; ${(100 * session.prefix).toFixed(1)} % of its prompts stood in the prompt before`,
);
console.log(`import "lastcall": ${started.import.toFixed(1)} ms over an empty module (${started.node.toFixed(1)} ms)`);
console.log(`lastcall --help:   ${started.help.toFixed(1)} ms`);

const verdicts = [
  [`CPU ratio at N=200 <= ${goals.ratio}`, at(200).ratio <= goals.ratio],
  [`growth <= ${goals.growth} x by hand`, growth.lastcall <= goals.growth * growth.hand],
  [`append late <= ${goals.append} x early`, session.append.late <= goals.append * session.append.early],
  [`open <= ${goals.open} ms`, session.open <= goals.open],
  [`unchanged prefix >= ${goals.prefix}`, session.prefix >= goals.prefix],
  [`import <= ${goals.import} ms`, started.import <= goals.import],
  [`--help <= ${goals.help} ms`, started.help <= goals.help],
];
console.log(verdicts.map(([goal, isMet]) => `${goal}: ${isMet ? "holds" : "MISSED"}`).join("; "));
if (options.json !== undefined) {
  writeFileSync(
    options.json,
    `${JSON.stringify({ node: process.versions.node, iterations, growth, session, startup: started, samples }, null, 2)}\n`,
  );
}
process.exitCode = verdicts.every(([, isMet]) => isMet) ? 0 : 1;
