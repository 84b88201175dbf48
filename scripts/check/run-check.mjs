// Runs the steps of a check, then the files of failed tests once more, each alone, and prints the verdict.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { constants, setPriority, tmpdir } from "node:os";
import { join } from "node:path";
import { lineOf } from "../counts.mjs";
import { judge, toRunAgain } from "./judge.mjs";
import { failureLine, readReport } from "./read-report.mjs";

/**
 * Runs the phases one after the other. The lanes of a phase run side by side, and the steps of a lane one after the other. The first lane
 * runs at normal priority and the others below it. A step is `{ name, command }`. A step that runs tests leaves a report at `TEST_REPORT`,
 * and has `again`, which makes the command that runs one of its test files in the same setting. Returns true if all is well.
 */
export async function runCheck(phases) {
  const folder = mkdtempSync(join(tmpdir(), "lastcall-check-"));
  try {
    const done = [];
    for (const lanes of phases) {
      const lists = await Promise.all(lanes.map((lane, index) => runLane(lane, folder, index === 0)));
      done.push(...lists.flat());
    }
    const runs = done.filter(({ again }) => again !== undefined);
    for (const { name, report } of runs) console.log(`\nThe longest files of ${name}: ${slowestIn(report).join(", ")}`);
    const tries = [];
    for (const one of toRunAgain(runs)) tries.push(await runAgain(one, runs, folder));
    const others = done.filter(({ again, status }) => again === undefined && status !== 0);
    return say(
      judge(runs, tries),
      others.map(({ name }) => name),
      runs,
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The steps of the lane, each with its exit code and its report. */
async function runLane(lane, folder, isFirst) {
  const done = [];
  for (const step of lane) {
    const path = step.again && join(folder, `${step.name}.json`);
    const status = await run(step, path, isFirst);
    done.push({ ...step, status, report: path && readReport(path) });
  }
  return done;
}

/** The second try of a test file. */
async function runAgain({ run: name, file }, runs, folder) {
  const path = join(folder, "again.json");
  rmSync(path, { force: true });
  const { again } = runs.find((one) => one.name === name);
  const status = await run({ name: `${name}, once more: ${file}`, command: again(file) }, path, true);
  return { run: name, file, status, report: readReport(path) };
}

/** Runs one step. A step of the first lane prints as it goes; a step of another lane prints when it has ended. */
async function run({ name, command: [program, ...args] }, report, isFirst) {
  if (isFirst) console.log(`\n== ${name}`);
  const began = Date.now();
  const output = isFirst ? "inherit" : "pipe";
  const env = { ...process.env, FORCE_COLOR: "0", ...(report !== undefined && { TEST_REPORT: report }) };
  const child = spawn(program, args, { stdio: ["inherit", output, output], env });
  if (!isFirst) setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
  const printed = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk) => printed.push(chunk));
  const [status] = await once(child, "close");
  if (!isFirst) console.log(`\n== ${name}\n${Buffer.concat(printed).toString()}`);
  console.log(`== ${name}: ${status === 0 ? "ok" : "BROKEN"} (${((Date.now() - began) / 1000).toFixed(1)} s)`);
  return status;
}

/** Prints the verdict. The last line counts the tests of all runs. True if all is well. */
function say({ isGood, broken, counts, failures, flaky, flakyFiles, mostFlaky, total }, others, runs) {
  console.log(`\n${counts.map(({ name, counts }) => `${name}: ${lineOf(counts)}`).join("\n")}`);
  const line = ({ run, ...failure }) => `${run}: ${failureLine(failure)}`;
  if (failures.length > 0) console.log(`\n${failures.map(line).join("\n")}`);
  for (const { name, report } of runs)
    for (const error of report?.errors ?? []) console.log(`\n${name}, outside of the tests: ${error}`);
  if (broken.length + others.length > 0) console.log(`\nBroken: ${[...broken, ...others].join(", ")}.`);
  if (flaky.length > 0) console.log(`\nflaky:\n${flaky.map(line).join("\n")}`);
  if (flakyFiles > mostFlaky)
    console.log(`\n${flakyFiles} test files are flaky. The check fails with more than ${mostFlaky}.`);
  console.log(`\n${lineOf(total)}`);
  return isGood && others.length === 0;
}

/** The files that took longest, with their seconds. */
function slowestIn(report, most = 12) {
  const longest = (report?.files ?? []).toSorted((one, other) => other.seconds - one.seconds).slice(0, most);
  return longest.map(({ file, seconds }) => `${file} ${seconds.toFixed(0)} s`);
}
