// Runs the suite in several processes, or each planted fault in this one.

import { fork } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { buildGate } from "./load-gate.mjs";
import { faults } from "./planted.mjs";
import { linesFor } from "./report.mjs";
import { find, shellOf } from "./run-traced.mjs";
import { makeWorker, tryMany, tryOne } from "./worker.mjs";

/** Processes that run side by side. */
const workers = 2;

/** A folder of its own within the temporary folder. */
function folderIn(temporary) {
  return mkdtempSync(join(temporary, "f-"));
}

/** Tries `count` commands of the seed in each shell. Calls `report` as tryMany does. */
export async function runAll({ temporary, seed, count, shells, more }, report) {
  const module = await buildGate(folderIn(temporary));
  const { measured } = await makeWorker({ folder: folderIn(temporary), module, shells, more });
  const run = (begin) =>
    new Promise((resolve, reject) => {
      const child = fork(join(import.meta.dirname, "worker.mjs"), ["--worker"]);
      child.send({
        folder: folderIn(temporary),
        module,
        shells,
        more,
        measured,
        seed,
        begin,
        end: count,
        step: workers,
      });
      child.on("message", (said) => report(said));
      child.once("exit", (code) => {
        if (code === 0) resolve();
        else reject(new Error(`A worker ended with ${code}.`));
      });
    });
  await Promise.all(Array.from({ length: workers }, (_one, begin) => run(begin)));
}

/** Tries one command in each shell. */
export async function runOnly({ temporary, shells }, command) {
  const module = await buildGate(folderIn(temporary));
  const names = (name) => command.text.includes(name);
  return tryOne(await makeWorker({ folder: folderIn(temporary), module, shells, names }), command);
}

/**
 * Plants the faults whose names have the words, one by one, and tries up to `count` commands on each. Returns the number of faults that were
 * not found.
 * @throws Error if a fault can't be planted.
 */
export async function runPlanted({ temporary, seed, count, shells, words }) {
  const chosen = faults.filter(({ name }) => name.includes(words));
  if (chosen.length === 0) throw new Error(`No fault has ${JSON.stringify(words)} in its name.`);
  const sounds = new Map();
  let missed = 0;
  for (const { name, changes, shells: own } of chosen) {
    const tried = own?.filter((one) => find(shellOf(one).program) !== undefined) ?? shells;
    if (tried.length === 0) {
      console.log(`not tried, because there is no ${own.join(", ")}: ${name}`);
      continue;
    }
    const key = tried.join();
    if (!sounds.has(key))
      sounds.set(key, await failuresOf({ temporary, seed, count, shells: tried, measured: undefined }, [], () => true));
    const sound = sounds.get(key);
    const isNew = (failure) => !sound.failures.some((one) => one.key === failure.key);
    const terms = { temporary, seed, count, shells: tried, measured: sound.measured };
    const found = (await failuresOf(terms, changes, (one) => !isNew(one))).failures.find(isNew);
    if (found === undefined) missed += 1;
    const result = found === undefined ? `NOT FOUND in ${count} commands` : `found after ${found.number + 1} commands`;
    console.log(`${result}: ${name}`);
    if (found !== undefined) console.log(linesFor({ ...found, seed }).replaceAll(/^/gm, "    "));
  }
  console.log(`\n${chosen.length - missed} found, ${missed} not found`);
  return missed;
}

/** The failures with these changes, until `goesOn` returns false for one. */
async function failuresOf({ temporary, seed, count, shells, measured }, changes, goesOn) {
  const folder = folderIn(temporary);
  const module = await buildGate(folder, changes);
  const worker = await makeWorker({ folder: folderIn(temporary), module, shells, measured });
  const failures = [];
  await tryMany(worker, { seed, begin: 0, end: count, step: 1 }, ({ failure }) => {
    if (failure === undefined) return true;
    failures.push(failure);
    return goesOn(failure);
  });
  return { failures, measured: worker.measured };
}
