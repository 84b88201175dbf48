// Drives the built library with real models that run here: npm run real -- [--model needle|smollm2] [--tasks N] [--short] [--cache FOLDER]

import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { NotToBeHad, openCache } from "./real/cache.mjs";
import { models } from "./real/models.mjs";
import { runModel } from "./real/run-model.mjs";
import { tableOf } from "./real/table.mjs";
import { allTasks } from "./real/tasks.mjs";

const usage = "npm run real -- [--model NAME] [--tasks N] [--short] [--minutes N] [--cache FOLDER]";
const values = readArguments();
const chosen = models.filter(({ name }) => values.model === undefined || name === values.model);
if (chosen.length === 0) leave(`--model is ${values.model}: there is ${models.map(({ name }) => name).join(", ")}.`);
const minutes = wholeNumber("minutes", values.short ? 4 : 25);
const tasks = chosenTasks(wholeNumber("tasks", values.short ? 3 : Infinity));

const library = await loadLibrary();
const say = (line) => console.log(line);
const at = new Date().toISOString();
const until = Date.now() + minutes * 60_000;
const rows = [];
const leftOut = [];
const cache = openCache(values.cache);
const replies = join(cache.replies, `${at.replaceAll(":", "-")}.jsonl`);
// Each server works in one thread, so the models run at the same time.
await Promise.all(chosen.map(runOne));
if (rows.length > 0) {
  console.log(`\n${tableOf(rows)}\n\nRaw replies: ${replies}`);
  const plain = rows.map(({ runs: _, ...row }) => row);
  writeFileSync(replies.replace(/jsonl$/, "json"), JSON.stringify({ at, rows: plain, leftOut }, null, 2));
}
for (const line of leftOut) console.log(`left out: ${line}`);
process.exit(leftOut.length > 0 && !values.short ? 1 : 0);

async function runOne(model) {
  try {
    const server = await model.start(cache, { say });
    try {
      const keep = (line) => appendFileSync(replies, `${JSON.stringify(line)}\n`);
      rows.push(...(await runModel(model, { library, baseURL: server.baseURL, tasks, until, say, keep })));
    } finally {
      await server.stop();
    }
  } catch (thrown) {
    if (!(thrown instanceof NotToBeHad)) throw thrown;
    leftOut.push(`${model.name}: ${thrown.message}`);
  }
}

function readArguments() {
  const words = { model: { type: "string" }, tasks: { type: "string" }, minutes: { type: "string" }, cache: { type: "string" } };
  try {
    return parseArgs({ options: { ...words, short: { type: "boolean" } } }).values;
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

/** The first tasks of both kinds in turn, so that a few have both. */
function chosenTasks(number) {
  const every = allTasks();
  const calls = every.filter(({ family }) => family === "call");
  const others = every.filter(({ family }) => family !== "call");
  return calls.flatMap((call, at) => [call, ...others.slice(at, at + 1)]).slice(0, number);
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
