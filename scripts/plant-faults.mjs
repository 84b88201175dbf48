// Plants the faults of test/chaos/planted-faults.mjs one by one in a copy of the tracked files, and runs the tests that must catch each:
// `npm run plant [-- [--part 2/10] [words of a fault's name]]`. Ends with `N caught, N not caught`. The exit code is 0 if all were caught.
//
// A fault is caught if a test fails that passes without it. A fault whose text is not found in its file, or that does not build, is not caught.

import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { faults } from "../test/chaos/planted-faults.mjs";

const root = resolve(import.meta.dirname, "..");
const { values, positionals } = parseArgs({ options: { part: { type: "string" } }, allowPositionals: true });
const words = positionals.join(" ").toLowerCase();
const [, part, parts] = (/^([1-9]\d*)\/([1-9]\d*)$/.exec(values.part ?? "1/1") ?? []).map(Number);
const chosen = faults.filter(({ name }, index) => name.toLowerCase().includes(words) && index % parts === part - 1);
if (chosen.length === 0) {
  console.error(`No fault of the part ${values.part ?? "1/1"} has ${JSON.stringify(words)} in its name.`);
  process.exit(4);
}

const copy = mkdtempSync(join(tmpdir(), "lastcall-plant-"));
process.on("exit", () => {
  rmSync(copy, { recursive: true, force: true });
});
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(130));
copyFiles();

const unplanted = new Map();
let caught = 0;
for (const fault of chosen) {
  const said = plant(fault);
  if (said.startsWith("caught")) caught += 1;
  console.log(`${said}: ${fault.name}`);
}
console.log(`\n${caught} caught, ${chosen.length - caught} not caught`);
process.exitCode = caught === chosen.length ? 0 : 1;

/** Plants the fault, runs its tests, and returns what came of it. */
function plant({ file, from, to, tests, named }) {
  const path = join(copy, file);
  if (!existsSync(path)) return `NOT PLANTED (there is no ${file})`;
  const original = readFileSync(path, "utf8");
  const places = original.split(from).length - 1;
  if (places !== 1) return `NOT PLANTED (${file} has its text ${places} times)`;
  let failed;
  writeFileSync(
    path,
    original.replace(from, () => to),
  );
  try {
    failed = failedTests(tests, named);
  } catch (thrown) {
    return `NOT BUILT (${thrown.message})`;
  } finally {
    writeFileSync(path, original);
  }
  if (failed.length === 0) return "NOT CAUGHT";
  let sound;
  try {
    sound = failedWithout(tests, named);
  } catch (thrown) {
    return `NOT CAUGHT (without it no test ran: ${thrown.message})`;
  }
  const by = failed.filter((name) => !sound.includes(name));
  return by.length === 0 ? `NOT CAUGHT (without it fails, too: ${failed[0]})` : "caught";
}

/** The names of the tests that fail without a fault. Tests that catch several faults run once. */
function failedWithout(tests, named) {
  const key = JSON.stringify([tests, named]);
  const failed = unplanted.get(key) ?? failedTests(tests, named);
  unplanted.set(key, failed);
  return failed;
}

/**
 * The names of the tests that fail.
 * @throws Error if no test ran, for example because the sources do not build.
 */
function failedTests(tests, named) {
  const report = join(copy, "report.json");
  rmSync(report, { force: true });
  const names = named === undefined ? [] : ["--testNamePattern", named];
  const args = ["run", ...tests, ...names, "--typecheck.enabled=false", "--bail=3", "--reporter=json"];
  const { stderr } = spawnSync(
    process.execPath,
    ["node_modules/vitest/vitest.mjs", ...args, `--outputFile=${report}`],
    { cwd: copy, encoding: "utf8", env: { ...process.env, TEST_REPORT: "" } },
  );
  const { testResults = [], numPassedTests = 0 } = existsSync(report) ? JSON.parse(readFileSync(report, "utf8")) : {};
  const failed = testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ status }) => status === "failed")
    .map(({ fullName }) => fullName);
  if (failed.length + numPassedTests === 0) throw new Error(stderr.trim().split("\n").at(-1) || "no test ran");
  return failed;
}

/** Copies the tracked files and those that are new. The packages are linked. */
function copyFiles() {
  const { stdout, status, stderr } = spawnSync(
    "git",
    ["ls-files", "-z", "--cached", "--others", "--exclude-standard"],
    { cwd: root, encoding: "utf8", maxBuffer: 2 ** 28 },
  );
  if (status !== 0) throw new Error(`The files could not be listed: ${stderr}`);
  for (const name of stdout.split("\0").filter((name) => name !== "" && existsSync(join(root, name)))) {
    mkdirSync(dirname(join(copy, name)), { recursive: true });
    cpSync(join(root, name), join(copy, name));
  }
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
}
