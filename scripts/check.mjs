// Checks everything that must hold before a change lands: `npm run check`. The last line counts the tests of all runs. The failed ones
// are named above it.
//
// The README's commands run on a bare machine first. Then follow, on this machine, an install, all tests, types, lint, build and package.
// The script needs no node_modules. CI passes `-- --install`, which installs the programs that some tests need before the second part.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { constants, setPriority, tmpdir } from "node:os";
import { join } from "node:path";
import { countsIn, failuresIn, lineOf, slowestIn, sum } from "./counts.mjs";

const folder = mkdtempSync(join(tmpdir(), "lastcall-check-"));
const install = process.argv.includes("--install") ? [["programs", ["node", "scripts/install-programs.mjs"]]] : [];

/** The steps that run tests. Each of them leaves a report. */
const runs = ["tests on a bare machine", "fast tests", "slow tests", "tests over fetch"];

/** The tests in which models send requests, for the second transport. `npm run test:fetch` without them runs all. */
const overFetch = ["--project", "fast", "test/model", "test/e2e", "test/scenarios"];

/**
 * Phases run one after the other. The lanes of a phase run side by side, and the steps of a lane one after the other. The first lane runs
 * at normal priority and the others below it. Nothing runs beside tests, because they measure times and wait for processes.
 */
const phases = [
  [[[runs[0], ["node", "scripts/bare.mjs"]], ...install, ["install", ["npm", "ci"]]]],
  [
    [
      [runs[1], ["npm", "test"]],
      [runs[2], ["npm", "run", "test:slow"]],
      [runs[3], ["npm", "run", "test:fetch", "--", ...overFetch]],
    ],
  ],
  [
    [["lint", ["npm", "run", "lint:rules"]]],
    [
      ["types", ["npm", "run", "types"]],
      ["format", ["npm", "run", "lint:format"]],
      ["api reference", ["npm", "run", "docs"]],
    ],
  ],
  [
    [
      ["build", ["npm", "run", "build"]],
      ["package", ["npm", "run", "package"]],
    ],
  ],
];

const broken = [];
const reportOf = (name) => join(folder, `${name}.json`);

/** Runs one step. A step of the first lane prints as it goes; a step of another lane prints when it has ended. */
async function run([name, [program, ...args]], isFirst) {
  if (isFirst) console.log(`\n== ${name}`);
  const began = Date.now();
  const output = isFirst ? "inherit" : "pipe";
  const env = { ...process.env, FORCE_COLOR: "0", ...(runs.includes(name) && { TEST_REPORT: reportOf(name) }) };
  const child = spawn(program, args, { stdio: ["inherit", output, output], env });
  if (!isFirst) setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
  const printed = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk) => printed.push(chunk));
  const [status] = await once(child, "close");
  if (status !== 0) broken.push(name);
  if (!isFirst) console.log(`\n== ${name}\n${Buffer.concat(printed).toString()}`);
  console.log(`== ${name}: ${status === 0 ? "ok" : "BROKEN"} (${((Date.now() - began) / 1000).toFixed(1)} s)`);
}

async function runLane(lane, isFirst) {
  for (const step of lane) await run(step, isFirst);
}

for (const lanes of phases) await Promise.all(lanes.map((lane, index) => runLane(lane, index === 0)));

const all = runs.map((name) => [name, countsIn(reportOf(name))]);
const failures = runs.flatMap((name) => failuresIn(reportOf(name)).map((failure) => `${name}: ${failure}`));
const total = sum(all.map(([, counts]) => counts));
for (const name of runs) console.log(`\nThe longest files of ${name}: ${slowestIn(reportOf(name)).join(", ")}`);
rmSync(folder, { recursive: true, force: true });
console.log(`\n${all.map(([name, counts]) => `${name}: ${lineOf(counts)}`).join("\n")}`);
if (failures.length > 0) console.log(`\n${failures.join("\n")}`);
if (broken.length > 0) console.log(`\nBroken: ${broken.join(", ")}.`);
console.log(`\n${lineOf(total)}`);
process.exitCode = broken.length === 0 && total.passed > 0 && total.failed === 0 ? 0 : 1;
