// The command as a process over the packages of other makers.

import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { call } from "../../../src/testing/index.js";
import { wireProvider } from "../../ai-sdk/wire-provider.js";
import { anthropicWire, googleWire, mistralWire } from "../../ai-sdk/wires.js";
import { run } from "../command.js";
import { dist } from "../../dist.js";

const root = resolve(import.meta.dirname, "../../..");

const anthropic = ["--provider", "anthropic", "--model", "claude"];

test("the key of one maker alone runs a task without --provider and --model", async () => {
  const { stderr } = await run(["do it", "--no-save"], {
    ANTHROPIC_API_KEY: "k",
    ANTHROPIC_BASE_URL: "http://127.0.0.1:9/v1",
  });
  expect(stderr).toContain("ANTHROPIC_API_KEY is set: using claude-sonnet-5 of anthropic.");
});

describe.each([
  ["anthropic", anthropicWire, "/v1"],
  ["google", googleWire, "/v1beta"],
  ["mistral", mistralWire, "/v1"],
] as const)("the command over the package of %s", (provider, wire, path) => {
  test("ends a task", async () => {
    await using server = await wireProvider(wire, [[call("task_completion", { result: "All done." })]]);
    const words = ["do it", "--provider", provider, "--model", "m", "--base-url", server.origin + path, "--no-save"];
    const { code, stdout, stderr } = await run(words);
    expect({ code, stdout, stderr }).toMatchObject({ code: 0, stdout: "All done.\n" });
    expect(server.requests).toHaveLength(1);
    const body = JSON.stringify(server.requests[0]?.body);
    expect(body.includes('"cache_control":{"type":"ephemeral"}')).toBe(provider === "anthropic");
  });

  test("takes the key and the prompt to no server that the provider redirects to", async () => {
    await using elsewhere = await wireProvider(wire, [[call("task_completion", { result: "Taken." })]]);
    const given = createServer((request, response) => {
      request.resume();
      response.writeHead(307, { location: `${elsewhere.origin}${path}/elsewhere` }).end();
    });
    await once(given.listen(0, "127.0.0.1"), "listening");
    onTestFinished(() => void given.close());
    const base = `http://127.0.0.1:${String((given.address() as AddressInfo).port)}${path}`;
    const { code, stderr } = await run([
      "do it",
      "--provider",
      provider,
      "--model",
      "m",
      "--base-url",
      base,
      "--no-save",
    ]);
    expect({ code, stderr }).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("redirects with status 307") as string,
    });
    expect(elsewhere.requests).toEqual([]);
  });
});

test("a missing package is named with the line that installs it", async () => {
  // The package as a user has it who installed nothing else: the built files, and the packages that they depend on.
  const folder = await mkdtemp(join(tmpdir(), "lastcall-without-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const home = join(folder, "node_modules/lastcall");
  cpSync(dist, join(home, "dist"), { recursive: true });
  cpSync(join(root, "package.json"), join(home, "package.json"));
  const { dependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    readonly dependencies: Readonly<Record<string, string>>;
  };
  for (const name of Object.keys(dependencies)) {
    mkdirSync(dirname(join(folder, "node_modules", name)), { recursive: true });
    symlinkSync(join(root, "node_modules", name), join(folder, "node_modules", name));
  }
  const words = [join(home, "dist/cli/bin.js"), "do it", ...anthropic, "--no-save"];
  const env = { PATH: process.env["PATH"], HOME: folder, ANTHROPIC_API_KEY: "test-key" };
  const { status, stderr } = spawnSync(process.execPath, words, { cwd: folder, env, encoding: "utf8" });
  expect(status, stderr).toBe(4);
  expect(stderr).toContain("--provider anthropic needs the package @ai-sdk/anthropic, which is not installed");
  expect(stderr).toContain("npm install @ai-sdk/anthropic");
  expect(stderr).not.toMatch(/^\s+at /m);
});
