// Tries the same walls in the sandboxes of peers and in ours, with their default settings: npm run walls:peers -- FOLDER
//
// In the folder, `npm install @openai/codex @anthropic-ai/sandbox-runtime` was run. The second one needs socat. Nothing leaves this machine.

import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join, resolve } from "node:path";
import { bubblewrap } from "../dist/tools/index.js";

const [folder] = process.argv.slice(2);
if (folder === undefined) {
  console.error("Name the folder in which the peers are installed: npm run walls:peers -- FOLDER");
  process.exit(1);
}
const program = (name) => resolve(folder, "node_modules/.bin", name);
const places = JSON.parse(readFileSync(join(import.meta.dirname, "../test/cases/walls/places.json"), "utf8"));

/** Files of a workspace that other programs run, obey or believe, each with a command that makes or changes it. */
const trusted = {
  ".git/hooks/pre-commit": "echo x > .git/hooks/pre-commit",
  ".git/config": "git config core.fsmonitor x",
  ".vscode/tasks.json": "echo x > .vscode/tasks.json",
  ".mcp.json": "echo x > .mcp.json",
  ".envrc": "echo x > .envrc",
  ".bashrc": "echo x > .bashrc",
  "CLAUDE.md": "echo x > CLAUDE.md",
  "sub/.git/HEAD": "git init -q sub",
  ".git/HEAD": "rm -rf .git",
};

// Not in /tmp, which some sandboxes have of their own.
mkdirSync(join(import.meta.dirname, "../test/.cache"), { recursive: true });
const top = realpathSync(mkdtempSync(join(import.meta.dirname, "../test/.cache/peers-")));
process.on("exit", () => rmSync(top, { recursive: true, force: true }));
const settings = join(top, "settings.json");
const filesystem = { denyRead: [], allowWrite: ["."], denyWrite: [] };
writeFileSync(settings, JSON.stringify({ network: { allowedDomains: [], deniedDomains: [] }, filesystem }));

const sandboxes = {
  lastcall: undefined,
  codex: (command) => [
    program("codex"),
    ["sandbox", "-c", 'sandbox_mode="workspace-write"', "--", "sh", "-c", command],
  ],
  "sandbox-runtime": (command) => [program("srt"), ["-s", settings, "-c", command]],
};
for (const [name, start] of Object.entries(sandboxes)) await tryAll(name, start);
process.exit(0);

async function tryAll(name, start) {
  const place = join(top, name);
  const home = join(place, "home");
  const root = join(home, "dev/project");
  mkdirSync(root, { recursive: true });
  const put = (path, text) => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  };
  for (const [index, path] of places.entries()) put(join(home, path), `PLANTED-${index}\n`);
  for (const path of [".vscode/tasks.json", ".mcp.json", ".envrc"]) put(join(root, path), "\n");
  put(join(root, ".env"), "SECRET\n");
  execFileSync("git", ["init", "-q"], { cwd: root });
  process.env.HOME = home;
  const inside = start === undefined ? ours(root, home) : theirs(start, root, home);

  if (!(await inside("echo works")).includes("works")) {
    console.log(`${name}: not run on this system`);
    return;
  }
  const planted = new Set((await inside(`grep -rhoa 'PLANTED-[0-9]*' '${home}' 2>/dev/null`)).match(/PLANTED-\d+/g));
  const isEnvRead = (await inside("cat .env")).includes("SECRET");
  await inside(`echo x > '${home}/made'; echo x > '${place}/made'`);
  const isMade = [home, place].some((one) => existsSync(join(one, "made")));
  const look = (path) => (existsSync(join(root, path)) ? readFileSync(join(root, path), "utf8") : undefined);
  const changed = [];
  for (const [path, command] of Object.entries(trusted)) {
    const before = look(path);
    await inside(command);
    if (look(path) !== before) changed.push(path);
  }
  const reached = await reachedFrom(inside, join(place, "s"));
  console.log(`${name}:
  planted places read: ${planted.size} of ${places.length}; .env of the workspace read: ${isEnvRead}
  changed outside: ${isMade}
  changed of ${Object.keys(trusted).length} trusted files: ${changed.length} (${changed.join(", ")})
  reached: ${reached.join(", ") || "nothing"}`);
}

/** The servers of this machine that a command reaches. */
async function reachedFrom(inside, socket) {
  const servers = [createServer((one) => one.end("REACHED")), createServer((one) => one.end("REACHED"))];
  await new Promise((done) => servers[0].listen(socket, done));
  await new Promise((done) => servers[1].listen(0, "127.0.0.1", done));
  const script =
    'require("net").connect(JSON.parse(process.argv[1])).on("data", (d) => console.log(`${d}`)).on("error", () => {})';
  const found = [];
  for (const [what, address] of [
    ["a socket of the file system", { path: socket }],
    ["a server", { host: "127.0.0.1", port: servers[1].address().port }],
  ])
    if ((await inside(`'${process.execPath}' -e '${script}' '${JSON.stringify(address)}'`)).includes("REACHED"))
      found.push(what);
  for (const server of servers) server.close();
  return found;
}

function ours(root, home) {
  const shell = bubblewrap({ root, writable: true });
  return async (command) => {
    const chunks = [];
    const environment = { PATH: process.env.PATH, HOME: home };
    const onOutput = (chunk) => chunks.push(chunk);
    await shell.run({ command, folder: root, environment, seconds: 20, onOutput }, new AbortController().signal);
    return Buffer.concat(chunks).toString();
  };
}

function theirs(start, root, home) {
  return (command) =>
    new Promise((done) => {
      const [file, args] = start(command);
      const child = spawn(file, args, {
        cwd: root,
        env: { PATH: process.env.PATH, HOME: home },
        stdio: ["ignore", "pipe", "pipe"],
        timeout: 30_000,
      });
      let output = "";
      for (const stream of [child.stdout, child.stderr]) stream.on("data", (data) => (output += data));
      child.once("error", () => done(""));
      child.once("close", () => done(output));
    });
}
