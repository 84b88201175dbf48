// Drives the built library with real models that run here, and writes what came of it: npm run real -- --help

import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { NotToBeHad, openCache } from "./real/cache.mjs";
import { models } from "./real/models.mjs";
import { withRun } from "./real/page.mjs";
import { runModel } from "./real/run-model.mjs";
import { lookedAt, rowsOf } from "./real/summary.mjs";
import { tableOf } from "./real/table.mjs";
import { chooseTasks } from "./real/tasks.mjs";

const names = models.map(({ name }) => name).join("|");
const usage = `npm run real -- [--model ${names}] [--tasks N] [--minutes N] [--short] [--offline] [--cache FOLDER] [--kept FILE] [--write]

  --model    one model; default: all, at the same time
  --tasks    the first N of the tasks
  --minutes  no task begins after this time; default: 25, and 4 in the short form
  --short    three tasks; a model that can't be had is left out, and that is no error
  --offline  downloads nothing
  --cache    the folder for models, the server and raw replies; default: lastcall-real in the user's cache folder
  --kept     reads the raw replies of an earlier run in place of a run
  --write    writes the figures into docs/a-real-model.md`;

const page = fileURLToPath(new URL("../docs/a-real-model.md", import.meta.url));
const values = readArguments();
if (values.help) {
  console.log(usage);
  process.exit(0);
}
const chosen = models.filter(({ name }) => values.model === undefined || name === values.model);
if (chosen.length === 0) leave(`--model is ${values.model}: there is ${names}.`);
const minutes = wholeNumber("minutes", values.short ? 4 : 25);
const tasks = chooseTasks(wholeNumber("tasks", values.short ? 3 : Infinity));

const { lines, leftOut, at, tookMinutes, kept } = values.kept === undefined ? await runAll() : readKept(values.kept);
const rows = rowsOf(lines, models, tasks.length);
const looked = lookedAt(lines);
if (rows.length > 0) {
  console.log(`\n${tableOf(rows)}\n`);
  console.log(`${looked.replies} replies looked at again, ${looked.suspects.length} to look at. Raw replies: ${kept}`);
  for (const { task, rung, why, text } of looked.suspects)
    console.log(`  ${rung}, ${task}: ${why}\n    ${JSON.stringify(text.slice(0, 400))}`);
  const report = { at, minutes: tookMinutes, rows: rows.map(({ runs: _, ...row }) => row), looked, leftOut };
  writeFileSync(kept.replace(/\.jsonl$/, ".report.json"), `${JSON.stringify(report, null, 2)}\n`);
  if (values.write) {
    const written = withRun(readFileSync(page, "utf8"), { at, minutes: tookMinutes, rows, leftOut, looked });
    const { format } = await import("prettier");
    writeFileSync(page, await format(written, { parser: "markdown", printWidth: 120 }));
  }
}
for (const line of leftOut) console.log(`left out: ${line}`);
const isWhole = leftOut.length === 0 || values.short === true;
const isMisread = looked.suspects.some(({ isCertain }) => isCertain);
process.exit(isWhole && !isMisread && rows.every(({ counts }) => counts.faults === 0) ? 0 : 1);

/** Runs the chosen models. Each server works in one thread, so they run at the same time. */
async function runAll() {
  const library = await loadLibrary();
  const cache = openOrLeave();
  const began = Date.now();
  const at = new Date(began).toISOString();
  const kept = join(cache.replies, `${at.replaceAll(":", "-")}.jsonl`);
  const [lines, leftOut] = [[], []];
  // The servers are ended as this process exits, which a signal alone would not let them be.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, () => process.exit(1));
  const keep = (line) => {
    lines.push(line);
    appendFileSync(kept, `${JSON.stringify(line)}\n`);
  };
  async function runOne(model) {
    const server = await model.start(cache, { say: console.log, offline: values.offline === true });
    try {
      const until = began + minutes * 60_000;
      await runModel(model, { library, baseURL: server.baseURL, tasks, until, say: console.log, keep });
    } finally {
      await server.stop();
    }
  }
  for (const [place, end] of (await Promise.allSettled(chosen.map(runOne))).entries()) {
    if (end.status === "fulfilled") continue;
    if (!(end.reason instanceof NotToBeHad)) throw end.reason;
    leftOut.push(`${chosen[place].name}: ${end.reason.message}`);
  }
  return { lines, leftOut, at, tookMinutes: Math.round((Date.now() - began) / 60_000), kept };
}

/** The lines of an earlier run, with the time that its file's name says. Its models that are missing were left out. */
function readKept(file) {
  if (!existsSync(file)) leave(`There is no file ${file}.`);
  const [, day, hour, minute, rest] =
    /([\d-]{10}T\d\d)-(\d\d)-(\d\d)(\.\d+Z)\.jsonl$/.exec(file) ?? leave(`${file} is no file of raw replies.`);
  const at = `${day}:${hour}:${minute}${rest}`;
  const lines = readFileSync(file, "utf8")
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  const lastMs = Math.max(...lines.map(({ endedAt }) => endedAt));
  const missing = models.filter(({ name }) => !lines.some((line) => line.model === name));
  const leftOut = missing.map(({ name }) => `${name}: it was not in this run`);
  return { lines, leftOut, at, tookMinutes: Math.max(0, Math.round((lastMs - Date.parse(at)) / 60_000)), kept: file };
}

function openOrLeave() {
  try {
    return openCache(values.cache);
  } catch (thrown) {
    if (!(thrown instanceof NotToBeHad)) throw thrown;
    console.log(`left out: ${thrown.message}`);
    return process.exit(values.short ? 0 : 1);
  }
}

function readArguments() {
  const words = ["model", "tasks", "minutes", "cache", "kept"].map((name) => [name, { type: "string" }]);
  const flags = ["short", "offline", "write", "help"].map((name) => [name, { type: "boolean" }]);
  try {
    return parseArgs({ options: Object.fromEntries([...words, ...flags]) }).values;
  } catch (thrown) {
    return leave(`${thrown.message}\n${usage}`);
  }
}

function wholeNumber(name, otherwise) {
  const given = values[name];
  if (given === undefined) return otherwise;
  if (!/^[1-9]\d*$/.test(given)) leave(`--${name} is ${given}: give a whole number from 1 on.`);
  return Number(given);
}

async function loadLibrary() {
  try {
    const { createAgent, tool } = await import("../dist/index.js");
    const { openai } = await import("../dist/model/index.js");
    const { command } = await import("../dist/checks/index.js");
    const { taskCompletion, giveUp } = await import("../dist/tools/index.js");
    return { createAgent, tool, openai, command, taskCompletion, giveUp };
  } catch (thrown) {
    return leave(`The library can't be loaded; build it with npm run build. ${thrown.message}`);
  }
}

function leave(message) {
  console.error(message);
  process.exit(2);
}
