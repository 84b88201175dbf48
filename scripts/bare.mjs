// The README's commands on a bare machine: `npm run test:bare`. With `-- COMMAND ...` these commands instead, in a copy that has node_modules.
//
// Bare: a fresh copy of the tracked files, a user who is not root, a PATH of node, npm, npx and sh alone, a home folder that can't be
// written to, npm's cache elsewhere. Two programs stay within reach by their paths: /usr/bin/env, which npm begins with, and /bin/sh,
// which Node takes for a shell. Needs no node_modules and no program but node and npm. Root hands the work to user 65534; anybody else
// does it as themselves.

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
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, delimiter, dirname, join, relative, resolve } from "node:path";
import { countsIn, lineOf } from "./counts.mjs";

/** Minutes that one command may take. */
const limit = 10;
const nobody = 65534;

const root = resolve(import.meta.dirname, "..");
const given = process.argv.slice(2);
const commands = given.length > 0 ? given : readmeCommands();
const isRoot = process.getuid() === 0;
const user = isRoot ? { uid: nobody, gid: nobody } : {};
const began = Date.now();

process.umask(0o022);
// The folder for temporary files that root was given may be closed to others.
const folder = mkdtempSync(join(realpathSync(isRoot ? "/tmp" : tmpdir()), "lastcall-bare-"));
const [copy, tools, home, cache] = ["copy", "tools", "home", "cache"].map((name) => join(folder, name));
const report = join(cache, "tests.json");
let running;

process.on("exit", () => {
  stop();
  rmSync(folder, { recursive: true, force: true });
  removeDemos();
});
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, () => process.exit(130));

for (const path of [copy, tools, home, cache]) mkdirSync(path);
copyFiles();
makeTools();
chmodSync(home, 0o555);
chmodSync(folder, 0o755);
if (isRoot) for (const path of [copy, cache]) giveTo(path);

console.log(`Bare: ${isRoot ? `user ${nobody}` : `this user (root would take user ${nobody})`}, a copy in ${copy},`);
console.log(`a PATH of ${readdirSync(tools).join(", ")}, a home folder that can't be written to.`);
const broken = [];
for (const command of commands) {
  console.log(`\n$ ${command}`);
  const { how, seconds } = await run(command);
  console.log(`\n$ ${command}: ${how === "exit 0" ? "ok" : `BROKEN, ${how}`} (${seconds} s)`);
  if (how !== "exit 0") broken.push(command);
}

// Commands that were given may run no tests. Those of the README do, and a command that broke is a failure, whatever the report says.
const counts = given.length === 0 || existsSync(report) ? countsIn(report) : { passed: 0, failed: 0, skipped: 0 };
counts.failed = Math.max(counts.failed, broken.length);
if (process.env["TEST_REPORT"] && existsSync(report)) cpSync(report, process.env["TEST_REPORT"]);
if (broken.length > 0) console.log(`\nBroken on a bare machine: ${broken.join("; ")}`);
console.log(`\n${lineOf(counts)}`);
process.exit(counts.failed === 0 ? 0 : 1);

/** The lines of the README that install and then do something, to the letter. */
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
    console.log("git does not tell here which files are tracked: copied is all but .git and what .gitignore names.");
    cpSync(root, copy, { recursive: true, verbatimSymlinks: true, filter: (from) => !isIgnored(relative(root, from)) });
  }
  if (given.length === 0) return;
  const modules = realpathSync(join(root, "node_modules"));
  cpSync(modules, join(copy, "node_modules"), { recursive: true, verbatimSymlinks: true });
}

/** The files that git lists, as far as they are there; undefined if there is no git, or nothing of it here. */
function gitFiles(...options) {
  if (!existsSync(join(root, ".git"))) return undefined;
  const args = ["-c", `safe.directory=${root}`, "ls-files", "-z", ...options];
  const { status, stdout } = spawnSync("git", args, { cwd: root, encoding: "utf8" });
  if (status !== 0) return undefined;
  return stdout.split("\0").filter((name) => name !== "" && existsSync(join(root, name)));
}

