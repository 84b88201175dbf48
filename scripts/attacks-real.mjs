// Compares what the gate believed about commands with what really happened when they ran: npm run attacks:real.
//
//   -- --count 10000 --seed 1 --shells dash,bash-as-sh   how many commands, which ones, and the shells that run them
//   -- --only 'COMMAND' [--folder FOLDER]              one command; /@home stands for the home folder of the fixture
//   -- --path FOLDER                                   programs of this folder, too: a compiler of one's own, but no wrapper
//   -- --planted ['WORDS OF A NAME']                   plants faults in a copy of the gate: each must be found
//
// dash and zsh run as `sh`. bash runs by its own name, and `bash-as-sh` by the name of sh, as it does where it is /bin/sh.
//
// Every command is generated from its seed and number. The gate is asked about it, and a command that it lets through without a question runs
// under strace in a temporary home folder. The exit code is 1 for anything that the gate did not believe, and 4 if nothing can be run here.

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { linesFor, wordsFor } from "./attacks-real/report.mjs";
import { runAll, runOnly, runPlanted } from "./attacks-real/run-all.mjs";
import { find, shellOf } from "./attacks-real/run-traced.mjs";

/** A planted fault must be found within so many commands. */
const enough = 2000;

const { values, positionals } = readArguments();
const seed = numberOf("seed", "1");
const count = numberOf("count", values.planted ? String(enough) : "10000");
const named = (values.shells ?? (values.planted ? "dash,zsh" : "dash,bash,bash-as-sh,zsh")).split(",");
if (spawnSync("strace", ["-o", "/dev/null", "/bin/sh", "-c", ":"]).status !== 0)
  leave(4, "strace is not there, or may not trace here. Install it: node scripts/install-programs.mjs.");
const shells = named.filter((name) => find(shellOf(name).program) !== undefined);
for (const name of named) if (!shells.includes(name)) console.log(`${name}: not run on this system`);
if (shells.length === 0) leave(4, "None of the shells is on this system.");

const temporary = mkdtempSync(join(tmpdir(), "lastcall-real-"));
process.on("exit", () => rmSync(temporary, { recursive: true, force: true }));
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(130));

if (values.only !== undefined) await only({ text: values.only, folder: values.folder ?? "." });
else if (values.planted) process.exitCode = (await planted()) === 0 ? 0 : 1;
else await all();

async function all() {
  const began = Date.now();
  const sum = { asked: 0, allowed: 0, told: 0 };
  const failures = [];
  const printed = new Set();
  await runAll({ temporary, seed, count, shells, more: values.path }, ({ done, failure }) => {
    for (const name of Object.keys(sum)) sum[name] += done?.[name] ?? 0;
    if (failure === undefined) return;
    failures.push(failure);
    const key = `${failure.key} ${failure.shortest?.text}`;
    if (printed.has(key) || (failure.shortest === undefined && failure.main.kind !== "hung")) return;
    printed.add(key);
    console.log(`\n${linesFor({ ...failure, seed })}`);
  });
  const seconds = (Date.now() - began) / 1000;
  const share = (part, whole) => `${((100 * part) / whole).toFixed(0)} %`;
  console.log(
    `\n${sum.asked} commands of seed ${seed}, ${sum.allowed} let through (${share(sum.allowed, sum.asked)}), run in ${shells.join(", ")}.`,
  );
  console.log(
    `The words of ${share(sum.told, sum.allowed)} of these were compared, too. ${seconds.toFixed(0)} s, ${((sum.asked / seconds) * 60).toFixed(0)} commands a minute.`,
  );
  for (const [key, number] of countsOf(failures.map((one) => one.key))) console.log(`${number} failures: ${key}`);
  const ran = sum.allowed * shells.length - failures.filter(({ key }) => key !== "crash").length;
  console.log(`\n${ran} as believed, ${failures.length} failed`);
  process.exitCode = failures.length > 0 || sum.allowed === 0 ? 1 : 0;
}

function planted() {
  return runPlanted({ temporary, seed, count, shells, words: positionals.join(" ") });
}

async function only(command) {
  const { laws, shells: tried } = await runOnly({ temporary, shells }, command);
  if (laws.crash !== undefined) leave(1, `The gate throws: ${laws.crash}`);
  if (laws.length === 0) console.log("The gate asks about it, or refuses it.");
  for (const { shell, differences } of tried)
    console.log(`${shell}: ${differences.length === 0 ? "as believed" : differences.map(wordsFor).join("\n  ")}`);
  process.exitCode = tried.some(({ differences }) => differences.length > 0) ? 1 : 0;
}

function countsOf(keys) {
  const counts = new Map();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}

function readArguments() {
  const text = { type: "string" };
  try {
    const options = {
      seed: text,
      count: text,
      shells: text,
      only: text,
      folder: text,
      path: text,
      planted: { type: "boolean" },
    };
    return parseArgs({ options, allowPositionals: true });
  } catch (thrown) {
    return leave(4, thrown.message);
  }
}

function numberOf(name, usual) {
  const number = Number(values[name] ?? usual);
  return Number.isSafeInteger(number) && number >= 0 ? number : leave(4, `--${name} is a whole number.`);
}

function leave(code, message) {
  console.error(message);
  process.exit(code);
}
