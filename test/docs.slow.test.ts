// The code in README and docs is compiled and run; what they list is held against what there is.

import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { DBOS } from "@dbos-inc/dbos-sdk";
import ts from "typescript";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createAgent, tool, type Event, type Permission } from "../src/index.js";
import { call, scriptedModel, scriptedProvider, type Script } from "../src/testing/index.js";
import { taskCompletion } from "../src/tools/index.js";
import { noPostgres, startPostgres, type PostgresServer } from "./postgres/server.js";
import { scripts, told } from "./snippets.mjs";
import { z } from "zod";
import { share } from "./turn.js";

const root = resolve(import.meta.dirname, "..");
// Other tests have folders of their own beside this one.
const cache = join(root, "test/.cache/docs");
const pages = ["README.md", "SKILL.md", ...["skills", "docs", "docs/guide", "docs/adr", "examples"].flatMap(pagesIn)];
const examples = readdirSync(join(root, "examples")).filter((name) => name.endsWith(".ts"));

function pagesIn(folder: string): readonly string[] {
  return readdirSync(join(root, folder))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `${folder}/${name}`);
}

/** The TypeScript files of `src`, as paths below it. */
function sourceFiles(): readonly string[] {
  return readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" }).filter((file) => /\.tsx?$/.test(file));
}

function read(page: string): string {
  return readFileSync(join(root, page), "utf8");
}

interface Snippet {
  readonly page: string;
  readonly line: number;
  readonly code: string;
  /** What the page says that it prints: the block of text behind it. */
  readonly prints: string | undefined;
}

const snippets: readonly Snippet[] = pages.flatMap((page) => {
  const text = read(page);
  return [...text.matchAll(/^```ts\n([^]*?)^```$(?:\n+```text\n([^]*?)^```$)?/gm)].map((match) => ({
    page,
    line: text.slice(0, match.index).split("\n").length,
    code: match[1] ?? "",
    prints: match[2],
  }));
});

let database: Promise<PostgresServer> | undefined;

/** A Postgres with the tables of DBOS, which says so at the first start. */
function databaseFor(): Promise<PostgresServer> {
  database ??= startPostgres().then(async (server) => {
    await DBOS.migrate(server.url);
    return server;
  });
  return database;
}

function needsDatabase(code: string): boolean {
  return code.includes("DATABASE_URL");
}

beforeAll(() => mkdir(cache, { recursive: true }));
afterAll(async () => {
  await (await database)?.stop();
  await rm(cache, { recursive: true, force: true });
});

/** Compiles texts as a user's strict project would, against the built package by its own name; the errors of each. */
function typeErrors(texts: readonly string[]): readonly (readonly string[])[] {
  const files = new Map(texts.map((text, index) => [join(cache, `snippet-${String(index)}.ts`), text]));
  const options: ts.CompilerOptions = {
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    types: ["node"],
    skipLibCheck: true,
    noEmit: true,
  };
  const host = ts.createCompilerHost(options);
  const { readFile, fileExists, getSourceFile } = host;
  host.readFile = (path) => files.get(path) ?? readFile(path);
  host.fileExists = (path) => files.has(path) || fileExists(path);
  host.getSourceFile = (path, language) => {
    const text = files.get(path);
    return text === undefined ? getSourceFile.call(host, path, language) : ts.createSourceFile(path, text, language);
  };
  const program = ts.createProgram([...files.keys()], options, host);
  return [...files.keys()].map((file) =>
    ts
      .getPreEmitDiagnostics(program, program.getSourceFile(file))
      .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n")),
  );
}