/** True for .git and what .gitignore names; its rules are names, paths and `*.ending`. */
function isIgnored(path) {
  const rules = readFileSync(join(root, ".gitignore"), "utf8").split("\n").filter(Boolean);
  return [".git", ...rules].some((rule) => {
    const name = rule.replace(/\/$/, "");
    if (name.startsWith("*.")) return path.endsWith(name.slice(1));
    return name.includes("/") ? path === name : basename(path) === name;
  });
}

/** Links to the only programs; copies, if the user may not run those that are installed. */
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
  chmodSync(folder, 0o755);
  const said = spawnSync(join(tools, "npm"), ["--version"], { ...user, env: environment(), cwd: "/" });
  if (said.status === 0) return;
  const own = join(folder, "installed");
  cpSync(process.execPath, join(own, "node"));
  cpSync(npm, join(own, "npm"), { recursive: true });
  link(join(own, "node"), join(own, "npm"));
}

/** The folder of npm, by what started this script or by PATH. */
function npmProgram() {
  const onPath = (process.env["PATH"] ?? "").split(delimiter).map((place) => join(place, "npm"));
  const found = [process.env["npm_execpath"] ?? "", ...onPath]
    .filter((path) => existsSync(path))
    .map((path) => realpathSync(path))
    .find((path) => basename(path) === "npm-cli.js");
  if (found === undefined) throw new Error("There is no npm on the PATH.");
  return dirname(dirname(found));
}

/** The environment: nothing of the caller's but its way to the registry, and that this is CI. */
function environment() {
  const isPassedOn = (name) =>
    /^(?:CI|https?_proxy|no_proxy|all_proxy|NODE_EXTRA_CA_CERTS|SSL_CERT_(?:FILE|DIR))$/i.test(name);
  const passed = Object.fromEntries(Object.entries(process.env).filter(([name]) => isPassedOn(name)));
  return {
    ...passed,
    ...registry(),
    PATH: tools,
    HOME: home,
    npm_config_cache: cache,
    npm_config_update_notifier: "false",
    TEST_REPORT: report,
  };
}

/** The registry that npm is set to here: the file that says so may be in a home folder that is not the user's. */
function registry() {
  const { stdout } = spawnSync("npm", ["config", "get", "registry"], { cwd: root, encoding: "utf8" });
  return /^https?:/.test(stdout ?? "") ? { npm_config_registry: stdout.trim() } : {};
}

function giveTo(path) {
  lchownSync(path, nobody, nobody);
  if (lstatSync(path).isDirectory()) for (const name of readdirSync(path)) giveTo(join(path, name));
}

/** Runs it in a process group of its own, of which nothing is left behind. */
async function run(command) {
  const start = Date.now();
  running = spawn(join(tools, "sh"), ["-c", command], {
    ...user,
    cwd: copy,
    env: environment(),
    stdio: ["ignore", "inherit", "inherit"],
    detached: true,
  });
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    stop();
  }, limit * 60_000);
  const [status, signal] = await once(running, "close");
  clearTimeout(timer);
  stop();
  const how = isLate ? `stopped after ${limit} minutes` : status === null ? `signal ${signal}` : `exit ${status}`;
  return { how, seconds: ((Date.now() - start) / 1000).toFixed(1) };
}

function stop() {
  try {
    if (running?.pid !== undefined) process.kill(-running.pid, "SIGKILL");
  } catch {
    // The group is gone.
  }
}

/** The demo leaves its folder for the person to look at. */
function removeDemos() {
  const place = tmpdir();
  for (const name of readdirSync(place).filter((one) => one.startsWith("lastcall-demo-"))) {
    const { uid, birthtimeMs } = lstatSync(join(place, name));
    if (uid === (user.uid ?? process.getuid()) && birthtimeMs >= began)
      rmSync(join(place, name), { recursive: true, force: true });
  }
}
