// Everything that must hold before a change lands: tests, types, lint, build, package. The last line counts the tests.

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const folder = mkdtempSync(join(tmpdir(), "lastcall-check-"));
const report = join(folder, "tests.json");

const steps = [
  ["tests", "npm", ["test", "--", "--reporter=default", "--reporter=json", `--outputFile.json=${report}`]],
  ["types", "npm", ["run", "types"]],
  ["lint", "npm", ["run", "lint"]],
  ["build", "npm", ["run", "build"]],
  ["api reference", "npm", ["run", "docs"]],
  ["package", "npm", ["run", "package"]],
];

const broken = [];
for (const [name, command, args] of steps) {
  console.log(`\n== ${name}`);
  const began = Date.now();
  const { status } = spawnSync(command, args, { stdio: "inherit", env: { ...process.env, FORCE_COLOR: "0" } });
  if (status !== 0) broken.push(name);
  console.log(`== ${name}: ${status === 0 ? "ok" : "BROKEN"} (${((Date.now() - began) / 1000).toFixed(1)} s)`);
}

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
