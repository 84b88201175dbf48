// Everything that must hold before a change lands: tests, types, lint, build, package. The last line counts the tests.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { constants, setPriority, tmpdir } from "node:os";
import { join } from "node:path";

const folder = mkdtempSync(join(tmpdir(), "lastcall-check-"));
const report = join(folder, "tests.json");

/**
 * One phase after the other. In a phase the lanes run side by side, in a lane one step after the other. The first lane has the machine, the
 * others have what it leaves: tests wait for processes a good part of their time. Beside them is only what reads the sources alone.
 */
const phases = [
  [
    [["tests", ["test", "--", "--reporter=default", "--reporter=json", `--outputFile.json=${report}`]]],
    [["lint", ["run", "lint:rules"]]],
    [
      ["types", ["run", "types"]],
      ["format", ["run", "lint:format"]],
      ["api reference", ["run", "docs"]],
    ],
  ],
  [
    [
      ["build", ["run", "build"]],
      ["package", ["run", "package"]],
    ],
  ],
];

const broken = [];
const env = { ...process.env, FORCE_COLOR: "0" };

/** Runs it; what is first prints as it goes, what has what is left prints once it is over. */
async function run([name, args], isFirst) {
  if (isFirst) console.log(`\n== ${name}`);
  const began = Date.now();
  const output = isFirst ? "inherit" : "pipe";
  const child = spawn("npm", args, { stdio: ["inherit", output, output], env });
  if (!isFirst) setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
  const said = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk) => said.push(chunk));
  const [status] = await once(child, "close");
  if (status !== 0) broken.push(name);
  if (!isFirst) console.log(`\n== ${name}\n${Buffer.concat(said).toString()}`);
  console.log(`== ${name}: ${status === 0 ? "ok" : "BROKEN"} (${((Date.now() - began) / 1000).toFixed(1)} s)`);
}

async function runLane(lane, isFirst) {
  for (const step of lane) await run(step, isFirst);
}

for (const lanes of phases) await Promise.all(lanes.map((lane, index) => runLane(lane, index === 0)));

const { passed, failed } = count();
rmSync(folder, { recursive: true, force: true });
if (broken.length > 0) console.log(`\nBroken: ${broken.join(", ")}.`);
console.log(`\n${passed} passed, ${failed} failed`);
process.exitCode = broken.length === 0 && passed > 0 && failed === 0 ? 0 : 1;

function count() {
  try {
    const { numPassedTests, numFailedTests, numFailedTestSuites } = JSON.parse(readFileSync(report, "utf8"));
    return { passed: numPassedTests, failed: Math.max(numFailedTests, numFailedTestSuites > 0 ? 1 : 0) };
  } catch {
    return { passed: 0, failed: 1 };
  }
}
