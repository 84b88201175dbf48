// Runs the tests of core, schema, model and memory in Node, Bun, Deno, Cloudflare's workerd and Chromium, and writes the table of docs/runtimes.md.

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { bring, bringServers, cacheFolder } from "./runtimes/bring.mjs";
import { bundleTests } from "./runtimes/bundle-tests.mjs";
import { chromiumOnPath, inChromium, inProcess, inWorkerd } from "./runtimes/cells.mjs";
import { startNodeSide } from "./runtimes/node-side.mjs";
import { keepFigures } from "./runtimes/page.mjs";
import { cellOf, leastShare, linesOf } from "./runtimes/count.mjs";

const usage = `npm run test:runtimes -- [--only NAME] [--files WORD] [--part N/M] [--offline] [--cache FOLDER] [--write]

  --only     one runtime: "Node 20", "Node 22", "Node 24", Bun, Deno, workerd, Chromium; may be given more than once
  --files    the files of tests with this in their path
  --part     every Mth file, from the Nth on
  --offline  leaves out a runtime that is not in the cache
  --cache    the folder for the programs; default: lastcall-runtimes in the user's cache folder
  --write    writes docs/runtimes.md, if each runtime gave the same figures twice
`;

const root = resolve(import.meta.dirname, "..");
process.chdir(root);
const { values } = parseArgs({
  options: {
    only: { type: "string", multiple: true },
    files: { type: "string", default: "" },
    part: { type: "string", default: "1/1" },
    offline: { type: "boolean", default: false },
    cache: { type: "string" },
    write: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});
if (values.help) {
  console.log(usage);
  process.exit(0);
}

const [part, parts] = values.part.split("/").map(Number);
const suites = ["test/core", "test/schema", "test/model", "test/memory/session", "test/memory/prompt"];
/** The stores in files and SQLite, for runtimes that have files. */
const stores = ["test/memory/store", "test/memory/disk", "test/memory/stores.test.ts", "test/memory/golden.test.ts"];
const filesIn = (folders) =>
  execFileSync("git", ["ls-files", ...folders], { encoding: "utf8" })
    .split("\n")
    // A test of types runs the compiler alone.
    .filter((file) => file.endsWith(".test.ts") && !file.includes("openai-types") && file.includes(values.files))
    .filter((_file, index) => index % parts === part - 1);
const forAll = filesIn(suites);
const files = { web: forAll, node: [...forAll, ...filesIn(stores)] };

/** Files that tests read as data, where there are no files: the path in the bundle, and the text. */
const corpus = "../shared/cases/model-outputs.jsonl";
const data = [
  "test/cases/secrets/formats.jsonl",
  "test/memory/golden/0.1/journal.jsonl",
  ...(existsSync(corpus) ? [corpus] : []),
];

mkdirSync("test/.cache/runtimes", { recursive: true });
const own = mkdtempSync(resolve("test/.cache/runtimes/run-"));
const folders = { node: join(own, "node"), web: join(own, "web") };
for (const [kind, folder] of Object.entries(folders)) await bundleTests(kind, files[kind], folder);
const side = await startNodeSide(
  folders.web,
  Object.fromEntries(data.map((file) => [`/${file.replace("../", "")}`, readFileSync(file, "utf8")])),
);

const expected = new Map();
for await (const { file, tests } of inProcess(
  { program: process.execPath, folder: folders.node, isList: true },
  files.node,
))
  expected.set(file, tests.length);

const version = (program, words = ["--version"]) =>
  /\d+[-.\d]*/.exec(execFileSync(program, words, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }))?.[0];
const inOwnProcess = (words) => (program) => inProcess({ program, words, folder: folders.node }, files.node);
const runtimes = {
  "Node 20": { kind: "node", run: inOwnProcess([]) },
  "Node 22": { kind: "node", run: inOwnProcess([]) },
  "Node 24": { kind: "node", run: inOwnProcess([]) },
  Bun: { kind: "node", run: inOwnProcess([]) },
  Deno: { kind: "node", run: inOwnProcess(["run", "-A"]) },
  workerd: { kind: "web", run: (program) => inWorkerd({ side, program, folder: folders.web }, files.web) },
  Chromium: { kind: "web", run: (program) => inChromium({ side, program }, files.web) },
};

// For test/server/mounts.slow.test.ts, which starts no download.
bringServers(cacheFolder(values.cache), { isOffline: values.offline });

const cells = [];
for (const [name, { kind, run }] of Object.entries(runtimes)) {
  if (values.only !== undefined && !values.only.includes(name)) continue;
  const program =
    name === "Chromium" ? chromiumOnPath() : bring(name, cacheFolder(values.cache), { isOffline: values.offline });
  if (program === undefined) {
    console.log(`${name}: left out, because it is not installed`);
    continue;
  }
  const results = [];
  for await (const result of run(program)) results.push(result);
  const cell = {
    name,
    version: version(program),
    ...cellOf(results, new Map(files[kind].map((file) => [file, expected.get(file)]))),
  };
  cells.push(cell);
  for (const line of linesOf(cell)) console.log(line);
}

// A part of the tests says nothing about all of them.
const isWhole = parts === 1 && values.files === "";
const isGood = ({ failed, passed, total }) => failed.length === 0 && (!isWhole || passed >= leastShare * total);
if (isWhole) await keepFigures(cells, "test/.cache/runtimes/figures", Object.keys(runtimes), values.write);
process.exitCode = cells.every(isGood) ? 0 : 1;
console.log(`${cells.filter(isGood).length} of ${cells.length} runtimes passed`);
// A page or a worker may have left something that waits.
await side[Symbol.asyncDispose]();
rmSync(own, { recursive: true });
process.exit();
