// Simulates many seeds: `npm run simulate [-- --from N --seeds M | --seed S [--plant BUG] | --planted [--plant BUG]]`. Prints what is wrong, with the seed that shows it.
//
// Default: the seeds 1 to 10,000. `--from N --seeds M` simulates M seeds from N on, so that a new range is never the old one. `--seed S` simulates
// one of them, twice, and prints the journals of what is wrong, and what people asked for. `--planted` plants the bugs of
// test/simulation/world/planted.ts one by one (with `--plant BUG` that one), and prints the first of 1,000 seeds (from `--from` on) that finds each.

import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { Worker } from "node:worker_threads";
import { buildSimulation } from "./simulate-build.mjs";

const { values } = parseArgs({
  options: {
    from: { type: "string", default: "1" },
    seeds: { type: "string", default: "10000" },
    seed: { type: "string" },
    plant: { type: "string" },
    planted: { type: "boolean", default: false },
  },
});
for (const [name, value] of Object.entries({ from: values.from, seeds: values.seeds, seed: values.seed })) {
  if (value === undefined || /^\d+$/.test(value)) continue;
  console.error(`--${name} is ${value}: give a whole number.`);
  process.exit(4);
}

if (values.seed !== undefined && process.argv.some((word) => /^--(?:from|seeds)(?:=|$)/.test(word))) {
  console.error("--from and --seeds are for many seeds, and --seed is one seed: give one of the two.");
  process.exit(4);
}

/** The seeds that a thread gets at a time. */
const portion = 10;
/** The seeds within which a planted bug has to be found. */
const enough = 1000;

const began = performance.now();
let threads = await startAll(await buildSimulation());
const { bugs } = threads[0];
if (values.plant !== undefined && !(values.plant in bugs)) {
  console.error(`There is no bug ${values.plant}: give one of ${Object.keys(bugs).join(", ")}.`);
  process.exit(4);
}
if (values.plant !== undefined && !values.planted) await plant(values.plant);
const isRight = values.planted ? await plantAll() : values.seed !== undefined ? await replay() : await simulateAll();
console.log(`${((performance.now() - began) / 1000).toFixed(0)} s`);
process.exit(isRight ? 0 : 1);

function startAll(file) {
  return Promise.all(Array.from({ length: availableParallelism() }, () => start(file)));
}

/** Has the threads simulate with a bug from now on. One of a source needs a bundle of its own. */
async function plant(bug) {
  await Promise.all(threads.map((thread) => thread.stop()));
  threads = await startAll(await buildSimulation(bugs[bug].plant === undefined ? undefined : bug, bugs[bug].plant));
}

/** The seeds that were asked for. */
function range(count) {
  return Array.from({ length: count }, (_none, index) => Number(values.from) + index);
}

/** Starts a thread. Resolves once it has told the bugs that can be planted. */
function start(file) {
  return new Promise((started, failed) => {
    const worker = new Worker(file);
    const thread = { bugs: {}, hear: () => undefined, end: () => undefined, stop: () => worker.terminate() };
    worker.on("error", failed);
    worker.on("message", (message) => {
      if (message === "done") thread.end();
      else if (message.bugs === undefined) thread.hear(message);
      else started(Object.assign(thread, message));
    });
    /** Simulates the seeds, and calls `hear` with what each came to. */
    thread.simulate = (work, hear) =>
      new Promise((end) => {
        Object.assign(thread, { hear, end });
        worker.postMessage(work);
      });
  });
}

/** Shares the seeds among the threads, until none is left or `hear` returns true. */
async function share(seeds, { planted, tellsJournals = false }, hear) {
  const left = [...seeds];
  let isOver = false;
  const listen = (came) => {
    isOver = hear(came) === true || isOver;
  };
  const work = async (thread) => {
    while (left.length > 0 && !isOver)
      await thread.simulate({ seeds: left.splice(0, portion), planted, tellsJournals }, listen);
  };
  await Promise.all(threads.map(work));
}

async function simulateAll() {
  const seeds = range(Number(values.seeds));
  // Those of many sessions come first, so that no thread is left with one of them at the end.
  const sized = seeds
    .map((seed) => [seed % 2500 === 0 ? 0 : seed % 100 === 0 ? 1 : 2, seed])
    .sort((a, b) => a[0] - b[0]);
  const totals = new Map();
  let wrong = 0;
  await share(
    sized.map(([, seed]) => seed),
    {},
    ({ seed, findings, counts }) => {
      for (const [what, times] of counts) totals.set(what, (totals.get(what) ?? 0) + times);
      if (findings.length === 0) return;
      wrong += 1;
      console.log(`seed ${seed}: ${findings.join("\n  ")}\n  again: npm run simulate -- --seed ${seed}`);
    },
  );
  for (const [what, times] of [...totals].sort()) console.log(`${String(times).padStart(11)}  ${what}`);
  console.log(`\n${seeds.length} seeds, ${wrong} of them with a finding`);
  return wrong === 0;
}

async function replay() {
  const seed = Number(values.seed);
  const digests = new Set();
  let last;
  for (const _time of [1, 2]) {
    await share([seed], { planted: values.plant, tellsJournals: true }, (came) => {
      last = came;
      digests.add(came.digest);
    });
  }
  const { findings, journals, asks } = last;
  const named = Object.keys(journals).filter((id) => findings.some((finding) => finding.includes(id)));
  for (const id of named) console.log(`\n${id}\n${journals[id].join("\n")}`);
  if (findings.length > 0) for (const ask of asks) console.log(ask);
  for (const finding of findings) console.log(finding);
  console.log(
    `seed ${seed}: ${findings.length} findings, ${digests.size === 1 ? "twice the same" : "NOT THE SAME TWICE"}`,
  );
  return findings.length === 0 && digests.size === 1;
}

async function plantAll() {
  let missed = 0;
  const wanted = Object.entries(bugs).filter(([bug]) => values.plant === undefined || bug === values.plant);
  for (const [bug, { does }] of wanted) {
    const found = [];
    await plant(bug);
    await share(range(enough), { planted: bug }, ({ seed, findings }) => {
      if (findings.length > 0) found.push([seed, findings[0]]);
      return findings.length > 0;
    });
    const [first] = found.sort((a, b) => a[0] - b[0]);
    if (first === undefined) missed += 1;
    console.log(`${first === undefined ? "NOT FOUND" : `found by seed ${first[0]}`}: ${bug} (${does})`);
    if (first !== undefined) console.log(`  ${first[1]}`);
  }
  console.log(`\n${wanted.length - missed} found, ${missed} not found`);
  return missed === 0;
}
