// Replays files of wild model outputs through the built library: npm run cases -- FILE [FILE...] [--only ID-PREFIX] [--over ai-sdk] [--verbose]

import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { build } from "rolldown";
import { countsOf, isGood, lineOf, notCarried, readCases, replayAll, tableOf } from "./cases/index.mjs";

const usage = "npm run cases -- FILE [FILE...] [--only ID-PREFIX] [--over ai-sdk] [--verbose]";

const { values, positionals } = readArguments();
const missing = positionals.find((file) => !existsSync(file));
if (positionals.length === 0) leave(`Name at least one file: ${usage}`);
if (missing !== undefined) leave(`There is no file ${missing}.`);

const { verbose = false, only = [], over } = values;
if (over !== undefined && over !== "ai-sdk") leave(`--over ${over}: there is ai-sdk. ${usage}`);
const library = await loadLibrary();
const carried = over === undefined ? { library } : { library: { ...library, ...(await overAiSdk()) }, notCarried };
const results = await replayAll(readCases(positionals, only), carried);
for (const result of results) console.log(lineOf(result, { verbose }));
console.log(`\n${tableOf(results)}\n\n${countsOf(results)}`);
process.exit(isGood(results) ? 0 : 1);

function readArguments() {
  const options = {
    only: { type: "string", multiple: true },
    over: { type: "string" },
    verbose: { type: "boolean" },
  };
  try {
    return parseArgs({ options, allowPositionals: true });
  } catch (thrown) {
    return leave(`${thrown.message}\n${usage}`);
  }
}

/** The built library, and the functions of the command that no entry exports. */
async function loadLibrary() {
  try {
    const { createAgent, tool } = await import("../dist/index.js");
    const { openai } = await import("../dist/model/index.js");
    return { createAgent, tool, openai, ...(await loadCommand()) };
  } catch (thrown) {
    return leave(`The library can't be loaded; build it with npm run build. ${thrown.message}`);
  }
}

/** The same, with models over the package for OpenAI-compatible servers. It takes streams alone. */
async function overAiSdk() {
  const { fromAiSdk } = await import("../dist/ai-sdk/index.js");
  const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
  return {
    streamsOnly: true,
    openai: ({ baseURL, apiKey, model, ...settings }) =>
      fromAiSdk(createOpenAICompatible({ name: "wild", baseURL, apiKey, includeUsage: true })(model), settings),
  };
}

async function loadCommand() {
  const { output } = await build({
    input: fileURLToPath(new URL("cases/command.mjs", import.meta.url)),
    platform: "node",
    write: false,
    output: { codeSplitting: false },
  });
  return import(`data:text/javascript,${encodeURIComponent(output[0].code)}`);
}

function leave(message) {
  console.error(message);
  process.exit(1);
}
