// Tries attacks on the built library: npm run attacks -- FILE [FILE...] [--only ID-PREFIX]

import { existsSync } from "node:fs";
import { parseArgs } from "node:util";
import { countsOf, lineOf, readAttacks, tryAll } from "./attacks/index.mjs";

const usage = "npm run attacks -- FILE [FILE...] [--only ID-PREFIX]";

const { values, positionals } = readArguments();
const missing = positionals.find((file) => !existsSync(file));
if (positionals.length === 0) leave(`Name at least one file: ${usage}`);
if (missing !== undefined) leave(`There is no file ${missing}.`);

const { only = [] } = values;
const wanted = readAttacks(positionals).filter(
  ({ id }) => only.length === 0 || only.some((prefix) => String(id).startsWith(prefix)),
);
const results = await tryAll(wanted, await loadLibrary());
for (const result of results) console.log(lineOf(result));
console.log(`\n${countsOf(results)}`);
process.exit(results.length > 0 && results.every(({ problem }) => problem === undefined) ? 0 : 1);

function readArguments() {
  try {
    return parseArgs({ options: { only: { type: "string", multiple: true } }, allowPositionals: true });
  } catch (thrown) {
    return leave(`${thrown.message}\n${usage}`);
  }
}

async function loadLibrary() {
  try {
    const { createAgent, redactor } = await import("../dist/index.js");
    const { scriptedModel, call } = await import("../dist/testing/index.js");
    const { gate } = await import("../dist/permission/index.js");
    const { workspaceTools, taskCompletion } = await import("../dist/tools/index.js");
    return { createAgent, redactor, scriptedModel, call, gate, workspaceTools, taskCompletion };
  } catch (thrown) {
    return leave(`The library can't be loaded; build it with npm run build. ${thrown.message}`);
  }
}

function leave(message) {
  console.error(message);
  process.exit(1);
}
