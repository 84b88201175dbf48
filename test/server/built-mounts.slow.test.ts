// The handler in apps of frameworks that build before they serve, mounted as the guide prints it, from the packed package: Next and Nitro.
// `node scripts/install-programs.mjs` installs the frameworks.

import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { bringFramework, cacheFolder, type frameworks } from "../../scripts/runtimes/bring.mjs";
import { freePort } from "../free-port.js";
import { registry } from "../registry.js";
import { probeMount, slowProvider } from "./mount-probes.js";
import "../dist.js";

const root = resolve(import.meta.dirname, "../..");
const guide = readFileSync(join(root, "docs/guide/16-behind-http.md"), "utf8");

const agents = `import { createAgent } from "lastcall";
import { memoryStore } from "lastcall/memory";
import { openai } from "lastcall/model";
import { createHandler } from "lastcall/server";
import { taskCompletion } from "lastcall/tools";

export const handler = createHandler({
  agents: { worker: createAgent({ model: openai({ model: "scripted" }), tools: [taskCompletion()] }) },
  store: memoryStore(),
  path: "/agents",
  authenticate: () => true,
  maxStreams: 1,
});
`;

interface App {
  /** The file that mounts the handler, as the guide names it. */
  readonly mount: string;
  /** A route of the app's own, at /own. */
  readonly own: readonly [file: string, code: string];
  readonly build: string;
  readonly start: string;
}

const nitro = { build: "nitro build", start: "node .output/server/index.mjs" };
const apps: Readonly<Record<keyof typeof frameworks, App>> = {
  Next: {
    mount: "app/agents/[...path]/route.js",
    own: ["app/own/route.js", 'export const GET = () => new Response("own");\n'],
    ...{ build: "next build", start: "next start" },
  },
  "Nitro 2": {
    mount: "middleware/agents.js",
    own: ["routes/own.js", 'export default defineEventHandler(() => "own");\n'],
    ...nitro,
  },
  "Nitro 3": {
    mount: "routes/agents/[...path].js",
    own: ["routes/own.js", 'import { defineHandler } from "nitro/h3";\nexport default defineHandler(() => "own");\n'],
    ...nitro,
  },
};

/** The code of a file in the guide: the block that begins with its path. */
function printed(file: string): string {
  const block = [...guide.matchAll(/^```js\n\/\/ (.*)\n([^]*?)^```$/gm)].find(([, path]) => path === file);
  expect(block, `The guide has no block for ${file}.`).toBeDefined();
  return block?.[2] ?? "";
}

let home = "";
let packages: Awaited<ReturnType<typeof registry>>;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "lastcall-mounts-"));
  const { stdout } = spawnSync("npm", ["pack", "--ignore-scripts", "--pack-destination", home], {
    ...{ cwd: root, encoding: "utf8", env: { ...process.env, npm_config_cache: join(home, "cache") } },
  });
  packages = await registry(root, join(home, stdout.trim().split("\n").at(-1) ?? ""));
}, 60_000);

afterAll(async () => {
  await packages[Symbol.asyncDispose]();
  await rm(home, { recursive: true, force: true });
});

/** Starts a command line in the folder of an app, with the framework's commands on its path. */
function start(cwd: string, line: string, more: Readonly<Record<string, string>>): ChildProcess {
  const path = [join(cwd, "../node_modules/.bin"), dirname(process.execPath), process.env["PATH"] ?? ""].join(":");
  const env = {
    ...{ HOME: home, PATH: path, NODE_ENV: "production", NEXT_TELEMETRY_DISABLED: "1", OPENAI_API_KEY: "none" },
    ...{ npm_config_cache: join(home, "cache"), npm_config_audit: "false", npm_config_fund: "false" },
    ...{ npm_config_registry: packages.url, npm_config_update_notifier: "false", npm_config_package_lock: "false" },
    ...more,
  };
  const child = spawn("sh", ["-c", `exec ${line}`], { cwd, env, stdio: ["ignore", "pipe", "pipe"], detached: true });
  onTestFinished(() => {
    if (child.exitCode === null && child.signalCode === null) process.kill(-(child.pid ?? 0), "SIGKILL");
  });
  return child;
}

/** All that a program has printed so far. */
function outputOf({ stdout, stderr }: ChildProcess): { text: string } {
  const output = { text: "" };
  for (const stream of [stdout, stderr])
    stream?.setEncoding("utf8").on("data", (text: string) => (output.text += text));
  return output;
}

async function run(cwd: string, line: string, more: Readonly<Record<string, string>>): Promise<string> {
  const child = start(cwd, line, more);
  const output = outputOf(child);
  const code = await new Promise((ended) => child.once("close", ended));
  expect(code, `${line}\n${output.text}`).toBe(0);
  return output.text;
}

/** The app, in a folder of its own beside the packages of its framework. */
async function folderFor(place: string, { mount, own: [ownFile, ownCode] }: App): Promise<string> {
  const folder = await mkdtemp(join(place, "app-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }));
  const files = {
    "package.json": JSON.stringify({ private: true, type: "module" }),
    ...{ "agents.js": agents, [mount]: printed(mount), [ownFile]: ownCode },
  };
  for (const [file, code] of Object.entries(files)) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), code);
  }
  return folder;
}

describe.each(Object.entries(apps) as readonly (readonly [keyof typeof frameworks, App])[])(
  "a handler in an app of %s",
  (name, app) => {
    const place = bringFramework(name, cacheFolder(), { isOffline: true });
    const reason = place === undefined ? " (left out: it is not in the cache; install-programs.mjs brings it)" : "";

    test.skipIf(reason)(
      `is built, streams in pieces, and lets go of who left${reason}`,
      async () => {
        await using provider = await slowProvider();
        const folder = await folderFor(place!, app);
        await run(folder, "npm install lastcall", {});
        const built = await run(folder, app.build, { OPENAI_BASE_URL: provider.url });
        // Node 20 does not list this module among its own.
        const about = built.split("\n").filter((line) => line.includes("lastcall/") && !line.includes('"node:sqlite"'));
        expect(about).toEqual([]);

        const port = String(await freePort());
        const address = { PORT: port, HOST: "127.0.0.1", HOSTNAME: "127.0.0.1" };
        const server = start(folder, app.start, { ...address, OPENAI_BASE_URL: provider.url });
        const output = outputOf(server);
        const origin = `http://127.0.0.1:${port}`;
        await expect
          .poll(
            () =>
              fetch(`${origin}/own`).then(
                ({ ok }) => ok,
                () => false,
              ),
            { timeout: 30_000 },
          )
          .toBe(true);
        await probeMount(origin);
        expect(output.text).not.toMatch(/error|warning|rejection/i);
      },
      240_000,
    );
  },
);
