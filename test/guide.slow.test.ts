// The first page of the guide, walked by somebody who has nothing but that page: what it says to run is run, what it says to write is
// written, what it says is printed is printed. Stand-ins: a registry on loopback, which has the packed package, and a provider on loopback.

import { spawn, spawnSync } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { call, scriptedProvider } from "../src/testing/index.js";
import { registry } from "./registry.js";

const root = resolve(import.meta.dirname, "..");
let home = "";

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "lastcall-guide-"));
});

afterAll(() => rm(home, { recursive: true, force: true }));

/** One fenced block, with the file that the words before it name. */
interface Block {
  readonly kind: string;
  readonly text: string;
  readonly file: string;
}

function blocksOf(page: string): readonly Block[] {
  let from = 0;
  let file = "";
  return [...page.matchAll(/^```(\w+)\n([^]*?)^```$/gm)].map(({ 0: whole, 1: kind = "", 2: text = "", index }) => {
    file = /(?:Write|Change) `([^`]+)`/.exec(page.slice(from, index))?.[1] ?? file;
    from = index + whole.length;
    return { kind, text, file };
  });
}

/** Applies a diff by hand, as a reader does: each hunk is found by its lines, which must be there once. */
function change(source: string, diff: string): string {
  return diff.split(/^@@\n/m).reduce((text, hunk) => {
    const lines = hunk.replace(/\n$/, "").split("\n");
    const side = (mark: string): string =>
      lines
        .filter((line) => line === "" || line.startsWith(mark) || line.startsWith(" "))
        .map((line) => `${line.slice(1)}\n`)
        .join("");
    const parts = text.split(side("-"));
    if (parts.length !== 2)
      throw new Error(`These lines stand ${String(parts.length - 1)} times in the file:\n${hunk}`);
    return parts.join(side("+"));
  }, source);
}

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
  let folder = join(home, "empty");
  await mkdir(folder);

  /** Runs a block as a shell would that stays open: the next one begins in the folder where this one ended. */
  async function run(lines: string): Promise<{ readonly stdout: string; readonly stderr: string }> {
    const script = `${lines.replaceAll("http://127.0.0.1:11434/v1", provider.url)}pwd > "$HOME/pwd"\n`;
    const child = spawn("sh", ["-c", script], { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] });
    let [stdout, stderr] = ["", ""];
    child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    await new Promise((done) => child.on("close", done));
    folder = (await readFile(join(home, "pwd"), "utf8")).trim();
    return { stdout, stderr };
  }

  const blocks = blocksOf(await readFile(join(root, "docs/guide/1-first-agent.md"), "utf8"));
  let said: string[] = [];
  for (const [index, { kind, text, file }] of blocks.entries()) {
    if (kind === "sh") {
      const { stdout, stderr } = await run(text);
      expect(stderr.split("\n").filter((line) => /\berr/i.test(line))).toEqual([]);
      const isSilent = /^npx tsc/m.test(text) && blocks[index + 1]?.kind !== "text";
      if (isSilent) expect(stdout).toBe("");
      said = [stdout, stderr];
      // From 22.18 on Node runs it as it is, as the page says.
      if (text.endsWith("\nnode out/triage.js\n") && "typescript" in process.features && process.features.typescript) {
        expect((await run("node triage.ts\n")).stdout).toBe(stdout);
      }
    } else if (kind === "text") expect(said[0]).toBe(text);
    else if (kind === "diff") {
      await writeFile(join(folder, file), change(await readFile(join(folder, file), "utf8"), text));
    } else await writeFile(join(folder, file), text);
  }
  expect(provider.unsaid).toBe(0);
  const { dependencies } = JSON.parse(await readFile(join(folder, "package.json"), "utf8")) as {
    readonly dependencies: Readonly<Record<string, string>>;
  };
  expect(Object.keys(dependencies)).toEqual(["lastcall", "zod"]);
}, 300_000);
