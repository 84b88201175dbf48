// npm create lastcall and lastcall init, from the packed packages and a registry on loopback: each project installs, its tests pass, and
// its main command shows something.

import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { mkdir, mkdtemp, readFile, realpath, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { freePort } from "./free-port.js";
import { noPostgres, startPostgres } from "./postgres/server.js";
import { registry } from "./registry.js";
import "./dist.js";

const root = resolve(import.meta.dirname, "..");
let home = "";
let packages: Awaited<ReturnType<typeof registry>>;

beforeAll(async () => {
  home = await realpath(await mkdtemp(join(tmpdir(), "lastcall-create-")));
  const tarballs = [root, join(root, "create-lastcall")].map((cwd) => {
    const options = ["pack", "--ignore-scripts", "--pack-destination", home];
    const { stdout } = spawnSync("npm", options, { cwd, encoding: "utf8", env: { ...process.env, ...npm() } });
    return join(home, stdout.trim().split("\n").at(-1) ?? "");
  });
  packages = await registry(root, ...tarballs);
}, 120_000);

afterAll(async () => {
  await packages[Symbol.asyncDispose]();
  await rm(home, { recursive: true, force: true });
});

/** The settings of npm. It writes below the folder of these tests alone. */
const npm = (): Readonly<Record<string, string>> => ({
  HOME: home,
  XDG_STATE_HOME: join(home, "state"),
  npm_config_cache: join(home, "cache"),
  npm_config_update_notifier: "false",
  npm_config_audit: "false",
  npm_config_fund: "false",
});

interface Ended {
  readonly code: number | null;
  readonly output: string;
}

interface Started {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  /** Resolves with all output so far once it has the words. Rejects if the command ends without them. */
  seen(words: string): Promise<string>;
}

/** Starts a command line in a folder, in an environment with no key, as somebody does who has Node alone. */
function start(cwd: string, line: string, more: Readonly<Record<string, string>> = {}): Started {
  const env = { PATH: process.env["PATH"] ?? "", ...npm(), npm_config_registry: packages.url, ...more };
  const child = spawn("sh", ["-c", line], { cwd, env, stdio: ["ignore", "pipe", "pipe"], detached: true });
  let output = "";
  const watching = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
      for (const look of watching) look();
    });
  const ended = new Promise<Ended>((settle) => {
    child.on("close", (code) => {
      settle({ code, output });
    });
  });
  const seen = (words: string): Promise<string> =>
    new Promise((found, failed) => {
      const look = (): void => {
        if (output.includes(words)) found(output);
      };
      watching.add(look);
      look();
      void ended.then(() => {
        failed(new Error(`It ended without ${JSON.stringify(words)}:\n${output}`));
      });
    });
  return { child, ended, seen };
}

async function run(cwd: string, line: string): Promise<string> {
  const { code, output } = await start(cwd, line).ended;
  expect(code, `${line}\n${output}`).toBe(0);
  return output;
}

/** An empty folder. */
async function empty(name: string): Promise<string> {
  const folder = join(home, name);
  await mkdir(folder);
  return folder;
}

/** The packages of the project `service`, which has all that the other projects need. */
let installed = "";

/** Ends a server as a person does, and returns all that it printed. */
async function stopped({ child, ended }: Started): Promise<Ended> {
  process.kill(-(child.pid ?? 0), "SIGINT");
  return ended;
}

