// Runs the whole chaos suite: `npm run chaos [-- [--seed N] [words of a test's name]]`. Prints the injected faults and the test counts.

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { countsIn } from "./counts.mjs";

const { values, positionals } = parseArgs({ options: { seed: { type: "string" } }, allowPositionals: true });
if (values.seed !== undefined && !/^\d+$/.test(values.seed)) {
  console.error(`--seed is ${values.seed}: give the whole number that the failed test named.`);
  process.exit(4);
}

const folder = mkdtempSync(join(tmpdir(), "lastcall-chaos-"));
const counts = join(folder, "counts");
const report = join(folder, "tests.json");
writeFileSync(counts, "");

const named = positionals.length > 0 ? ["--testNamePattern", positionals.join(" ")] : [];
const args = ["run", "--project=slow", "test/chaos", "--testTimeout=3600000", ...named];
const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
const seed = values.seed === undefined ? {} : { CHAOS_SEED: values.seed };
const began = Date.now();
const { status } = spawnSync(process.execPath, ["node_modules/vitest/vitest.mjs", ...args, ...reporters], {
  stdio: "inherit",
  env: { ...process.env, CHAOS: "all", CHAOS_COUNTS: counts, ...seed },
});

const totals = new Map();
for (const line of readFileSync(counts, "utf8").split("\n").filter(Boolean)) {
  const [fault, times] = JSON.parse(line);
  totals.set(fault, (totals.get(fault) ?? 0) + times);
}
const { passed, failed } = countsIn(report);
rmSync(folder, { recursive: true, force: true });
for (const [fault, times] of [...totals].sort()) console.log(`${String(times).padStart(9)}  ${fault}`);
console.log(`${((Date.now() - began) / 1000).toFixed(0)} s`);
console.log(`\n${passed} passed, ${failed} failed`);
process.exitCode = status === 0 && passed > 0 && failed === 0 ? 0 : 1;
