// Programs of other libraries, as the pages for their users show them, with the real packages: they compile, and print what ours print.
// `npm run peers:install` installs the packages.

import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import ts from "typescript";
import { afterAll, expect, test } from "vitest";
import { comingFrom, findPeer, versionOf, type Peer } from "../bench/peers/index.mjs";
import { call, scriptedProvider, type Script, type Step } from "../src/testing/index.js";
import { namesOf, pageFor, printedOn, theirProgram } from "./coming-from.js";

const cache = join(import.meta.dirname, ".cache/coming-from");
afterAll(() => rm(cache, { recursive: true, force: true }));

const findOrder: Step = { text: "I look at the order.", calls: [call("find_order", { id: "K-3" })], piece: 6 };
const refund = [call("refund", { order: "K-3", cents: 4000 })];
const decision = { decision: "refunded", cents: 4000, message: "You get 40 euros back." };

/** The model's words while a program of theirs runs. Each library takes the last value in a form of its own. */
const scripts: Readonly<Record<string, Script>> = {
  "ai-sdk": [findOrder, refund, JSON.stringify(decision)],
  "openai-agents": [findOrder, refund, JSON.stringify(decision)],
  langchain: [findOrder, refund, [call("extract-1", decision)]],
  mastra: [findOrder, refund, "I have paid 40 euros back.", JSON.stringify(decision)],
  pi: [
    findOrder,
    ({ lastText }) => {
      const [cents, message] =
        lastText === "Half is enough." ? [2000, "You get 20 euros back."] : [4000, "Steered late."];
      return [call("refund", { order: "K-3", cents, message })];
    },
  ],
};

const times = ["never", "once", "twice", "three times", "four times"];

/** The reason for a skip, at the end of a test's name. */
function without(peer: Peer): string {
  if (findPeer(undefined, peer) !== undefined) return "";
  return ` (left out: there is no ${Object.keys(peer.packages)[0] ?? ""} ${versionOf(peer)}; npm run peers:install brings it)`;
}

/** A folder with the program and the packages, as a reader has it. */
async function folderFor(peer: Peer): Promise<{ readonly folder: string; readonly node: string }> {
  const { node, place } = findPeer(undefined, peer)!;
  const folder = join(cache, peer.name);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "package.json"), JSON.stringify({ type: "module" }));
  await rm(join(folder, "node_modules"), { force: true });
  await symlink(join(place, "node_modules"), join(folder, "node_modules"), "dir");
  await writeFile(join(folder, "program.ts"), theirProgram(peer));
  return { folder, node };
}

function typeErrors(file: string): readonly string[] {
  const program = ts.createProgram([file], {
    strict: true,
    target: ts.ScriptTarget.ES2023,
    lib: ["lib.es2023.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts"],
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    types: ["node"],
    typeRoots: [join(import.meta.dirname, "../node_modules/@types")],
    skipLibCheck: true,
    noEmit: true,
  });
  return ts.getPreEmitDiagnostics(program).map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"));
}

/** Runs the program on a scripted provider, with nothing of the user's environment but the path. */
async function run(
  peer: Peer,
  folder: string,
  node: string,
): Promise<{ readonly stdout: string; readonly requests: number }> {
  await using provider = await scriptedProvider(scripts[peer.name] ?? []);
  const options = { target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.ESNext };
  const { outputText } = ts.transpileModule(theirProgram(peer), { compilerOptions: options });
  await writeFile(join(folder, "program.js"), outputText);
  const child = spawn(node, ["program.js"], {
    cwd: folder,
    env: {
      ...{ PATH: process.env["PATH"], HOME: folder, OPENAI_BASE_URL: provider.url, OPENAI_API_KEY: "sk-test" },
      ...{ OPENAI_AGENTS_DISABLE_TRACING: "1", MASTRA_TELEMETRY_DISABLED: "1", LANGSMITH_TRACING: "false" },
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let [stdout, stderr] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const status = await new Promise((done) => child.on("close", done));
  expect(status, stderr).toBe(0);
  expect(provider.unsaid).toBe(0);
  return { stdout, requests: provider.requests.length };
}

for (const peer of comingFrom) {
  const left = without(peer);
  test.skipIf(left !== "")(
    `the program of ${peer.name} compiles and prints what ours prints${left}`,
    { timeout: 120_000 },
    async () => {
      const { folder, node } = await folderFor(peer);
      expect(typeErrors(join(folder, "program.ts"))).toEqual([]);
      const { stdout, requests } = await run(peer, folder, node);
      expect(stdout).toBe(printedOn(peer));
      expect(pageFor(peer)).toContain(`asks the model ${String(times[requests])}`);
    },
  );

  test.skipIf(left !== "")(`the names of ${peer.name} in its table are names of its packages${left}`, () => {
    const texts = textsOf(peer);
    const unknown = namesOf(peer).filter((name) => !texts.some((text) => text.includes(name)));
    expect(unknown).toEqual([]);
  });
}

/** The types and the documentation that the packages bring. */
function textsOf(peer: Peer): readonly string[] {
  const modules = join(findPeer(undefined, peer)!.place, "node_modules");
  return packagesOf(peer, modules).flatMap((name) => {
    const folder = realpathSync(join(modules, name));
    return readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((file) => /(?:\.d\.ts|\.mdx?)$/.test(file) && !file.includes("node_modules"))
      .map((file) => readFileSync(join(folder, file), "utf8"));
  });
}

/** The packages that a page names, and other packages of the same makers. */
function packagesOf(peer: Peer, modules: string): readonly string[] {
  return Object.keys(peer.packages).flatMap((name) => {
    const scope = dirname(name);
    if (scope === "." || !existsSync(join(modules, scope))) return [name];
    return readdirSync(join(modules, scope)).map((own) => `${scope}/${own}`);
  });
}