test("npm create lastcall makes the service in an empty folder and installs it; its tests pass, and it answers", async () => {
  const folder = await empty("service");
  const made = await run(folder, "npm create --yes lastcall -- --template service --install");
  expect(made).toContain("Made a project here, from the template service");
  expect(made).toMatch(/Next:\n {2}npm test\n {2}npm start\n/);
  installed = join(folder, "node_modules");
  const { dependencies } = JSON.parse(await readFile(join(folder, "package.json"), "utf8")) as {
    dependencies: Readonly<Record<string, string>>;
  };
  const { version } = JSON.parse(await readFile(join(root, "package.json"), "utf8")) as { version: string };
  expect(dependencies["lastcall"]).toBe(`^${version}`);
  await run(folder, "npm test");
  // The types of all templates are checked with the tests of this repository, as this project checks its own.
  await run(folder, "npm run types");
  const port = String(await freePort());
  const server = start(folder, "npm start", { PORT: port });
  expect(await server.seen("takes tickets")).toContain("the folder sessions, because there is no DATABASE_URL");
  const posted = await fetch(`http://127.0.0.1:${port}/sessions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: '{"input":"I can not pay."}',
  });
  expect(posted.status).toBe(202);
  await stopped(server);
}, 240_000);

test.skipIf(noPostgres)(
  `with DATABASE_URL the service keeps its sessions in Postgres${noPostgres}`,
  async () => {
    const database = await startPostgres();
    onTestFinished(() => database.stop());
    const port = String(await freePort());
    const server = start(join(home, "service"), "npm start", { PORT: port, DATABASE_URL: database.url });
    expect(await server.seen("takes tickets")).toContain("Sessions are kept in Postgres.");
    const listed = await fetch(`http://127.0.0.1:${port}/sessions`);
    expect(await listed.json()).toEqual({ sessions: [] });
    await stopped(server);
  },
  120_000,
);

/** Makes a project in a folder of its own, and gives it the packages that are installed. */
async function created(name: string): Promise<string> {
  await run(home, `npm create --yes lastcall ${name} -- --template ${name}`);
  await symlink(installed, join(home, name, "node_modules"));
  return join(home, name);
}

test("the agent's tests pass, and it orders coffee", async () => {
  const folder = await created("agent");
  await run(folder, "npm test");
  expect(await run(folder, "npm start")).toContain("Order 20 packs of coffee.");
}, 120_000);

test("the desk's tests pass, and its page is served", async () => {
  const folder = await created("desk");
  await run(folder, "npm test");
  const port = String(await freePort());
  const server = start(folder, "npm start", { PORT: port });
  await server.seen(`http://127.0.0.1:${port}/studio/`);
  const page = await fetch(`http://127.0.0.1:${port}/`);
  expect(await page.text()).toContain("<h1>Support desk</h1>");
  expect((await fetch(`http://127.0.0.1:${port}/studio/`)).status).toBe(200);
  expect((await fetch(`http://127.0.0.1:${port}/other`)).status).toBe(404);
  await stopped(server);
}, 120_000);

test("lastcall init adds an agent to a package that is there, and its tests pass beside the package's own", async () => {
  const folder = await empty("own");
  const manifest = { name: "own", type: "module", scripts: { test: "node --version" } };
  await writeFile(join(folder, "package.json"), JSON.stringify(manifest));
  await symlink(installed, join(folder, "node_modules"));
  const output = await run(folder, "npx lastcall init");
  expect(output).toContain("package.json keeps its own script test");
  const [, line = ""] = /The template's is: (.*)/.exec(output) ?? [];
  expect(await run(folder, line)).toContain("coffee runs low and is ordered");
  expect(await run(folder, "npm start")).toContain("Order 20 packs of coffee.");
  const { code, output: again } = await start(folder, "npx lastcall init").ended;
  expect([code, again]).toEqual([4, expect.stringContaining("agent.test.ts, agent.ts, main.ts, model.ts already")]);
}, 120_000);

test("the coding agent's tests pass, and it is done once its checks pass", async () => {
  // The sandbox of the command hides the folders beside this one, so the packages have to be in it.
  const folder = await created("coding");
  await rm(join(folder, "node_modules"));
  await rename(installed, join(folder, "node_modules"));
  await run(folder, "npm test");
  const output = await run(folder, "npm start");
  expect(output).toContain("check npm run check: failed before anything was done");
  expect(output).toContain("completed, checked");
  expect(output).not.toContain("nobody has trusted");
  await run(folder, "npm run check");
}, 120_000);
