import { spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { call, scriptedProvider } from "../../src/testing/index.js";
import { bin } from "../dist.js";
import { atTerminal, keys, ready } from "./chat/terminal-screen.js";
import { noTerminal, run } from "./command.js";
import { otlpReceiver } from "./otlp-receiver.js";
import { done, down, placeFor, untilStatus, up } from "./serve/command-server.js";

/** An environment in which a process records the packages that it loads, and the recorded packages. */
async function watched(): Promise<{
  readonly env: Readonly<Record<string, string>>;
  packages(): Promise<readonly string[]>;
}> {
  const folder = await mkdtemp(join(tmpdir(), "lastcall-loaded-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const recorded = join(folder, "recorded");
  const hooks = `import { appendFileSync } from "node:fs";
    export async function resolve(specifier, context, next) {
      const found = await next(specifier, context);
      appendFileSync(${JSON.stringify(recorded)}, found.url + "\\n");
      return found;
    }`;
  await writeFile(join(folder, "hooks.mjs"), hooks);
  await writeFile(
    join(folder, "register.mjs"),
    'import { register } from "node:module"; register("./hooks.mjs", import.meta.url);',
  );
  await writeFile(recorded, "");
  return {
    env: { NODE_OPTIONS: `--import ${pathToFileURL(join(folder, "register.mjs")).href}` },
    async packages() {
      const urls = (await readFile(recorded, "utf8")).split("\n");
      const names = urls.flatMap((url) => /\/node_modules\/(@[^/]+\/[^/]+|[^/]+)\//.exec(url)?.[1] ?? []);
      return [...new Set(names)].sort();
    },
  };
}

const tools = ["fastest-levenshtein", "zod"];

test.each([["--help"], ["--version"], ["docs", "limits"], ["docs", "crash"], ["sessions", "--sessions", "/nowhere"]])(
  "lastcall %s loads no package",
  async (...args) => {
    const { env, packages } = await watched();
    expect((await run(args, env)).code).toBe(0);
    expect(await packages()).toEqual([]);
  },
);

test("a task loads only packages that it uses: no XML parser, no Markdown", async () => {
  await using provider = await scriptedProvider([[call("task_completion", { result: "done" })]]);
  const { env, packages } = await watched();
  const { code } = await run(["do it", "--base-url", provider.url, "--model", "m", "--no-save"], env);
  expect(code).toBe(0);
  expect(await packages()).toEqual(tools);
});

test("a server loads OpenTelemetry if a variable asks for it, and otherwise nothing of it", async () => {
  const receiver = await otlpReceiver();
  for (const variables of [{}, { OTEL_EXPORTER_OTLP_ENDPOINT: " " }, receiver.env]) {
    await using place = await placeFor([done]);
    const { env, packages } = await watched();
    const server = await up(["serve", ...place.options], { ...env, ...variables });
    await server.api.send("fence", "Paint the fence");
    await untilStatus(server.api, "fence", "completed");
    expect(await down(server)).toBe(0);
    const loaded = (await packages()).filter((name) => name.startsWith("@opentelemetry/"));
    expect(loaded.length > 0, loaded.join(", ")).toBe(variables === receiver.env);
  }
});

test.skipIf(noTerminal)(`a conversation loads Markdown at a terminal, and none without one${noTerminal}`, async () => {
  await using provider = await scriptedProvider([[call("converse", { message: "Hi." })]]);
  const { env, packages } = await watched();
  // A folder of its own: one with a fixed name may be another user's, as the bare machine's user found it.
  const sessions = await mkdtemp(join(tmpdir(), "lastcall-loaded-sessions-"));
  onTestFinished(() => rm(sessions, { recursive: true, force: true }));
  const line = `chat --base-url ${provider.url} --model m --sessions ${sessions}`;
  expect((await run(line.split(" "), env)).code).toBe(0);
  expect(await packages()).toEqual(tools);
  await using screen = atTerminal(line, { env });
  await screen.see(ready);
  await screen.type("hi", keys.enter);
  await screen.see("Hi.");
  expect(await packages()).toEqual([...tools, "fast-string-width", "fast-string-truncated-width", "marked"].sort());
});

test("--help takes less than twice the time of an empty program", () => {
  const tell =
    'process.on("exit", () => { const { user, system } = process.cpuUsage(); process._rawDebug(user + system); })';
  /** Of the processor: what else runs on the machine does not count. */
  const time = (...args: readonly string[]): number => {
    const all = ["--import", `data:text/javascript,${encodeURIComponent(tell)}`, ...args];
    const { status, stderr } = spawnSync(process.execPath, all, { env: { PATH: process.env["PATH"] } });
    expect(status).toBe(0);
    return Number(stderr);
  };
  const rounds = Array.from({ length: 9 }, () => [time("-e", "0"), time(bin, "--help")] as const);
  const fastest = (of: 0 | 1): number => Math.min(...rounds.map((round) => round[of]));
  expect(fastest(1)).toBeLessThan(2 * fastest(0));
});