/** Runs a snippet as a module of its own, on a scripted provider. */
async function runSnippet(
  code: string,
  name: string,
  script: Script,
): Promise<{ readonly stdout: string; readonly stderr: string }> {
  await using provider = await scriptedProvider(script);
  const file = join(cache, `${name}.mjs`);
  await writeFile(
    file,
    ts.transpileModule(code, { compilerOptions: { target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.ESNext } })
      .outputText,
  );
  const database = needsDatabase(code) ? { DATABASE_URL: (await databaseFor()).url } : {};
  const env = { PATH: process.env["PATH"], OPENAI_BASE_URL: provider.url, OPENAI_API_KEY: "sk-test", ...database };
  const child = spawn(process.execPath, [file], { cwd: root, env, stdio: ["ignore", "pipe", "pipe"] });
  let [stdout, stderr] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  await new Promise((done) => child.on("close", done));
  expect(provider.unsaid).toBe(0);
  return { stdout, stderr };
}

test("five pages of the guide had code that needs a package which the page does not name", () => {
  const unnamed = pages.flatMap((page) => {
    const text = read(page);
    const code = [...text.matchAll(/^```(?:ts|tsx|js)\n([^]*?)^```$/gm)].map((match) => match[1]).join("\n");
    const imported = [...code.matchAll(/from "((?:@[^/"]+\/)?[^/".][^/"]*)/g)].map((match) => match[1] ?? "");
    // The first page installs lastcall and zod.
    const needed = new Set(imported.filter((name) => !/^(?:lastcall|zod|node:.*)$/.test(name)));
    const installed = [...text.matchAll(/npm install ([^`\n]*)/g)].map((match) => match[1]).join(" ");
    const isNamed = (name: string): boolean =>
      installed.split(/\s+/).some((word) => word.replace(/(?<=.)@.*/, "") === name);
    return [...needed].filter((name) => !isNamed(name)).map((name) => `${page}: ${name}`);
  });
  expect(unnamed).toEqual([]);
});

describe("code in the docs", () => {
  test("there is some", () => {
    expect(snippets.length).toBeGreaterThanOrEqual(2);
  });

  test("it compiles in a strict project, as the examples do, and a switch over the endings does not without one of its cases", () => {
    const { code } = snippets[0]!;
    const without = code.replace(/^.*case "escalate".*\n/m, "");
    expect(without).not.toBe(code);
    const desk = read("examples/refund-desk.ts");
    const forgetful = ["approve", "escalate", "ask"].map((name) =>
      desk.replace(new RegExp(`^ *case "${name}":[^]*?break;\\n`, "m"), ""),
    );
    const whole = [...snippets.map(({ code }) => code), ...examples.map((name) => read(`examples/${name}`))];
    const [broken, approve, escalate, ask, ...fine] = typeErrors([without, ...forgetful, ...whole]);
    expect(fine).toEqual(whole.map(() => []));
    for (const errors of [broken, approve, escalate, ask]) {
      expect(errors?.join("\n")).toContain("does not satisfy the expected type 'never'");
    }
  });

  const runs = async ({ code, line, prints }: Snippet): Promise<void> => {
    const known = scripts.find(({ words }) => code.includes(words));
    const said = prints ?? known?.prints;
    const stdout = said instanceof RegExp ? (expect.stringMatching(said) as string) : said;
    if (stdout === undefined) {
      throw new Error("Nobody says what this snippet prints: say it in a block of text behind it, or in this test.");
    }
    const [, stderr = ""] = Object.entries(told).find(([words]) => code.includes(words)) ?? [];
    expect(await runSnippet(code, `line-${String(line)}`, known?.script ?? [])).toEqual({ stdout, stderr });
  };
  // Each check compiles all of them, and runs a third of them: a process for each takes a minute.
  test.each(
    share(
      snippets.filter(({ code }) => !needsDatabase(code)),
      3,
    ),
  )("$page:$line runs", runs);
  test.skipIf(noPostgres !== "").each(snippets.filter(({ code }) => needsDatabase(code)))(
    `$page:$line runs${noPostgres}`,
    runs,
  );
});

describe("links in the docs", () => {
  /** The names that a page's headings have in its address. */
  function anchorsOf(page: string): readonly string[] {
    const prose = read(page).replace(/^```[^]*?^```$/gm, "");
    return [...prose.matchAll(/^#+ (.+)$/gm)].map(([, title = ""]) =>
      title
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, "")
        .replaceAll(" ", "-"),
    );
  }

  test.each([...pages, "AGENTS.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"])(
    "of %s lead somewhere",
    (page) => {
      const prose = read(page).replace(/^```[^]*?^```$/gm, "");
      const broken = [...prose.matchAll(/\]\(([^)\s]+)\)/g)]
        .map(([, link = ""]) => link)
        .filter((link) => !/^https?:/.test(link))
        .filter((link) => {
          const [path = "", anchor] = link.split("#");
          const to = path === "" ? page : join(dirname(page), path);
          if (!existsSync(join(root, to))) return true;
          return anchor !== undefined && !anchorsOf(to).includes(anchor);
        });
      expect(broken).toEqual([]);
    },
  );

  test("lead from the list of all pages to every page, and from the guide's first page to its last", () => {
    const linked = (page: string): readonly string[] =>
      [...read(page).matchAll(/\]\(([^)#\s]+)/g)].map(([, link = ""]) => join(dirname(page), link));
    const guide = pagesIn("docs/guide");
    const reached = linked("docs/README.md");
    for (const page of [...pagesIn("docs"), ...guide]) if (page !== "docs/README.md") expect(reached).toContain(page);
    expect(linked("README.md")).toContain("docs/README.md");
    const ordered = [...new Set(linked("docs/guide/README.md"))].filter((page) => guide.includes(page));
    expect(ordered).toEqual(
      guide.filter((page) => page !== "docs/guide/README.md").sort((a, b) => number(a) - number(b)),
    );
    for (const [index, page] of ordered.slice(0, -1).entries()) expect(linked(page).at(-1)).toBe(ordered[index + 1]);
  });

  function number(page: string): number {
    return Number(/\/(\d+)-[^/]*$/.exec(page)?.[1]);
  }
});

describe("what the docs list is there:", () => {
  test("every event in the drawing of an iteration happens, in that order", async () => {
    const drawing = /## One iteration\n\n```\n([^]*?)```/.exec(read("docs/one-iteration.md"))?.[1] ?? "";
    const lines = drawing.split("\n").filter((line) => !/^ {40}/.test(line));
    const drawn = lines.flatMap((line) => {
      const [events = ""] = line.trimStart().split(/\s{3,}/);
      return events.match(/[a-z]+(?:-[a-z]+)+/g) ?? [];
    });
    const look = tool({
      name: "look",
      description: "Looks",
      input: z.object({}),
      async *run() {
        yield "looking";
      },
    });
    const check = { name: "check", verify: () => ({ passed: true, output: "" }) };
    const permission: Permission = {
      decide(_call, { announce }) {
        announce?.({ why: "somebody is asked" });
        return { allowed: true, reason: "they said yes" };
      },
    };
    const last = { text: "Hm.", reasoning: "hm", calls: [call("look"), call("task_completion", { result: "done" })] };
    const eventsOf = async (script: Script, identical: number): Promise<readonly Event["type"][]> => {
      const events: Event["type"][] = [];
      const tools = [look, taskCompletion()];
      const model = scriptedModel(script);
      const agent = createAgent({ model, tools, permission, checks: [check], circuit: { identical } });
      await agent.run("go", { onEvent: ({ type }) => void events.push(type) });
      return events;
    };
    const failed = await eventsOf(["words"], 1);
    const types = await eventsOf(["words", [call("look")], last], 5);
    const happened = [
      ...types.slice(0, types.indexOf("iteration-start")).filter((type) => type !== "notice"),
      ...types.slice(types.lastIndexOf("iteration-start"), -2),
      ...failed.filter((type) => type.startsWith("circuit-")),
      ...types.slice(-2),
    ];
    expect([...new Set(happened)]).toEqual([...new Set(drawn)]);
  });

  test("every folder and file that the architecture page names exists", () => {
    const page = read("docs/architecture.md");
    const folders = [...page.matchAll(/`src\/([a-z-]+)`/g)].map(([, name]) => name ?? "");
    expect(folders.sort()).toEqual(
      readdirSync(join(root, "src"))
        .filter((name) => !name.includes("."))
        .sort(),
    );
    const files = sourceFiles().map((file) => `/${file}`);
    for (const [, name = ""] of page.matchAll(/`([a-z0-9/-]+\.ts)`/g))
      expect(files.filter((file) => file.endsWith(`/${name}`), name)).not.toEqual([]);
  });

  test("the rooms that the architecture page lists are the folders of the tree", () => {
    const section = /## Rooms\n([^]*?)\n## /.exec(read("docs/architecture.md"))?.[1] ?? "";
    const rows = [...section.matchAll(/^\| `([a-z/-]+)` +\| (.*) \|$/gm)].map(([, room = "", holds = ""]) => ({
      room,
      holds,
    }));
    // "`style`, `markdown` and `screen` are rooms inside it" lists the rooms of a room.
    const inside = rows.flatMap(({ room, holds }) =>
      holds.includes("rooms inside it")
        ? [...(holds.split(";").at(-1) ?? "").matchAll(/`([a-z]+)`/g)].map(([, name = ""]) => `${room}/${name}`)
        : [],
    );
    const folders = new Set(
      sourceFiles()
        .map((file) => dirname(file))
        .filter((folder) => folder.includes("/")),
    );
    expect([...rows.map(({ room }) => room), ...inside].sort()).toEqual([...folders].sort());
  });

  test("every file and function that the page on one event and one result names exists", () => {
    const page = read("docs/one-event-one-result.md");
    const frames = [...page.matchAll(/^\| +\d+ +\| `([a-z0-9/-]+\.tsx?)` +\| `([A-Za-z]+)` /gm)];
    expect(frames.length).toBeGreaterThan(60);
    for (const [, file = "", name = ""] of frames)
      expect(read(`src/${file}`), `${file} ${name}`).toMatch(new RegExp(`\\b${name}\\b`));
    const approval = page.slice(page.indexOf("## One approval"));
    const steps = [...approval.matchAll(/^\| +\d+ +\| `/gm)].length;
    expect(steps).toBeGreaterThan(10);
    expect(steps, "an approval takes at most 16 steps to its call").toBeLessThanOrEqual(16);
  });

  test("every entry of the package is named in the architecture page, and the other way round", () => {
    const { exports } = JSON.parse(read("package.json")) as { readonly exports: Readonly<Record<string, unknown>> };
    const entries = Object.keys(exports).filter((entry) => entry.startsWith("./") && !entry.endsWith(".json"));
    const named = [...read("docs/architecture.md").matchAll(/`lastcall\/([a-z-]+)`/g)].map(
      ([, name]) => `./${name ?? ""}`,
    );
    expect([...new Set(named)].sort()).toEqual(entries.sort());
  });

  test("every example is in the examples' table, with a section of its own", () => {
    const page = read("examples/README.md");
    const listed = [...page.matchAll(/^\| \[([a-z-]+\.ts)\]\(\1\)/gm)].map(([, name]) => name);
    const sections = [...page.matchAll(/^## (.*)$/gm)].map(([, name]) => name);
    for (const named of [listed, sections]) expect([...named].sort()).toEqual([...examples].sort());
  });

  test("AGENTS.md has at most 100 lines, README.md at most 120 with 700 words", () => {
    expect(read("AGENTS.md").split("\n").length).toBeLessThanOrEqual(100);
    expect(read("README.md").split("\n").length).toBeLessThanOrEqual(120);
    expect(read("README.md").split(/\s+/).length).toBeLessThanOrEqual(700);
  });

  test("nothing in the project names a machine path", () => {
    for (const page of [
      ...pages,
      "AGENTS.md",
      "CHANGELOG.md",
      "CONTRIBUTING.md",
      "package.json",
      "package-lock.json",
    ]) {
      expect(read(page)).not.toMatch(/\/(?:work|home|root)\/|"resolved":/);
    }
  });
});
