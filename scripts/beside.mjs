// Installs the packed package beside older and newer versions of packages that it can be used with, each pair in an empty folder, and shows
// a table: whether npm took both, in either order, and the sentence of a program that uses the two together.
// `node scripts/beside.mjs [WORD ...]` takes the pairs with these words. It needs the network and a built `dist`; pairs with Postgres need
// DATABASE_URL. The exit code is 1 if npm refused, or if a program said something else than it should.

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pairs } from "./beside/pairs.mjs";

/** A program that says nothing for so long hangs, in milliseconds. */
const patience = 120_000;
const root = resolve(import.meta.dirname, "..");
const words = process.argv.slice(2);
const home = mkdtempSync(join(realpathSync(tmpdir()), "lastcall-beside-"));
process.once("exit", () => rmSync(home, { recursive: true, force: true, maxRetries: 3 }));
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(130));

const packed = spawnSync("npm", ["pack", "--ignore-scripts", "--pack-destination", home], {
  cwd: root,
  encoding: "utf8",
});
const tarball = join(home, packed.stdout.trim().split("\n").at(-1));
const chosen = pairs.filter(({ beside }) => words.length === 0 || words.some((word) => beside.includes(word)));
let failed = 0;
for (const [index, { beside, program, says, command }] of chosen.entries()) {
  const folder = join(home, String(index));
  mkdirSync(folder);
  writeFileSync(join(folder, "package.json"), '{ "name": "mine", "type": "module" }');
  const first = await run(folder, `npm install ${beside}`);
  const second = await run(folder, `npm install ${tarball}`);
  const together = join(home, `${index}-together`);
  mkdirSync(together);
  writeFileSync(join(together, "package.json"), '{ "name": "mine", "type": "module" }');
  const both = await run(together, `npm install --dry-run ${tarball} ${beside}`);
  const problems = [first, second, both].filter(({ status }) => status !== 0).map(({ stderr }) => stderr);
  if (program !== undefined) writeFileSync(join(folder, "use.js"), program);
  const used = await run(folder, command ?? "node use.js");
  const said = `${used.stdout}${used.stderr}`.trim();
  if (!says.test(said)) problems.push(`It should say ${String(says)}.`);
  failed += problems.length > 0 ? 1 : 0;
  console.log(`${problems.length === 0 ? "ok    " : "FAILED"} ${beside}\n       ${said.replaceAll("\n", "\n       ")}`);
  for (const problem of problems) console.log(problem.replace(/^/gm, "       "));
  for (const path of [folder, together]) rmSync(path, { recursive: true, force: true, maxRetries: 3 });
}
console.log(`\n${chosen.length - failed} of ${chosen.length} pairs are as they should be.`);
process.exitCode = failed === 0 ? 0 : 1;

/** Runs a line in a folder. A program that hangs is ended, and says so. */
async function run(folder, line) {
  const env = {
    ...process.env,
    npm_config_audit: "false",
    npm_config_fund: "false",
    npm_config_update_notifier: "false",
  };
  const child = spawn("sh", ["-c", line], { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"], detached: true });
  let [stdout, stderr] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text) => (stderr += text));
  const timer = setTimeout(() => {
    stdout += "It hangs.";
    process.kill(-child.pid, "SIGKILL");
  }, patience);
  const [status] = await once(child, "close");
  clearTimeout(timer);
  return { stdout, stderr, status };
}
