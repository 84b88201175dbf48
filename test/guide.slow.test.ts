// The first page of the guide, walked by somebody who has nothing but that page: what it says to run is run, what it says to write is
// written, what it says is printed is printed. Stand-ins: a registry on loopback, which has the packed package, and a provider on loopback.

import { spawn, spawnSync } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { walkPage } from "../scripts/walk/walk-page.mjs";
import { call, scriptedProvider } from "../src/testing/index.js";
import { registry } from "./registry.js";

const root = resolve(import.meta.dirname, "..");
let home = "";

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "lastcall-guide-"));
});

afterAll(() => rm(home, { recursive: true, force: true }));

test("whoever walks the first page gets what it says", async () => {
  const options = ["pack", "--ignore-scripts", "--pack-destination", home];
  const packed = spawnSync("npm", options, { cwd: root, encoding: "utf8" }).stdout.trim().split("\n").at(-1) ?? "";
  await using packages = await registry(root, join(home, packed));
  await using provider = await scriptedProvider([
    [call("read_log", { service: "billing" })],
    [call("escalate", { team: "storage", why: "billing has no space left on its device" })],
  ]);
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: home,
    npm_config_registry: packages.url,
    npm_config_cache: join(home, "cache"),
    npm_config_update_notifier: "false",
    npm_config_audit: "false",
  };
  const empty = join(home, "empty");
  await mkdir(empty);

  async function run(cwd: string, lines: string): Promise<{ readonly stdout: string; readonly stderr: string }> {
    const script = lines
      .replaceAll("http://127.0.0.1:11434/v1", provider.url)
      .replace(/\S+\/lastcall-\S+\.tgz/, "lastcall");
    const child = spawn("sh", ["-c", script], { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
    let [stdout, stderr] = ["", ""];
    child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    await new Promise((done) => child.on("close", done));
    return { stdout, stderr };
  }

  const page = await readFile(join(root, "docs/guide/1-first-agent.md"), "utf8");
  // From 22.18 on Node runs TypeScript as it is, as the page says.
  const runsTypeScript = "typescript" in process.features && process.features.typescript !== false;
  const { problems, folder } = await walkPage(page, { folder: empty, run, runsTypeScript });
  expect(problems).toEqual([]);
  expect(provider.unsaid).toBe(0);
  const { dependencies } = JSON.parse(await readFile(join(folder, "package.json"), "utf8")) as {
    readonly dependencies: Readonly<Record<string, string>>;
  };
  expect(Object.keys(dependencies)).toEqual(["lastcall", "zod"]);
}, 300_000);
