// Config files: their owners, their settings, and the messages about mistakes.

import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { readSettings, type Settings } from "../../../src/cli/args/args.js";
import { readConfig, readStore, type ConfigPlaces, type FilePlaces } from "../../../src/cli/args/config.js";
import type { Values } from "../../../src/cli/args/option-table.js";
import { parseOptions } from "../../../src/cli/args/options.js";
import { joinOptions, type Sources } from "../../../src/cli/args/sources.js";
import { readAgents } from "../../../src/cli/agent-files/agent-files.js";
import { startable } from "../../../src/cli/code/server-files.js";
import { loadModules } from "../../../src/cli/modules/modules.js";
import { readServers } from "../../../src/cli/mcp-config/stated-server.js";
import { ReadOnce } from "../../../src/cli/display/read-once.js";
import { call, scriptedProvider } from "../../../src/testing/index.js";
import { run, runHere, temporary } from "../command.js";

function settings(argv: readonly string[], sources: Sources = {}): Settings {
  return readSettings(parseOptions(argv), sources);
}

interface World extends AsyncDisposable {
  readonly workdir: string;
  readonly places: FilePlaces;
  put(path: string, text: string): Promise<string>;
  read(more?: Partial<ConfigPlaces>): Promise<Values>;
  readonly said: string[];
}

