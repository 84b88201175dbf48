// Runs the tests on other releases of Node (default: 22 and 24), installed from the `node` package of the registry.

import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const versions = process.argv.length > 2 ? process.argv.slice(2) : ["22", "24"];
// Not in the system's folder for temporary files, because the sandboxes in the tests replace that folder.
const cache = fileURLToPath(new URL("../node_modules/.cache", import.meta.url));
mkdirSync(cache, { recursive: true });
const folder = mkdtempSync(join(cache, "nodes-"));
const failed = [];

for (const version of versions) {
  const prefix = join(folder, version);
  const installed = spawnSync("npm", ["install", "--prefix", prefix, "--no-save", `node@${version}`], {
    stdio: "inherit",
  });
  const bin = join(prefix, "node_modules/node/bin");
  const node = join(bin, "node");
  const release = spawnSync(node, ["--version"], { encoding: "utf8" });
  console.log(`\n== Node ${release.stdout?.trim() ?? "could not be started"}`);
  const env = { ...process.env, PATH: `${bin}:${process.env.PATH}` };
  const tested = spawnSync(node, ["node_modules/vitest/vitest.mjs", "run"], { stdio: "inherit", env });
  if (installed.status !== 0 || tested.status !== 0) failed.push(version);
}

rmSync(folder, { recursive: true, force: true });
console.log(
  failed.length === 0
    ? `\nAll tests pass on Node ${versions.join(" and ")}.`
    : `\nFailed on Node ${failed.join(" and ")}.`,
);
process.exitCode = failed.length === 0 ? 0 : 1;
