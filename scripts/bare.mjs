// Runs the README's commands on a bare machine: `npm run test:bare`. `npm run test:bare -- COMMAND ...` runs other commands, in a copy
// that has node_modules. `npm run test:bare -- --then COMMAND ...` runs the README's commands, and these ones after them.
//
// A bare machine means: a fresh copy of the tracked files, an ordinary user, a PATH with only node, npm, npx and sh, a read-only home
// folder, and npm's cache elsewhere. Two programs can still be reached by their paths: /usr/bin/env starts npm, and Node uses /bin/sh
// as its shell. The script itself needs only node and npm, and no node_modules. If root starts it, the commands run as user 65534.
// Otherwise they run as the user who started it. The exit code is 1 if only tests failed, as the report tells, and 2 if something else did.

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  cpSync,
  existsSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, delimiter, dirname, join, relative, resolve } from "node:path";
import { countsIn, lineOf, sum } from "./counts.mjs";

/** The longest time that one command may take, in minutes. */
const maxMinutes = 10;
const nobody = 65534;

const root = resolve(import.meta.dirname, "..");
const [isMore, words] = process.argv[2] === "--then" ? [true, process.argv.slice(3)] : [false, process.argv.slice(2)];
const given = isMore ? [] : words;
const commands = given.length > 0 ? given : [...readmeCommands(), ...words];
const isRoot = process.getuid() === 0;
const user = isRoot ? { uid: nobody, gid: nobody } : {};
const began = Date.now();

process.umask(0o022);
// TMPDIR is ignored: its folder may be closed to user 65534.
const temporary = realpathSync("/tmp");
const folder = mkdtempSync(join(temporary, "lastcall-bare-"));
chmodSync(folder, 0o755);
const [copy, tools, home, cache] = ["copy", "tools", "home", "cache"].map((name) => join(folder, name));
/** The reports of the commands that ran tests. */
const reports = [];
let running;

process.on("exit", () => {
  stop();
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  removeDemos();
});
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, () => process.exit(130));

for (const path of [copy, tools, home, cache]) mkdirSync(path);
const env = environment();
copyFiles();
makeTools();
chmodSync(home, 0o555);
if (isRoot) for (const path of [copy, cache]) giveTo(path);

console.log(`Bare: ${isRoot ? `user ${nobody}` : `this user (root would take user ${nobody})`}, a copy in ${copy},`);
console.log(`a PATH with only ${readdirSync(tools).join(", ")}, and a read-only home folder.`);
const broken = [];
/** True if something besides tests went wrong. */
let isOther = false;
for (const [index, written] of commands.entries()) {
  // The packages of the first command are there: to install the same ones again shows nothing.
  const command = index > 0 && given.length === 0 ? written.replace(/^npm ci && /, "") : written;
  console.log(`\n$ ${command}`);
  const report = join(cache, `tests-${index}.json`);
  const { how, seconds } = await run(command, report);
  if (existsSync(report)) reports.push(report);
  console.log(`\n$ ${command}: ${how === "exit 0" ? "ok" : `BROKEN, ${how}`} (${seconds} s)`);
  if (how === "exit 0") continue;
  broken.push(command);
  isOther ||= how !== "exit 1" || reports.at(-1) !== report;
}

// One of the README's commands runs tests and so leaves a report, and so does each that comes after them; other commands may not. A broken command counts as a failure in any case.
const counts = sum(reports.map(countsIn));
const missing = given.length === 0 ? commands.length - 1 - reports.length : 0;
counts.failed = Math.max(counts.failed, broken.length, missing);
if (process.env["TEST_REPORT"] && reports.length > 0) writeFileSync(process.env["TEST_REPORT"], together());
if (broken.length > 0) console.log(`\nBroken on a bare machine: ${broken.join("; ")}`);
console.log(`\n${lineOf(counts)}`);
process.exit(counts.failed === 0 ? 0 : isOther ? 2 : 1);

/** The reports as one, in the words of the runner. */
function together() {
  const all = reports.map((path) => JSON.parse(readFileSync(path, "utf8")));
  const every = (name) => all.flatMap((one) => one[name] ?? []);
  return JSON.stringify({ ...all[0], errors: every("errors"), testResults: every("testResults") });
}

