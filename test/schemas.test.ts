// The JSON Schemas of the command's files: they are current, and they take what the command takes.

import { readdirSync, readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { Validator, type Schema } from "@cfworker/json-schema";
import { parse } from "yaml";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { schemaFiles } from "../scripts/schemas.mjs";
import { agentIn } from "../src/cli/agent-files/stated-agent.js";
import { readSettings } from "../src/cli/args/args.js";
import { readConfig } from "../src/cli/args/config.js";
import { jobWords } from "../src/cli/job.js";
import { readTemplate } from "../src/cli/init/template.js";
import { serversIn } from "../src/cli/mcp-config/stated-server.js";

const folder = resolve(import.meta.dirname, "../schemas");

const schemaAt = (name: string): Schema => JSON.parse(readFileSync(join(folder, name), "utf8")) as Schema;
const fits = (name: string, value: unknown): boolean => new Validator(schemaAt(name), "7").validate(value).valid;

test("schemas/ is current: npm run schemas writes it", async () => {
  const files = readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), "utf8")]);
  expect(Object.fromEntries(files)).toEqual(await schemaFiles());
});

describe("lastcall.config", () => {
  let home = "";
  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), "lastcall-schemas-"));
  });
  afterAll(() => rm(home, { recursive: true, force: true }));

  /** True if the command takes a file with these settings. */
  async function isTaken(settings: object): Promise<boolean> {
    const named = join(home, "settings.json");
    await writeFile(named, JSON.stringify(settings));
    try {
      const places = { workdir: home, named, env: { XDG_CONFIG_HOME: home }, confirm: undefined, say: () => undefined };
      const config = await readConfig(places);
      readSettings({ values: {}, positionals: ["task"], isTask: true }, { config });
      return true;
    } catch {
      return false;
    }
  }

  test.each<[object, boolean]>([
    [{ $schema: "./node_modules/lastcall/schemas/config.json", until: ["npm test"], protect: ["test/**"] }, true],
    [{ $schema: 1 }, false],
    [{ schema: "x" }, false],
    [{ until: "npm test" }, false],
    [{ notes: true, network: false, model: "qwen3", tools: ["a.ts"] }, true],
    [{ notes: "yes" }, false],
    [{ tier: "read-only" }, true],
    [{ tier: "root" }, false],
    [{ provider: "anthropic", forcing: "xml" }, true],
    [{ provider: "acme" }, false],
    [{ attempts: 3 }, true],
    [{ attempts: "3" }, true],
    [{ attempts: "none" }, false],
    [{ attempts: 0 }, false],
    [{ attempts: 1.5 }, false],
    [{ "max-iterations": "none", timeout: "20m" }, true],
    [{ timeout: 90 }, true],
    [{ timeout: "90 minutes" }, false],
    [{ "max-tokens": -1 }, false],
    [{ "on-edit": ["**/*.ts: npx eslint {file}"] }, true],
    [{ "on-edit": ["npx eslint"] }, false],
    [{ mcp: ["servers.json"] }, true],
    [{ mcp: { mcpServers: { demo: { command: "demo" } } } }, true],
    [{ mcp: { servers: {} } }, false],
    [{ workdir: "." }, false],
    [{ maxIterations: 3 }, false],
  ])("%j: %s, by the schema and by the command", async (settings, expected) => {
    expect([fits("config.json", settings), await isTaken(settings)]).toEqual([expected, expected]);
  });
});

describe("a job", () => {
  test.each<[object, boolean]>([
    [
      { $schema: "./node_modules/lastcall/schemas/job.json", task: "x", branch: "b", "pr-text": "p", artifacts: "a" },
      true,
    ],
    [{ task: "x", commit: true, workdir: ".", attach: ["a.png"], cap: ["files: 5"], "max-iterations": 9 }, true],
    [{ task: " " }, false],
    [{}, false],
    [{ task: ["x"] }, false],
    [{ task: "x", help: true }, false],
    [{ task: "x", tier: "root" }, false],
    [{ task: "x", commit: "yes" }, false],
    [{ task: "x", prText: "p" }, false],
  ])("%j: %s, by the schema and by the command", async (settings, expected) => {
    const home = await mkdtemp(join(tmpdir(), "lastcall-schemas-"));
    try {
      const file = join(home, "job.json");
      await writeFile(file, JSON.stringify(settings));
      const isTaken = await jobWords({ values: {}, positionals: [], isTask: false }, file)
        .then((words) => readSettings(words).order.do === "run")
        .catch(() => false);
      expect([fits("job.json", settings), isTaken]).toEqual([expected, expected]);
    } finally {
      await rm(home, { recursive: true, force: true });
    }
  });
});

/** True if the command takes this one server. */
function isServer(given: unknown): boolean {
  const text = JSON.stringify({ mcpServers: { demo: given } });
  return serversIn({ path: "/x/.mcp.json", text }).length === 1;
}

test.each<[object, boolean]>([
  [{ command: "demo", args: ["-y"], env: { A: "1" }, cwd: "." }, true],
  [{ type: "http", url: "http://127.0.0.1:1/mcp", headers: { authorization: "x" }, only: ["a"], trust: true }, true],
  [{ url: "http://127.0.0.1:1/mcp", timeout: 1000 }, true],
  [{ command: "demo", alwaysAllow: ["x"] }, true],
  [{}, false],
  [{ command: "demo", url: "http://127.0.0.1:1" }, false],
  [{ command: "demo", headers: {} }, false],
  [{ url: "http://127.0.0.1:1", args: [] }, false],
  [{ command: "" }, false],
  [{ command: "demo", args: "-y" }, false],
  [{ command: "demo", timeout: 0.5 }, false],
  [{ command: "demo", type: "pigeon" }, false],
])("the MCP server %j: %s, by the schema and by the command", (server, expected) => {
  const file = { mcpServers: { demo: server } };
  expect([fits("mcp.json", file), isServer(server)]).toEqual([expected, expected]);
});

test("a list of MCP servers may name its schema", () => {
  const file = { $schema: "mcp.json", mcpServers: {} };
  const said: string[] = [];
  expect(serversIn({ path: "/x/.mcp.json", text: JSON.stringify(file) }, (line) => said.push(line))).toEqual([]);
  expect([said, fits("mcp.json", file)]).toEqual([[], true]);
});

/** True if the command takes an agent with this front matter. */
function isAgent(front: string): boolean {
  try {
    agentIn({ path: "/x/agent.md", text: `---\n${front}\n---\nDo it.\n` });
    return true;
  } catch {
    return false;
  }
}

test.each([
  ["description: Reads.", true],
  ["description: Reads.\nname: reader_2\ntools: [read_file, run_command]\nmodel: small", true],
  ["name: reader", false],
  ['description: " "', false],
  ["description: Reads.\nname: a reader", false],
  ["description: Reads.\ntools: []", false],
  ["description: Reads.\ntools: [fly]", false],
  ["description: Reads.\ntools: read_file", false],
  ["description: Reads.\ncolour: red", false],
])("the front matter %j: %s, by the schema and by the command", (front, expected) => {
  expect([fits("agent.json", parse(front)), isAgent(front)]).toEqual([expected, expected]);
});

test("the files of the template coding fit their schemas", () => {
  const { files } = readTemplate("coding");
  expect(fits("config.json", JSON.parse(files.get("lastcall.config.json") ?? ""))).toBe(true);
  const [, front = ""] = (files.get(".lastcall/agents/reviewer.md") ?? "").split(/^---$/m);
  expect([fits("agent.json", parse(front)), isAgent(front.trim())]).toEqual([true, true]);
});
