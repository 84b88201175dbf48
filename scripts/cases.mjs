// Replays files of wild model outputs through the built library: npm run cases -- FILE [FILE...] [--only ID-PREFIX] [--verbose]

import { existsSync } from "node:fs";
import { parseArgs } from "node:util";
import { countsOf, isGood, lineOf, readCases, replayAll, tableOf } from "./cases/index.mjs";

const usage = "npm run cases -- FILE [FILE...] [--only ID-PREFIX] [--verbose]";

const { values, positionals } = readArguments();
const missing = positionals.find((file) => !existsSync(file));
if (positionals.length === 0) leave(`Name at least one file: ${usage}`);
if (missing !== undefined) leave(`There is no file ${missing}.`);

const { verbose = false, only = [] } = values;
const results = await replayAll(readCases(positionals, only), { library: await loadLibrary() });
for (const result of results) console.log(lineOf(result, { verbose }));
console.log(`\n${tableOf(results)}\n\n${countsOf(results)}`);
process.exit(isGood(results) ? 0 : 1);

function readArguments() {
  const options = { only: { type: "string", multiple: true }, verbose: { type: "boolean" } };
  try {
    return parseArgs({ options, allowPositionals: true });
  } catch (thrown) {
    return leave(`${thrown.message}\n${usage}`);
  }
}

/** The built library. `preview` and `withoutThinking` of the command are not exported, so they are found in the chunks by name. */
async function loadLibrary() {
  try {
    const { createAgent, tool } = await import("../dist/index.js");
    const { openai } = await import("../dist/model/index.js");
    const chunks = await Promise.all(
      ["person", "visible", "approver"].map((name) => import(`../dist/chunks/${name}.js`).catch(() => ({}))),
    );
    const exported = chunks.flatMap((chunk) => Object.values(chunk));
    const named = (name) => exported.find((each) => typeof each === "function" && each.name === name);
    return { createAgent, tool, openai, preview: named("preview"), withoutThinking: named("withoutThinking") };
  } catch (thrown) {
    return leave(`The library can't be loaded; build it with npm run build. ${thrown.message}`);
  }
}

function leave(message) {
  console.error(message);
  process.exit(1);
}