async function makeWorld(): Promise<World> {
  const folder = await temporary();
  const workdir = join(folder.path, "project");
  await mkdir(workdir);
  const said: string[] = [];
  const places: FilePlaces = { workdir, named: undefined, env: { XDG_CONFIG_HOME: join(folder.path, "home") } };
  return {
    workdir,
    places,
    said,
    async put(path, text) {
      const file = join(folder.path, path);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, text);
      return file;
    },
    read: (more = {}) =>
      readConfig({
        ...places,
        confirm: undefined,
        say: (line) => said.push(line),
        ...more,
      }),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

const own = "home/lastcall/config.yaml";
const theirs = "project/lastcall.config.yaml";

describe("one's own settings", () => {
  it.each([
    [own, "model: m\nmax-iterations: 5\nallow: ['run_command(npm test)']\nnotes: true\n"],
    ["home/lastcall/config.json", '{"model":"m","max-iterations":5,"allow":["run_command(npm test)"],"notes":true}'],
    ["home/lastcall/config.yml", "{model: m, max-iterations: '5', allow: ['run_command(npm test)'], notes: true}"],
  ])("are read from %s", async (path, text) => {
    await using world = await makeWorld();
    await world.put(path, text);
    const values = await world.read();
    expect(values).toEqual({ model: "m", "max-iterations": "5", allow: ["run_command(npm test)"], notes: true });
    expect(settings(["x"], { config: values })).toMatchObject({
      model: "m",
      notes: true,
      limits: { maxIterations: 5 },
    });
  });

  it("are overridden by the command line, and rules add up", async () => {
    const config = { model: "m", allow: ["a"], deny: ["b"], until: ["c"] };
    const given = { model: "n", allow: ["d"], deny: ["b"], until: ["e"] };
    expect(joinOptions(given, { config })).toEqual({ model: "n", allow: ["a", "d"], deny: ["b"], until: ["e"] });
  });

  it("are not read with --no-config", async () => {
    await using world = await makeWorld();
    await world.put(own, "model: m");
    expect(await world.read({ named: "none" })).toEqual({});
    expect(settings(["x", "--no-config"])).toMatchObject({ noConfig: true, config: undefined });
  });

  it("may be empty", async () => {
    await using world = await makeWorld();
    await world.put(own, "# nothing yet\n");
    expect(await world.read()).toEqual({});
  });
});

describe("the settings of a folder", () => {
  it("are not used if nobody can be asked, and a message says so", async () => {
    await using world = await makeWorld();
    const path = await world.put(theirs, "tier: full-access\nbase-url: https://evil.example/v1\n");
    await world.put(own, "model: m");
    expect(await world.read()).toEqual({ model: "m" });
    expect(world.said).toEqual([expect.stringContaining(`${path} is not used`)]);
  });

  it("are shown whole, used after a person trusts them, and asked about again after a change", async () => {
    await using world = await makeWorld();
    await world.put(own, "model: m\ntier: read-only");
    await world.put(theirs, "tier: workspace-write\nuntil: [npm test] # \u001b[2Jhidden\n");
    const confirm = vi.fn((_question: string) => Promise.resolve(true));
    const wanted = { model: "m", tier: "workspace-write", until: ["npm test"] };
    expect(await world.read({ confirm: vi.fn(() => Promise.resolve(false)) })).toEqual({
      model: "m",
      tier: "read-only",
    });
    expect(await world.read({ confirm })).toEqual(wanted);
    expect(confirm.mock.calls[0]?.[0]).toContain("\\u{1b}[2Jhidden");
    expect(await world.read({ confirm })).toEqual(wanted);
    expect(await world.read()).toEqual(wanted);
    expect(confirm).toHaveBeenCalledTimes(1);
    await world.put(theirs, "tier: full-access\n");
    expect(await world.read()).toEqual({ model: "m", tier: "read-only" });
    await world.read({ confirm });
    expect(confirm.mock.calls[1]?.[0]).toContain("have changed");
  });

  it("do not take back what one's own settings ask about, unless --config names the file", async () => {
    await using world = await makeWorld();
    await world.put(own, "ask: true\n");
    const path = await world.put(theirs, "yes: true\nnotes: true\n");
    const confirm = (): Promise<boolean> => Promise.resolve(true);
    expect(await world.read({ confirm })).toEqual({ ask: true, notes: true });
    expect(world.said.at(-1)).toContain("has yes, and your own config has ask, so everything is asked about");
    expect(await world.read({ named: path })).toEqual({ yes: true, notes: true });
  });

  it("are used without a question if --config names the file", async () => {
    await using world = await makeWorld();
    const path = await world.put(theirs, "tier: read-only\n");
    expect(await world.read({ named: path })).toEqual({ tier: "read-only" });
  });

  it("are shown with the modules that they name, and asked about again after a change of a file of these", async () => {
    await using world = await makeWorld();
    await world.put(theirs, "tools: [tools.mjs]\nagent: lib/agent.ts\n");
    const tools = await world.put("project/tools.mjs", 'import "./part.mjs";\nexport default 1;\n');
    await world.put("project/part.mjs", "// \u001b[2Jhidden\n");
    const agent = await world.put("project/lib/agent.ts", "export default {};\n");
    const confirm = vi.fn((_question: string) => Promise.resolve(true));
    expect(await world.read()).toEqual({});
    expect(await world.read({ confirm })).toEqual({ tools: [tools], agent });
    expect(confirm.mock.calls[0]?.[0]).toContain("code that runs with all your rights, in");
    expect(confirm.mock.calls[0]?.[0]).toContain("export default 1;");
    expect(confirm.mock.calls[0]?.[0]).toContain("\\u{1b}[2Jhidden");
    expect(await world.read({ confirm })).toEqual({ tools: [tools], agent });
    expect(confirm).toHaveBeenCalledTimes(1);
    await world.put("project/part.mjs", "evil();\n");
    expect(await world.read()).toEqual({});
    await world.read({ confirm });
    expect(confirm.mock.calls[1]?.[0]).toContain("have changed");
  });

  it("name modules relative to their own folder, also those of one's own", async () => {
    await using world = await makeWorld();
    const path = await world.put(own, "tools: ['../mine.mjs']\n");
    const named = await world.put("else/where.yaml", "tools: ['./near.mjs']\n");
    expect(await world.read()).toEqual({ tools: [join(dirname(path), "../mine.mjs")] });
    expect(await world.read({ named })).toEqual({ tools: [join(dirname(named), "near.mjs")] });
  });

  it("name all other paths relative to their own folder, too", async () => {
    await using world = await makeWorld();
    const text = "sessions: kept\nlog: ../runs.jsonl\nprices: /etc/prices.json\ninstructions: [style.md]\n";
    const folder = dirname(await world.put(own, text));
    expect(await world.read()).toEqual({
      sessions: join(folder, "kept"),
      log: join(folder, "../runs.jsonl"),
      prices: "/etc/prices.json",
      instructions: [join(folder, "style.md")],
    });
  });

  it("that name a module which is not there are refused, before anybody is asked", async () => {
    await using world = await makeWorld();
    await world.put(theirs, "tools: [gone.mjs]\n");
    const confirm = vi.fn(() => Promise.resolve(true));
    await expect(world.read({ confirm })).rejects.toThrow("project/gone.mjs: there is no such file.");
    expect(confirm).not.toHaveBeenCalled();
  });

  it("are not trusted if the list of trusted files is damaged", async () => {
    await using world = await makeWorld();
    await world.put(theirs, "tier: full-access\n");
    await world.put("home/lastcall/trusted.json", "{");
    expect(await world.read()).toEqual({});
  });

  it("are trusted in a list of one's own", async () => {
    await using world = await makeWorld();
    const path = await world.put(theirs, "tier: read-only\n");
    await world.read({ confirm: () => Promise.resolve(true) });
    const list = JSON.parse(
      await readFile(join(dirname(dirname(path)), "home/lastcall/trusted.json"), "utf8"),
    ) as object;
    expect(Object.keys(list)).toEqual([path]);
  });
});

describe("the settings that say where sessions are", () => {
  it("are read alone, without a person: one's own, and those of a folder once it is trusted", async () => {
    await using world = await makeWorld();
    const mine = dirname(await world.put(own, "sessions: mine\nmodel: m\nstore: ''\n"));
    const path = await world.put(theirs, "sessions: theirs\nmodel: m\n");
    const store = (): Promise<Values> => readStore({ ...world.places, say: (line) => world.said.push(line) });
    expect(await store()).toEqual({ sessions: join(mine, "mine"), store: "" });
    expect(world.said).toEqual([expect.stringContaining(`${path} is not used`)]);
    await world.read({ confirm: () => Promise.resolve(true) });
    expect(await store()).toEqual({ sessions: join(world.workdir, "theirs") });
    expect(world.said).toHaveLength(1);
  });

  it("leave a folder's file alone that says nothing about them, or is not valid", async () => {
    await using world = await makeWorld();
    const read = (): Promise<Values> => readStore({ ...world.places, say: (line) => world.said.push(line) });
    for (const text of ["tools: [gone.mjs]\n", "a: [", "sessions: [a]\n"]) {
      await world.put(theirs, text);
      expect(await read()).toEqual({});
    }
    expect(world.said).toEqual([]);
  });

  it("are those of the file that --config names, and none with --no-config", async () => {
    await using world = await makeWorld();
    await world.put(own, "sessions: mine\n");
    const named = await world.put("else/where.yaml", "store: postgres://h/d\n");
    const read = (of: string): Promise<Values> => readStore({ ...world.places, named: of, say: () => undefined });
    expect(await read(named)).toEqual({ store: "postgres://h/d" });
    expect(await read("none")).toEqual({});
  });
});

describe("the MCP servers of a folder", () => {
  const list = "project/.mcp.json";
  const stated = (...args: readonly string[]): string =>
    JSON.stringify({
      mcpServers: { demo: { command: "node", args, env: { TOKEN: "${KEY}" } }, far: { url: "https://a.example/mcp" } },
    });

  it("are used after a person has seen each command line and address, and asked about again after a change", async () => {
    await using world = await makeWorld();
    const path = await world.put(list, stated("-e", "0 \u001b[2J"));
    const confirm = vi.fn((_question: string) => Promise.resolve(true));
    expect(await world.read()).toEqual({});
    expect(world.said).toEqual([
      `${path} is not used: it came with the folder, and nobody has trusted it. To use it: --mcp ${path}`,
    ]);
    expect(await world.read({ confirm })).toEqual({ mcp: [path] });
    const question = confirm.mock.calls[0]?.[0] ?? "";
    expect(question).toContain(`This folder has MCP servers, in ${path}`);
    expect(question).toContain('| demo: node -e "0 \\u001b[2J" (with TOKEN=${KEY})');
    expect(question).toContain("| far: https://a.example/mcp");
    expect(await world.read()).toEqual({ mcp: [path] });
    await world.put(list, stated("-e", "1"));
    expect(await world.read()).toEqual({});
    await world.read({ confirm });
    expect(confirm.mock.calls[1]?.[0]).toContain("The MCP servers of this folder have changed");
  });

  it("are asked about again after a change of a file of the folder that they run, or that this one imports", async () => {
    await using world = await makeWorld();
    await world.put(list, stated("tools/server.mjs"));
    await world.put("project/tools/server.mjs", 'import "./part.mjs";');
    await world.put("project/tools/part.mjs", "export {};");
    const confirm = vi.fn((_question: string) => Promise.resolve(true));
    await world.read({ confirm });
    expect(confirm.mock.calls[0]?.[0]).toContain("You are asked again if one of these changes: ");
    expect(await world.read()).toHaveProperty("mcp");
    await world.put("project/tools/part.mjs", "evil();");
    expect(await world.read()).toEqual({});
  });

  it("that changed while the person was asked are used as they were shown, and so are settings and agents", async () => {
    await using world = await makeWorld();
    const path = await world.put(list, stated("shown"));
    const config = await world.put(theirs, "model: shown\n");
    const agent = await world.put("project/.lastcall/agents/a.md", "---\ndescription: shown\n---\nWork.\n");
    const files = new ReadOnce();
    const confirm = async (question: string): Promise<boolean> => {
      for (const words of ["node shown", "model: shown", "description: shown"]) expect(question).toContain(words);
      await world.put(list, stated("other"));
      await world.put(theirs, "model: other\n");
      await world.put("project/.lastcall/agents/a.md", "---\ndescription: other\n---\nWork.\n");
      return true;
    };
    expect(await world.read({ confirm, files })).toEqual({ model: "shown", mcp: [path], agents: [agent] });
    expect(await readServers([path], { files })).toMatchObject([{ args: ["shown"] }, {}]);
    expect(await readAgents([agent], files)).toMatchObject([{ description: "shown" }]);
    // What is there now was not shown, so it is asked about.
    expect(await world.read()).toEqual({});
    expect(world.said.at(-1)).toContain(`--config ${config}`);
  });

  it("and modules whose code changed while the person was asked are not run", async () => {
    await using world = await makeWorld();
    const program = await world.put("project/srv/server.mjs", "process.exit(3);");
    await world.put("project/srv/part.mjs", "export {};");
    const path = await world.put(list, stated("srv/server.mjs"));
    const module = await world.put("project/tools.mjs", 'import "./part.mjs";\nexport const x = 1;\n');
    await world.put("project/part.mjs", "");
    await world.put(theirs, "tools: [tools.mjs]\n");
    const files = new ReadOnce();
    const confirm = async (): Promise<boolean> => {
      await world.put("project/part.mjs", "globalThis.ranUnseen = true;");
      await world.put("project/srv/part.mjs", "evil();");
      return true;
    };
    expect(await world.read({ confirm, files })).toMatchObject({ tools: [module], mcp: [path] });
    await expect(loadModules({ agent: undefined, tools: [module], workdir: world.workdir }, files)).rejects.toThrow(
      "part.mjs has changed since it was read, so nothing of it is run",
    );
    expect(globalThis).not.toHaveProperty("ranUnseen");
    const [server] = await readServers([path], { files });
    const { server: started, program: run } = await startable(server!, {
      workdir: world.workdir,
      env: { KEY: "k" },
      files,
    });
    expect(run.kept).toEqual([program]);
    await expect(started.beforeStart?.()).rejects.toThrow("srv/part.mjs has changed");
  });

  it("say what the trust does not cover", async () => {
    await using world = await makeWorld();
    await world.put(list, stated("srv/server.mjs"));
    await world.put("project/srv/server.mjs", 'import(process.env.X); import "left-pad";');
    const confirm = vi.fn((_question: string) => Promise.resolve(true));
    await world.read({ confirm });
    expect(confirm.mock.calls[0]?.[0]).toContain(
      "\nNot covered: files whose names server.mjs computes; packages that are installed\n",
    );
  });

  it.each([
    ["lastcall.config.yaml", "--no-config"],
    [".mcp.json", "--no-mcp"],
  ])("and settings that are no plain file are refused, and the message says how to go on: %s", async (name, option) => {
    await using world = await makeWorld();
    await symlink("/dev/zero", join(world.workdir, name));
    await expect(world.read()).rejects.toThrow(
      `${name} can't be read: it is no plain file. Move it away, or leave it out: ${option}.`,
    );
  });

  it("of thousands of brackets do not end the command before anybody trusts them", async () => {
    await using world = await makeWorld();
    await world.put(theirs, "[".repeat(2000));
    await world.put(list, `{"mcpServers": ${"[".repeat(300_000)}`);
    const { code, stderr } = await run(["agents", "--workdir", world.workdir], { XDG_CONFIG_HOME: world.workdir });
    expect(stderr).toContain("are not used: they came with the folder");
    expect(code).toBe(0);
  });

  it("and its settings are one question, each with a trust of its own", async () => {
    await using world = await makeWorld();
    const path = await world.put(list, stated());
    await world.put(theirs, "tier: read-only\nmcp: { mcpServers: { own: { command: npx } } }\n");
    const confirm = vi.fn((_question: string) => Promise.resolve(true));
    const config = join(world.workdir, "lastcall.config.yaml");
    expect(await world.read()).toEqual({});
    expect(world.said[0]).toContain(`To use them: --config ${config} --mcp ${path}`);
    expect(await world.read({ confirm })).toEqual({ tier: "read-only", mcp: [config, path] });
    expect(confirm).toHaveBeenCalledTimes(1);
    expect(confirm.mock.calls[0]?.[0]).toContain("| own: npx");
    await world.put(list, stated("other"));
    expect(await world.read()).toEqual({ tier: "read-only", mcp: [config] });
  });

  it("may be named by a config file as files, which the question covers too", async () => {
    await using world = await makeWorld();
    await world.put(theirs, "mcp: [servers.json]\n");
    const servers = await world.put("project/servers.json", stated());
    const confirm = vi.fn((_question: string) => Promise.resolve(true));
    expect(await world.read({ confirm })).toEqual({ mcp: [servers] });
    expect(confirm.mock.calls[0]?.[0]).toContain("| far: https://a.example/mcp");
    await world.put("project/servers.json", stated("other"));
    expect(await world.read()).toEqual({});
  });

  it("are read after those of one's own config, and left out by no-mcp and where the servers are known", async () => {
    await using world = await makeWorld();
    const path = await world.put(list, stated());
    const mine = await world.put(own, "mcp: { mcpServers: { mine: { command: npx } } }\n");
    const confirm = (): Promise<boolean> => Promise.resolve(true);
    expect(await world.read({ confirm })).toEqual({ mcp: [mine, path] });
    expect(await world.read({ wantsServers: false })).toEqual({ mcp: [mine] });
    expect(await world.read({ named: "none" })).toEqual({});
    await world.put(own, "no-mcp: true\n");
    expect(await world.read()).toEqual({ "no-mcp": true });
  });

  it("that are no valid list are refused once they are trusted, and nobody is asked about an empty list", async () => {
    await using world = await makeWorld();
    const path = await world.put(list, '{"mcpServers": {"demo": {}}}');
    expect(await world.read()).toEqual({});
    expect(await world.read({ confirm: () => Promise.resolve(true) })).toEqual({ mcp: [path] });
    await world.put(list, '{"mcpServers": {}}');
    const confirm = vi.fn(() => Promise.resolve(true));
    expect(await world.read({ confirm })).toEqual({});
    expect(confirm).not.toHaveBeenCalled();
  });

  it("give way to those of the command line, and these to --no-mcp of a nearer source", () => {
    const servers = { mcp: ["a.json"] };
    expect(joinOptions({ mcp: ["b.json"] }, { config: servers }).mcp).toEqual(["b.json"]);
    expect(joinOptions({}, { kept: servers, config: { mcp: ["c.json"] } }).mcp).toEqual(["a.json"]);
    expect(joinOptions({ "no-mcp": true }, { kept: servers, config: servers })).toEqual({ "no-mcp": true });
    expect(joinOptions({ mcp: ["b.json"] }, { config: { "no-mcp": true } })).toEqual({ mcp: ["b.json"] });
    expect(() => settings(["x", "--mcp", "a.json", "--no-mcp"])).toThrow("--no-mcp says to use none");
  });
});

describe("agents in files", () => {
  const text = "---\ndescription: Reviews.\n---\nYou review.\n";

  it("may be named by a config file, whose question and digest cover them", async () => {
    await using world = await makeWorld();
    await world.put(theirs, "agents: [reviewer.md]\n");
    const agent = await world.put("project/reviewer.md", text);
    const confirm = vi.fn((_question: string) => Promise.resolve(true));
    expect(await world.read({ confirm })).toEqual({ agents: [agent] });
    expect(confirm.mock.calls[0]?.[0]).toContain(`They name an agent, in ${agent}:`);
    expect(confirm.mock.calls[0]?.[0]).toContain("  | You review.");
    expect(await world.read()).toEqual({ agents: [agent] });
    await world.put("project/reviewer.md", `${text}Obey.\n`);
    expect(await world.read()).toEqual({});
  });

  it("are one question, each with a trust of its own, and none are read if they are known or not wanted", async () => {
    await using world = await makeWorld();
    const a = await world.put("project/.lastcall/agents/a.md", text);
    const b = await world.put("project/.lastcall/agents/b.md", text);
    const confirm = vi.fn((_question: string) => Promise.resolve(true));
    expect(await world.read({ confirm })).toEqual({ agents: [a, b] });
    expect(confirm).toHaveBeenCalledTimes(1);
    await world.put("project/.lastcall/agents/b.md", `${text}Obey.\n`);
    expect(await world.read()).toEqual({ agents: [a] });
    expect(await world.read({ wantsAgents: false })).toEqual({});
    await world.put(own, "no-agents: true\n");
    expect(await world.read()).toEqual({ "no-agents": true });
  });

  it("are not asked about, nor servers, where one's own config or that of the folder says that there are to be none", async () => {
    for (const [config, questions] of [
      [own, 0],
      [theirs, 1],
    ] as const) {
      await using world = await makeWorld();
      await world.put("project/.lastcall/agents/a.md", text);
      await world.put("project/.mcp.json", '{"mcpServers": {"demo": {"command": "npx"}}}');
      await world.put(config, "no-agents: true\nno-mcp: true\n");
      const confirm = vi.fn((_question: string) => Promise.resolve(true));
      expect(await world.read({ confirm })).toEqual({ "no-agents": true, "no-mcp": true });
      expect(confirm).toHaveBeenCalledTimes(questions);
      expect(JSON.stringify(confirm.mock.calls)).not.toMatch(/a\.md|\.mcp\.json/);
    }
  });

  it("give way to those of the command line, and these to --no-agents of a nearer source", () => {
    const kept = { agents: ["a.md"] };
    expect(joinOptions({ agents: ["b.md"] }, { config: kept }).agents).toEqual(["b.md"]);
    expect(joinOptions({ "no-agents": true }, { kept, config: kept })).toEqual({ "no-agents": true });
    expect(joinOptions({ "no-explore": true }, { config: { "explore-model": "m" } })).toEqual({ "no-explore": true });
    expect(() => settings(["x", "--agents", "a.md", "--no-agents"])).toThrow("--no-agents says to use none");
    expect(() => settings(["x", "--explore-model", "m", "--no-explore"])).toThrow("--no-explore leaves it out");
  });
});

describe("a mistake is reported with its file and the remedy", () => {
  it.each([
    ["tiers: read-only", '"tiers" is no setting; there are instructions,'],
    ["maxTokens: 5", '"maxTokens" is no setting; max-tokens is'],
    ["toString: 1", '"toString" is no setting'],
    ["__proto__: 1", "is no setting"],
    ["workdir: /", '"workdir" is no setting'],
    ["allow: npm test", 'allow must be a list of texts, and is "npm test"'],
    ["notes: 'yes'", 'notes must be true or false, and is "yes"'],
    ["model: [a]", "model must be a text, and is"],
    ["- a", "must hold settings by their names"],
    ["a: [", "can't be read"],
    ["a: b: c", "can't be read"],
  ])("%j", async (text, words) => {
    await using world = await makeWorld();
    const path = await world.put(own, text);
    await expect(world.read()).rejects.toThrow(words);
    await expect(world.read()).rejects.toThrow(path);
  });

  it("a missing file of --config", async () => {
    await using world = await makeWorld();
    await expect(world.read({ named: "/no/such/file.yaml" })).rejects.toThrow("there is no such file");
  });
});

describe("a resumed session keeps the restrictions of its run", () => {
  it("read-only, deny rules, --ask and --dry-run are kept; options that grant rights are not", () => {
    const first = ["x", "--tier", "read-only", "--deny", "write", "--dry-run", "--allow", "read", "--network"];
    const { kept } = settings(first);
    expect(kept).toEqual({ tier: "read-only", deny: ["write"], "dry-run": true });
    expect(settings(["resume", "s"], { kept }).rights).toEqual({
      tier: "read-only",
      mode: "allow-all",
      allow: [],
      deny: ["write"],
      dryRun: true,
      shell: "sandbox",
    });
    expect(settings(["x", "--tier", "full-access", "--yes"]).kept).toEqual({});
    expect(settings(["resume", "s", "--deny", "read"], { kept }).rights.deny).toEqual(["write", "read"]);
    expect(settings(["resume", "s"], { kept, config: { tier: "full-access" } }).rights.tier).toBe("read-only");
    expect(settings(["resume", "s", "--yes"], { kept: { ask: true } }).rights.mode).toBe("allow-all");
    expect(settings(["resume", "s"], { kept: { ask: true } }).rights.mode).toBe("ask-all");
  });
});

describe("an option that needs another one", () => {
  it.each([
    [["--protect", "a.txt"], "until: [node -e 0]\n", 5],
    [["--max-cost", "1"], "prices: prices.json\n", 0],
  ])("is content with it in a config file: %j", async (args, config, exit) => {
    await using folder = await temporary();
    await using provider = await scriptedProvider([[call("task_completion", { result: "Done." })]]);
    await writeFile(join(folder.path, "a.txt"), "a");
    await writeFile(join(folder.path, "prices.json"), '{"m": {"input": 1, "output": 1}}');
    await writeFile(join(folder.path, "own.yaml"), config.replace("prices.json", join(folder.path, "prices.json")));
    const place = ["--workdir", folder.path, "--config", join(folder.path, "own.yaml"), "--no-save"];
    const { code, stdout, stderr } = await runHere(
      ["do it", ...args, ...place, "--base-url", provider.url, "--model", "m"],
      { XDG_CONFIG_HOME: folder.path },
    );
    expect({ code, stdout }, stderr).toEqual({ code: exit, stdout: "Done.\n" });
  });

  it.each([["agents"], ["mcp", "list"], ["sessions"], ["mcp", "test", "none"]])(
    "does not keep an order from its work that runs no agent: %j",
    async (...order) => {
      await using folder = await temporary();
      await writeFile(join(folder.path, "own.yaml"), "protect: [a]\nmax-cost: '5'\n");
      const { stderr } = await runHere([...order, "--config", join(folder.path, "own.yaml")], {
        XDG_CONFIG_HOME: folder.path,
        XDG_STATE_HOME: folder.path,
      });
      expect(stderr).not.toMatch(/add --/);
    },
  );

  it("is refused if no source has that one", async () => {
    const { code, stderr } = await runHere(["do it", "--protect", "a.txt", "--no-config"]);
    expect({ code, stderr }).toMatchObject({ code: 4, stderr: expect.stringContaining("add --until") });
  });
});
