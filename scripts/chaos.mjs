// Runs the whole chaos suite: `npm run chaos [-- [--part 2/5] [--from N | --seed N] [words of a test's name]]`. Prints the injected
// faults and the test counts. Seeds begin at 1, or at `--from`. A part has every fifth seed and place, and some of the tests that can't be
// divided at full size; the five parts together are all. A test that passes without a fault that it counts fails the run.

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { countsOf } from "./counts.mjs";
import { readReport } from "./check/read-report.mjs";

const options = { seed: { type: "string" }, from: { type: "string" }, part: { type: "string" } };
const { values, positionals } = parseArgs({ options, allowPositionals: true });
if (values.seed !== undefined && !/^\d+$/.test(values.seed))
  leave(`--seed is ${values.seed}: give the whole number that the failed test named.`);
if (values.seed !== undefined && values.from !== undefined)
  leave("--from is the first of many seeds, and --seed is one seed: give one of the two.");
if (!/^\d+$/.test(values.from ?? "1")) leave(`--from is ${values.from}: give the whole number of the first seed.`);
const [, part, parts] =
  /^(\d+)\/(\d+)$/.exec(values.part ?? "1/1") ?? leave(`--part is ${values.part}: give one as in 2/5.`);
if (Number(part) < 1 || Number(part) > Number(parts)) leave(`--part is ${values.part}: the parts are 1 to ${parts}.`);

const folder = mkdtempSync(join(tmpdir(), "lastcall-chaos-"));
const counts = join(folder, "counts");
/** A check wants the report, too. */
const report = process.env["TEST_REPORT"] ?? join(folder, "tests.json");
writeFileSync(counts, "");

const named = positionals.length > 0 ? ["--testNamePattern", positionals.join(" ")] : [];
const args = ["run", "--project=slow", "test/chaos", "--testTimeout=3600000", ...named];
const chaos = { CHAOS: "all", CHAOS_COUNTS: counts, CHAOS_PART: `${part}/${parts}` };
const seed = values.seed === undefined ? { CHAOS_FROM: values.from ?? "1" } : { CHAOS_SEED: values.seed };
const began = Date.now();
const { status } = spawnSync(process.execPath, ["node_modules/vitest/vitest.mjs", ...args], {
  stdio: "inherit",
  env: { ...process.env, TEST_REPORT: report, ...chaos, ...seed },
});

const totals = new Map();
const met = new Set();
for (const line of readFileSync(counts, "utf8").split("\n").filter(Boolean)) {
  const [fault, times, test] = JSON.parse(line);
  totals.set(fault, (totals.get(fault) ?? 0) + times);
  met.add(test?.replaceAll(" > ", " "));
}
const files = readReport(report)?.files;
rmSync(folder, { recursive: true, force: true });
for (const [fault, times] of [...totals].sort()) console.log(`${String(times).padStart(9)}  ${fault}`);
/** The tests that passed and met nothing. One seed alone may meet nothing. */
const idle = (values.seed === undefined ? (files ?? []) : []).flatMap(({ file, tests }) =>
  tests.filter(({ name, status }) => status === "passed" && isChaos(file) && !met.has(name)).map(({ name }) => name),
);
for (const name of idle) console.log(`It passed, and counted no fault: ${name}`);
console.log(`${((Date.now() - began) / 1000).toFixed(0)} s`);
const { passed, failed } = countsOf(files);
console.log(`\n${passed} passed, ${failed + idle.length} failed`);
process.exitCode = status === 0 && passed > 0 && failed === 0 && idle.length === 0 ? 0 : status === 1 ? 1 : 2;

/** True for a file of the suite that injects faults. */
function isChaos(file) {
  return file.endsWith(".slow.test.ts");
}

function leave(words) {
  console.error(words);
  process.exit(4);
}
