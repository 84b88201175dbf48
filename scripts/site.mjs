// Builds the site into `site/dist`, or serves it while it is written: `npm run site`, `npm run site:dev`.
// `npm run site -- --install` does no more than the installation, so that the tests of the site are not left out.
//
// It installs the packages of site/ if they are not there, and brings a newer Node if this one is too old for Astro. It builds the library,
// because the playground bundles what is published, and the API reference.

import { execFileSync } from "node:child_process";
import { existsSync, lstatSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join, resolve } from "node:path";
import { bringNode } from "../bench/peers/packages.mjs";

const root = resolve(import.meta.dirname, "..");
const site = join(root, "site");
const serves = process.argv.includes("--serve");

const { node } = bringNode(undefined, console.log);
const env = {
  ...process.env,
  PATH: `${dirname(node)}${delimiter}${process.env["PATH"] ?? ""}`,
  ASTRO_TELEMETRY_DISABLED: "1",
};
const run = (folder, ...words) => execFileSync(node, words, { cwd: folder, env, stdio: "inherit" });
/** npm's own program, so that it runs with the newer Node. */
const npm = process.env["npm_execpath"];

if (!existsSync(join(root, "node_modules/.package-lock.json"))) install(root);
if (isOld()) install(site);
link();
if (!process.argv.includes("--install")) build();

function build() {
  execFileSync(process.execPath, ["scripts/build.mjs", "--if-changed"], { cwd: root, stdio: "inherit" });
  // While pages are written, the reference of the last build is good enough.
  if (!serves || !existsSync(join(site, ".api"))) run(root, "site/api.mjs");
  run(site, "sync.mjs");
  // Astro keeps rendered pages, and does not see that a plug-in of ours is another one.
  rmSync(join(site, "node_modules/.astro"), { recursive: true, force: true });
  // Astro builds pages without a search if the caller's environment says `test` or `development`.
  env["NODE_ENV"] = serves ? "development" : "production";
  run(site, "node_modules/astro/bin/astro.mjs", serves ? "dev" : "build");
}

function install(folder) {
  const words = ["ci", "--include=dev", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  if (npm?.endsWith("npm-cli.js")) run(folder, npm, ...words);
  else execFileSync("npm", words, { cwd: folder, env, stdio: "inherit" });
  if (folder === site) writeFileSync(join(site, "node_modules/.installed"), lock());
}

/** True if the packages of the site are not the packages of the lock file. */
function isOld() {
  const mark = join(site, "node_modules/.installed");
  return !existsSync(mark) || readFileSync(mark, "utf8") !== lock();
}

function lock() {
  return readFileSync(join(site, "package-lock.json"), "utf8");
}

/** The playground imports the package by its name, as its users do. */
function link() {
  const place = join(site, "node_modules/lastcall");
  if (lstatSync(place, { throwIfNoEntry: false }) !== undefined) rmSync(place);
  symlinkSync(root, place, "junction");
}
