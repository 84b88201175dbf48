// Everything that must hold before a change lands: tests, types, lint, build, package. The last line counts the tests.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const folder = mkdtempSync(join(tmpdir(), "lastcall-check-"));
const report = join(folder, "tests.json");

/** One after the other; what stands together runs side by side. */
const steps = [
  [["tests", "npm", ["test", "--", "--reporter=default", "--reporter=json", `--outputFile.json=${report}`]]],
  [
    ["types", "npm", ["run", "types"]],
    ["lint", "npm", ["run", "lint"]],
  ],
  [["build", "npm", ["run", "build"]]],
  [["api reference", "npm", ["run", "docs"]]],
  [["package", "npm", ["run", "package"]]],
];

const broken = [];
const env = { ...process.env, FORCE_COLOR: "0" };

/** Runs it; what runs alone prints as it goes, what has company once it is over. */
async function run([name, command, args], isAlone) {
  if (isAlone) console.log(`\n== ${name}`);
  const began = Date.now();
  const child = spawn(command, args, {
    stdio: ["inherit", isAlone ? "inherit" : "pipe", isAlone ? "inherit" : "pipe"],
    env,
  });
  const said = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk) => said.push(chunk));
  const [status] = await once(child, "close");
  if (status !== 0) broken.push(name);
  if (!isAlone) console.log(`\n== ${name}\n${Buffer.concat(said).toString()}`);
  console.log(`== ${name}: ${status === 0 ? "ok" : "BROKEN"} (${((Date.now() - began) / 1000).toFixed(1)} s)`);
}

for (const together of steps) await Promise.all(together.map((step) => run(step, together.length === 1)));

const { passed, failed } = count();
rmSync(folder, { recursive: true, force: true });
if (broken.length > 0) console.log(`\nBroken: ${broken.join(", ")}.`);
console.log(`\n${passed} passed, ${failed} failed`);
process.exitCode = broken.length === 0 && passed > 0 && failed === 0 ? 0 : 1;

function count() {
  try {
    const { numPassedTests, numFailedTests, numFailedTestSuites } = JSON.parse(readFileSync(report, "utf8"));
    return { passed: numPassedTests, failed: Math.max(numFailedTests, numFailedTestSuites > 0 ? 1 : 0) };
  } catch {
    return { passed: 0, failed: 1 };
  }
}
