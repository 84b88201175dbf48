// Tries the agents of lastcall and of peers on the same tasks with the same scripted models: npm run peers:truth -- --help

import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { ownArms, peersEvaluation } from "./arms.mjs";
import { characters, knownTasks, replyTo } from "./characters.mjs";
import { countsOf } from "./counts.mjs";
import { bringPeers, peers } from "./packages.mjs";
import { withFigures, withRun } from "./page.mjs";
import { realModels, startReal } from "./real.mjs";

const usage = `npm run peers:truth -- [--only NAME] [--family NAME] [--cache FOLDER] [--write]
       npm run peers:truth -- --real NAME [--real-cache FOLDER] [--only NAME] [--family NAME] [--cache FOLDER]

  --only     one peer (${peers.map(({ name }) => name).join(", ")}), or none; default: all
  --family   the tasks of one family; default: all
  --cache    the folder for the packages of the peers; default: lastcall-peers in the user's cache folder
  --real     a real model in place of the scripts: ${realModels.join(" or ")}, on one task of each family but the long one, with at most 6 requests a trial.
             Its figures are printed, and not kept: it is another one each time
  --real-cache  the folder that npm run real has for models
  --write    keeps the figures in bench/peers/result.json, and writes docs/how-often-is-done-not-done.md if an earlier run had the same`;

const file = fileURLToPath(new URL("result.json", import.meta.url));
const page = fileURLToPath(new URL("../../docs/how-often-is-done-not-done.md", import.meta.url));
const { only, family, cache, write, help, real, "real-cache": realCache } = readArguments();
if (help) {
  console.log(usage);
  process.exit(0);
}
const chosen = peers.filter(({ name }) => only === undefined || name === only);
if (chosen.length === 0 && only !== "none") leave(`--only is ${only}: there is no such peer.`);
if (write && [only, family, real].some((given) => given !== undefined))
  leave("--write keeps a whole run: leave --only, --family and --real out.");
if (real !== undefined && !realModels.includes(real)) leave(`--real is ${real}: there is ${realModels.join(", ")}.`);

const library = await loadLibrary();
const whole = library.truthSuite();
// A real model is slow here, so it has few tasks and arms, and nothing long to read.
const some = real === undefined ? whole.tasks : whole.tasks.filter(({ id }) => /^(?!long).*-1$/.test(id));
const tasks = some.filter((task) => family === undefined || task.family === family);
if (tasks.length === 0) leave(`--family is ${family}: there is no such family.`);
const suite = { ...whole, tasks };
const { node, nodeVersion, programs } = bringPeers(cache, chosen, console.log);
// The server of a real model is ended as this process exits, which a signal alone would not let it be.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, () => process.exit(1));
const server = await (real === undefined ? startScripted() : startReal(real, { cache: realCache, say: console.log }));
const mostSteps = real === undefined ? 40 : 6;
process.env.PEER_URL = server.url;
process.env.PEER_STEPS = String(mostSteps);

const at = new Date().toISOString();
const work = mkdtempSync(join(tmpdir(), "lastcall-peers-"));
process.on("exit", () => rmSync(work, { recursive: true, force: true }));
const names = real === undefined ? Object.keys(characters) : [real];
const arms = real === undefined ? ownArms : ownArms.filter(({ name }) => ["none", "protected"].includes(name));
const evaluation = peersEvaluation(library, { suite, url: server.url, names, node, programs, arms, mostSteps });
const report = await drain(library.evaluate(evaluation, { base: work }));
await server.close();
const counts = countsOf(report);
console.table(counts.map(({ falseBy, ...own }) => ({ ...own, falseBy: JSON.stringify(falseBy) })));
for (const { id, why } of report.rows.filter(({ result }) => result === "void")) console.log(`void: ${id}: ${why}`);
const failed = report.rows.filter(({ ending }) => ending === "exit 1");
for (const { id, why } of failed) console.log(`failed: ${id}: ${why}`);
if (write && failed.length > 0) leave("Nothing is kept: programs have failed.");
if (write) await keep();

async function startScripted() {
  const known = await knownTasks(suite);
  const provider = await library.scriptedProvider(() => replyTo(provider.requests.at(-1).body, known));
  return provider;
}

async function keep() {
  const before = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : undefined;
  const versions = { node: nodeVersion, ...Object.fromEntries(chosen.map(({ name, packages }) => [name, packages])) };
  const result = withRun(before, { at, tasks: tasks.length, versions, counts });
  writeFileSync(file, `${JSON.stringify(result, null, 2)}\n`);
  console.log(`${file}: seen alike in ${result.seenAt.length} ${result.seenAt.length === 1 ? "run" : "runs"}`);
  if (result.seenAt.length < 2) return;
  const { format } = await import("prettier");
  const written = withFigures(readFileSync(page, "utf8"), result);
  writeFileSync(page, await format(written, { parser: "markdown", printWidth: 120 }));
}

async function drain(running) {
  for (;;) {
    const { done, value } = await running.next();
    if (done) return value;
    if (value.type === "trial-end")
      console.log(`${value.done} ${value.row.id} ${value.row.result} ${value.row.ending}`);
  }
}

function readArguments() {
  const words = ["only", "family", "cache", "real", "real-cache"].map((name) => [name, { type: "string" }]);
  const flags = ["write", "help"].map((name) => [name, { type: "boolean" }]);
  try {
    return parseArgs({ options: Object.fromEntries([...words, ...flags]) }).values;
  } catch (thrown) {
    return leave(`${thrown.message}\n${usage}`);
  }
}

async function loadLibrary() {
  try {
    const entries = ["", "model/", "checks/", "tools/", "permission/", "evals/", "testing/"];
    const loaded = await Promise.all(entries.map((entry) => import(`../../dist/${entry}index.js`)));
    return Object.assign({}, ...loaded);
  } catch (thrown) {
    return leave(`The library can't be loaded; build it with npm run build. ${thrown.message}`);
  }
}

function leave(message) {
  console.error(message);
  process.exit(2);
}
