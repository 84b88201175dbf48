// Prepares the manifests for the first release: `npm run release -- --repository OWNER/NAME`. Nobody but the owner knows that address, and npm's
// provenance compares it with the repository that publishes. `npm publish` runs `--check` first, which refuses a release without it.

import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";

const { values } = parseArgs({
  options: { repository: { type: "string" }, check: { type: "boolean", default: false }, root: { type: "string" } },
});
const root = values.root ?? resolve(import.meta.dirname, "..");
/** The packages that are published, by their folders. */
const folders = [".", "create-lastcall"];
const flag = join(root, "scripts/published.mjs");

if (values.check) check();
else prepare(values.repository ?? "");

function check() {
  const missing = folders.filter((folder) => manifestOf(folder).repository === undefined);
  if (missing.length > 0 || !readFileSync(flag, "utf8").includes("isPublished = true"))
    leave("Nothing is published: npm run release -- --repository OWNER/NAME states the repository first.");
}

function prepare(repository) {
  if (!/^[\w.-]+\/[\w.-]+$/.test(repository)) leave("Say the repository on GitHub: --repository OWNER/NAME");
  const page = `https://github.com/${repository}`;
  for (const folder of folders) {
    const directory = folder === "." ? {} : { directory: folder };
    const fields = {
      repository: { type: "git", url: `git+${page}.git`, ...directory },
      bugs: `${page}/issues`,
      homepage: `${page}#readme`,
    };
    writeFileSync(manifest(folder), `${JSON.stringify({ ...manifestOf(folder), ...fields }, null, 2)}\n`);
  }
  writeFileSync(flag, readFileSync(flag, "utf8").replace("isPublished = false", "isPublished = true"));
  console.log(
    "The manifests have the address. Now the tests name each page that has to say how lastcall is installed.",
  );
}

function manifest(folder) {
  return join(root, folder, "package.json");
}

function manifestOf(folder) {
  return JSON.parse(readFileSync(manifest(folder), "utf8"));
}

function leave(why) {
  console.error(why);
  process.exit(1);
}
