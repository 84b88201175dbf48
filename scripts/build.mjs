// Builds dist: the code, then the declarations. `--if-changed` builds only if something that dist is made of has changed since the last build.

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "..");
const stamp = join(root, "test/.cache/built");
const steps = [["scripts/bundle.mjs"], ["node_modules/typescript/bin/tsc", "-p", "tsconfig.build.json"]];

if (!process.argv.includes("--if-changed") || !isBuilt()) {
  for (const step of steps) {
    const { status } = spawnSync(process.execPath, step, { cwd: root, stdio: "inherit" });
    if (status !== 0) process.exit(status ?? 1);
  }
  mkdirSync(dirname(stamp), { recursive: true });
  writeFileSync(stamp, state());
}

function isBuilt() {
  return existsSync(stamp) && readFileSync(stamp, "utf8") === state();
}

/** The sources and settings of dist, and dist as it is: something else may have written to it. */
function state() {
  const hash = createHash("sha256").update(process.env["TEST_TRANSPORT"] ?? "");
  const settings = ["tsconfig.json", "tsconfig.build.json", "package.json", "package-lock.json"];
  for (const file of [
    ...filesIn("src"),
    ...settings,
    "scripts/build.mjs",
    "scripts/bundle.mjs",
    "scripts/bundle-web.mjs",
    "scripts/over-fetch.mjs",
  ])
    hash.update(file).update(readFileSync(join(root, file)));
  for (const file of filesIn("dist")) hash.update(`${file} ${statSync(join(root, file)).mtimeMs}`);
  return hash.digest("hex");
}

function filesIn(folder) {
  if (!existsSync(join(root, folder))) return [];
  const found = readdirSync(join(root, folder), { recursive: true, withFileTypes: true });
  return found
    .filter((one) => one.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .map((path) => path.slice(root.length + 1))
    .sort();
}