/** The README's lines that begin with `npm ci &&`, without their trailing comments. */
function readmeCommands() {
  const lines = readFileSync(join(root, "README.md"), "utf8").match(/^npm ci && .*$/gm) ?? [];
  if (lines.length !== 2) throw new Error(`The README has ${lines.length} lines that begin with npm ci, not two.`);
  return lines.map((line) => line.replace(/ +#.*/, ""));
}

function copyFiles() {
  const tracked = gitFiles();
  if (tracked !== undefined) {
    for (const file of tracked) cpSync(join(root, file), join(copy, file), { verbatimSymlinks: true });
    const untracked = gitFiles("--others", "--exclude-standard");
    if (untracked?.length > 0) console.log(`Not copied, as git does not track them: ${untracked.join(", ")}`);
  } else {
    console.log("git can't list the tracked files here: everything is copied except .git and the paths in .gitignore.");
    cpSync(root, copy, { recursive: true, verbatimSymlinks: true, filter: (from) => !isIgnored(relative(root, from)) });
  }
  if (given.length === 0) return;
  const modules = realpathSync(join(root, "node_modules"));
  cpSync(modules, join(copy, "node_modules"), { recursive: true, verbatimSymlinks: true });
}

/** The existing files that git lists; undefined without git or outside a repository. */
function gitFiles(...options) {
  if (!existsSync(join(root, ".git"))) return undefined;
  const args = ["-c", `safe.directory=${root}`, "ls-files", "-z", ...options];
  const { status, stdout } = spawnSync("git", args, { cwd: root, encoding: "utf8" });
  if (status !== 0) return undefined;
  return stdout.split("\0").filter((name) => name !== "" && existsSync(join(root, name)));
}

/** True for .git and the paths in .gitignore. Its rules may be names, paths and `*.ending`. */
function isIgnored(path) {
  const rules = readFileSync(join(root, ".gitignore"), "utf8").split("\n").filter(Boolean);
  return [".git", ...rules].some((rule) => {
    const name = rule.replace(/\/$/, "");
    if (name.startsWith("*.")) return path.endsWith(name.slice(1));
    return name.includes("/") ? path === name : basename(path) === name;
  });
}

/** Makes the folder for PATH: links to the programs, or to copies of them if the user may not run the installed ones. */
function makeTools() {
  const npm = npmProgram();
  const link = (node, from) => {
    for (const [name, target] of [
      ["node", node],
      ["npm", join(from, "bin/npm-cli.js")],
      ["npx", join(from, "bin/npx-cli.js")],
      ["sh", realpathSync("/bin/sh")],
    ]) {
      rmSync(join(tools, name), { force: true });
      symlinkSync(target, join(tools, name));
    }
  };
  link(process.execPath, npm);
  const attempt = spawnSync(join(tools, "npm"), ["--version"], { ...user, env, cwd: "/" });
  if (attempt.status === 0) return;
  const own = join(folder, "installed");
  cpSync(process.execPath, join(own, "node"));
  cpSync(npm, join(own, "npm"), { recursive: true });
  link(join(own, "node"), join(own, "npm"));
}

/** The folder of the npm that started this script, or of the first one on PATH. */
function npmProgram() {
  const onPath = (process.env["PATH"] ?? "").split(delimiter).map((place) => join(place, "npm"));
  const found = [process.env["npm_execpath"] ?? "", ...onPath]
    .filter((path) => existsSync(path))
    .map((path) => realpathSync(path))
    .find((path) => basename(path) === "npm-cli.js");
  if (found === undefined) throw new Error("There is no npm on the PATH.");
  return dirname(dirname(found));
}

/** The environment of the commands. From the caller's it has only `CI`, proxies, certificates and the registry of npm. */
function environment() {
  const isPassedOn = (name) =>
    /^(?:CI|https?_proxy|no_proxy|all_proxy|NODE_EXTRA_CA_CERTS|SSL_CERT_(?:FILE|DIR))$/i.test(name);
  const passed = Object.fromEntries(Object.entries(process.env).filter(([name]) => isPassedOn(name)));
  const npm = { npm_config_cache: cache, npm_config_update_notifier: "false" };
  const { stdout } = spawnSync("npm", ["config", "get", "registry"], { cwd: root, encoding: "utf8" });
  if (/^https?:/.test(stdout ?? "")) npm.npm_config_registry = stdout.trim();
  return { ...passed, ...npm, PATH: tools, HOME: home };
}

function giveTo(path) {
  lchownSync(path, nobody, nobody);
  if (lstatSync(path).isDirectory()) for (const name of readdirSync(path)) giveTo(join(path, name));
}

/** Runs the command in its own process group. No process of the group outlives it. */
async function run(command, report) {
  const start = Date.now();
  running = spawn(join(tools, "sh"), ["-c", command], {
    ...user,
    cwd: copy,
    env: { ...env, TEST_REPORT: report },
    stdio: ["ignore", "inherit", "inherit"],
    detached: true,
  });
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    stop();
  }, maxMinutes * 60_000);
  const [status, signal] = await once(running, "close");
  clearTimeout(timer);
  stop();
  const how = isLate ? `stopped after ${maxMinutes} minutes` : status === null ? `signal ${signal}` : `exit ${status}`;
  return { how, seconds: ((Date.now() - start) / 1000).toFixed(1) };
}

function stop() {
  try {
    if (running?.pid !== undefined) process.kill(-running.pid, "SIGKILL");
  } catch {
    // The group is gone.
  }
}

/** Removes the folders that the demo has left for a person to look at. */
function removeDemos() {
  for (const name of readdirSync(temporary).filter((one) => one.startsWith("lastcall-demo-"))) {
    const stats = lstatSync(join(temporary, name), { throwIfNoEntry: false });
    if (stats?.uid === (user.uid ?? process.getuid()) && stats.birthtimeMs >= began)
      rmSync(join(temporary, name), { recursive: true, force: true });
  }
}
