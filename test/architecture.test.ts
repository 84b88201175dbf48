// The house: which layer may import which, which room of a layer may import which, and which package is named where.

import { readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import ts from "typescript";
import { describe, expect, test } from "vitest";

const root = resolve(import.meta.dirname, "../src");

/** What each layer may import besides itself; `mcp` compiles a stranger's schemas, `cli` composes and is imported by nobody, `testing` has a suite for the port of memory. */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  core: [],
  schema: ["core"],
  breaker: ["core"],
  lock: ["core"],
  packages: ["core"],
  approval: ["core"],
  model: ["core", "breaker"],
  "ai-sdk": ["core", "model"],
  guard: ["core"],
  vault: ["core", "lock"],
  mcp: ["core", "schema", "breaker", "guard", "packages", "vault"],
  shell: ["core", "files", "lock"],
  files: ["core"],
  tools: ["core", "shell", "files", "lock"],
  checks: ["core", "shell", "files"],
  memory: ["core", "lock"],
  permission: ["core", "files", "approval"],
  testing: ["core", "memory", "approval"],
  evals: ["core", "model", "memory", "shell", "files", "packages", "lock"],
  otel: ["core", "memory", "packages"],
  host: ["core", "memory"],
  postgres: ["core", "memory", "lock", "vault"],
  dbos: ["core", "memory", "host", "postgres", "packages"],
  restate: ["core", "memory", "host", "packages"],
  server: ["core", "memory", "guard", "host"],
  jwt: ["core", "guard", "packages"],
  studio: ["core", "memory", "server"],
  // Stands in for the modules and globals of Node where there is no Node.
  web: ["core"],
  index: ["core", "schema", "memory", "approval"],
  cli: [
    "index",
    "core",
    "schema",
    "model",
    "ai-sdk",
    "tools",
    "checks",
    "memory",
    "permission",
    "testing",
    "otel",
    "mcp",
    "postgres",
    "server",
    "host",
    "dbos",
    "packages",
    "evals",
    "lock",
    "files",
  ],
};

/**
 * The rooms of each layer that has rooms, from the innermost to the outermost. A file may import from its own room and from rooms that
 * are listed before it, types included. A dot is the layer's own folder.
 */
const roomsOf: Readonly<Record<string, readonly string[]>> = {
  core: [
    "text",
    "data",
    "time",
    "secret",
    "attachment",
    "journal",
    "ports",
    "approvals",
    "words",
    "run",
    "call",
    "loop",
    "agent",
    ".",
  ],
  model: [
    "data",
    "steady",
    "transport",
    "http",
    "heal",
    "text/reading",
    "text/dialects",
    "text/xml",
    "text",
    "read",
    "wire",
    "responses",
    ".",
  ],
  files: ["secret", "."],
  shell: ["port", "output", "process", "workspace", "places", "sandbox", "."],
  tools: [
    "text",
    "notes",
    "delegate",
    "handover",
    "review",
    "background",
    "workspace",
    "changes/tree",
    "changes",
    "read",
    "edit",
    "search",
    ".",
  ],
  memory: ["disk", "store", "session", "prompt", "."],
  permission: ["programs", "command", "rules", "decide", "."],
  testing: ["scripted", "cassette", "replay", "oracle", "conformance", "."],
  evals: ["figures", "plan", "harbor", "trial", "report", "page", "run", "suite", "tries", "."],
  otel: ["data", "describe", "live", "journal", "."],
  mcp: ["foreign", "connect", "sign-in", "tools", "serve", "."],
  host: ["delivery", "."],
  postgres: ["failure", "."],
  server: ["feed", "who", "hub", "chat", "agui", "answer", "page", "http", "."],
  studio: ["data", "parts", "view", "page", "."],
  cli: [
    "display",
    "mcp-config",
    "agent-files",
    "code",
    "args",
    "modules",
    "person",
    "show",
    "sessions",
    "delegates",
    "presets",
    "cassette",
    "outputs",
    "task",
    "review",
    "tries",
    "serve",
    "work",
    "mcp",
    "demo",
    "eval",
    "chat/style",
    "chat/markdown",
    "chat/screen",
    "chat",
    "init",
    "replay",
    "docs",
    ".",
  ],
};

/** Files that one room may hold. */
const mostFiles = 15;

/** Packages that more than one file may name. Every view of the studio is made of preact. */
const everywhere = new Set(["zod", "preact"]);

interface Import {
  readonly file: string;
  readonly target: string;
  /** Imports of types alone cost nothing at run time. */
  readonly isType: boolean;
}

/** The files that stand in for the files beside them where there is no Node: `x.web.ts` for `x.ts`. */
const isStandIn = (file: string): boolean => file.endsWith(".web.ts");

function readAll(): ReadonlyMap<string, string> {
  const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((file) => /\.tsx?$/.test(file));
  return new Map(files.map((file) => [file, readFileSync(join(root, file), "utf8")]));
}

function readSources(): ReadonlyMap<string, string> {
  return new Map([...readAll()].filter(([file]) => !isStandIn(file)));
}

/** The imports of each text that was parsed: most tests plant one file among hundreds that stay the same. */
const parsed = new Map<string, readonly Import[]>();

function importsOf(file: string, text: string): readonly Import[] {
  const key = `${file}\n${text}`;
  const known = parsed.get(key) ?? parse(file, text);
  parsed.set(key, known);
  return known;
}

function parse(file: string, text: string): readonly Import[] {
  const found: Import[] = [];
  const add = (specifier: ts.Node | undefined, isType: boolean): void => {
    if (specifier !== undefined && ts.isStringLiteral(specifier)) found.push({ file, target: specifier.text, isType });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node))
      add(node.moduleSpecifier, node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword);
    else if (ts.isExportDeclaration(node)) add(node.moduleSpecifier, node.isTypeOnly);
    else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword)
      add(node.arguments[0], false);
    else if (ts.isCallExpression(node) && ts.isIdentifier(node.expression) && node.expression.text === "require")
      add(node.arguments[0], false);
    else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) add(node.argument.literal, true);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.ES2023));
  return found;
}

function layerOf(file: string): string {
  return file.includes("/") ? (file.split("/")[0] ?? "") : file.replace(/\.[jt]s$/, "");
}

/** The doors beside `index.js`. */
const secondDoors: ReadonlyMap<string, string> = new Map([
  ["core", "core/internal.js"],
  ["model", "model/carriers.js"],
  ["memory", "memory/stores.js"],
  ["host", "host/host-parts.js"],
  ["postgres", "postgres/pool.js"],
  ["mcp", "mcp/text-server.js"],
]);

/** The files by which other layers enter a layer. */
function doorsOf(layer: string): readonly string[] {
  if (layer === "index") return ["index.js"];
  const second = secondDoors.get(layer);
  return [`${layer}/index.js`, ...(second === undefined ? [] : [second])];
}

function breaches(sources: ReadonlyMap<string, string>): readonly string[] {
  const found: string[] = [];
  const namedIn = new Map<string, Set<string>>();
  for (const [file, source] of sources) {
    for (const { target, isType } of importsOf(file, source)) {
      if (target.startsWith(".")) {
        const path = relative(root, resolve(root, dirname(file), target));
        const [from, to] = [layerOf(file), layerOf(path)];
        if (from === to) continue;
        if (!(mayImport[from] ?? []).includes(to)) found.push(`${file}: ${from} must not import ${to}`);
        if (!doorsOf(to).includes(path)) found.push(`${file}: enter ${to} by its index.js only`);
      } else if (target.startsWith("node:")) {
        if (layerOf(file) === "core") found.push(`${file}: core does no I/O, so it imports nothing of Node`);
      } else {
        if (layerOf(file) === "core" && !isType) found.push(`${file}: core imports no package`);
        const name = target
          .split("/")
          .slice(0, target.startsWith("@") ? 2 : 1)
          .join("/");
        if (!everywhere.has(name)) namedIn.set(name, (namedIn.get(name) ?? new Set()).add(file));
      }
    }
  }
  for (const [name, files] of namedIn) {
    if (files.size > 1) found.push(`${name} is named in more than one file: ${[...files].sort().join(", ")}`);
  }
  return found;
}

/** The room of a file within its layer: its folder, and a dot for the layer's own. */
function roomOf(file: string): string {
  return relative(layerOf(file), dirname(file)) || ".";
}

/** The files of ours that each file imports, types included. */
function graphOf(sources: ReadonlyMap<string, string>): ReadonlyMap<string, readonly string[]> {
  return new Map(
    Array.from(sources, ([file, source]) => [
      file,
      importsOf(file, source)
        .filter(({ target }) => target.startsWith("."))
        .map(({ target }) => relative(root, resolve(root, dirname(file), target)).replace(/\.js$/, ".ts"))
        .map((target) => (sources.has(`${target}x`) ? `${target}x` : target)),
    ]),
  );
}

/** Imports from a room that is further out than the importing one, or from a room that is not listed. */
function climbs(sources: ReadonlyMap<string, string>): readonly string[] {
  const found: string[] = [];
  for (const [file, targets] of graphOf(sources)) {
    const rooms = roomsOf[layerOf(file)];
    if (rooms === undefined) continue;
    const from = rooms.indexOf(roomOf(file));
    if (from === -1) found.push(`${file}: the room ${roomOf(file)} is not listed`);
    for (const target of targets) {
      if (layerOf(target) !== layerOf(file)) continue;
      if (rooms.indexOf(roomOf(target)) > from) found.push(`${file}: ${roomOf(file)} is below ${roomOf(target)}`);
    }
  }
  return found;
}

/** The first circle of imports from file to file, types included; undefined if there is none. */
function circleIn(sources: ReadonlyMap<string, string>): readonly string[] | undefined {
  const graph = graphOf(sources);
  const done = new Set<string>();
  const path: string[] = [];
  const visit = (file: string): readonly string[] | undefined => {
    if (done.has(file)) return undefined;
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file];
    path.push(file);
    for (const target of graph.get(file) ?? []) {
      const circle = visit(target);
      if (circle !== undefined) return circle;
    }
    path.pop();
    done.add(file);
    return undefined;
  };
  for (const file of graph.keys()) {
    const circle = visit(file);
    if (circle !== undefined) return circle;
  }
  return undefined;
}

describe("the rooms", () => {
  const sources = readSources();

  test("keep their arrows pointing inward", () => {
    expect(climbs(sources)).toEqual([]);
  });

  test("have no circle of imports from file to file, types included", () => {
    expect(circleIn(sources)).toBeUndefined();
  });

  test("are those that are listed, and none holds too many files", () => {
    const files = new Map<string, number>();
    for (const file of sources.keys()) {
      const room = join(layerOf(file), roomOf(file));
      files.set(room, (files.get(room) ?? 0) + 1);
    }
    for (const [layer, rooms] of Object.entries(roomsOf))
      for (const room of rooms.filter((name) => name !== ".")) expect([...files.keys()]).toContain(join(layer, room));
    expect([...files].filter(([, count]) => count > mostFiles)).toEqual([]);
  });

  test("have each stand-in beside its file, with imports of its layer, of core and of web", () => {
    const all = readAll();
    for (const [file, source] of [...all].filter(([name]) => isStandIn(name))) {
      expect(all.has(file.replace(".web.ts", ".ts")), file).toBe(true);
      const layers = importsOf(file, source)
        .filter(({ target }) => target.startsWith("."))
        .map(({ target }) => layerOf(relative(root, resolve(root, dirname(file), target))));
      const allowed = [layerOf(file), "core", "web", ...(mayImport[layerOf(file)] ?? [])];
      expect(
        layers.filter((layer) => !allowed.includes(layer)),
        file,
      ).toEqual([]);
    }
  });

  test("never hold two files of one name", () => {
    const names = [...sources.keys()].map((file) => basename(file)).filter((name) => name !== "index.ts");
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });

  test.each([
    [
      "a port imports the loop",
      "core/ports/planted.ts",
      'import type { loop } from "../loop/loop.js";',
      "ports is below loop",
    ],
    [
      "data knows the journal",
      "core/data/planted.ts",
      'import type { State } from "../journal/state.js";',
      "data is below journal",
    ],
    ["a wire imports the model", "model/wire/planted.ts", 'export { openai } from "../openai.js";', "wire is below ."],
    [
      "the words of the command import a task",
      "cli/display/planted.ts",
      'const x = await import("../task/run-task.js");',
      "display is below task",
    ],
    ["a room is not listed", "core/drawer/planted.ts", "export const x = 1;", "the room drawer is not listed"],
  ])("a planted breach is caught: %s", (_what, file, source, words) => {
    expect(climbs(new Map([...sources, [file, source]])).join("\n")).toContain(words);
  });

  test("a planted circle of types is caught", () => {
    const planted = new Map([
      ...sources,
      ["core/data/one.ts", 'import type { Two } from "./two.js";'] as const,
      ["core/data/two.ts", 'export type Two = import("./one.js").One;'] as const,
    ]);
    expect(circleIn(planted)).toEqual(["core/data/one.ts", "core/data/two.ts", "core/data/one.ts"]);
  });
});

describe("the layers", () => {
  const sources = readSources();

  test("keep their arrows pointing inward, and name each package in one file", () => {
    expect(sources.size).toBeGreaterThan(30);
    expect(breaches(sources)).toEqual([]);
  });

  test("every folder of src is a layer with an index", () => {
    const folders = readdirSync(root, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    for (const { name } of folders) {
      expect(Object.keys(mayImport)).toContain(name);
      // The command and the studio are programs, and nobody imports them.
      if (name !== "cli" && name !== "studio") expect([...sources.keys()]).toContain(`${name}/index.ts`);
    }
  });

  test.each([
    [
      "an edge imports another edge",
      "tools/planted.ts",
      'import { openai } from "../model/index.js";',
      "must not import model",
    ],
    [
      "core imports an edge",
      "core/planted.ts",
      'import type { x } from "../memory/index.js";',
      "must not import memory",
    ],
    [
      "a layer is entered by its back door",
      "model/planted.ts",
      'import { digest } from "../core/data/json.js";',
      "by its index.js only",
    ],
    ["core reads a file", "core/planted.ts", 'import { readFile } from "node:fs/promises";', "core does no I/O"],
    ["core loads a package", "core/planted.ts", 'import { z } from "zod";', "core imports no package"],
    [
      "a package is named in a second file",
      "cli/planted.ts",
      'const x = await import("openai");',
      "openai is named in more than one file",
    ],
    [
      "a package is required in a second file",
      "tools/planted.ts",
      'const x = createRequire(import.meta.url); const y = late("x", (require) => require("zod-to-json-schema"));',
      "zod-to-json-schema is named in more than one file",
    ],
    ["core requires a package", "core/planted.ts", 'const { z } = require("zod");', "core imports no package"],
    [
      "a re-export crosses layers",
      "testing/planted.ts",
      'export { gate } from "../permission/index.js";',
      "must not import permission",
    ],
    [
      "something imports the command",
      "testing/planted.ts",
      'import { main } from "../cli/index.js";',
      "must not import cli",
    ],
  ])("a planted breach is caught: %s", (_what, file, source, words) => {
    expect(breaches(new Map([...sources, [file, source]])).join("\n")).toContain(words);
  });

  test("undo slowed every promise of a process on Node 20: nothing turns the hooks of promises on", () => {
    const users = [...sources].flatMap(([file, source]) => (source.includes("node:async_hooks") ? [file] : []));
    expect(users).toEqual([]);
  });

  test("the loop fits one screen", () => {
    expect(sources.get("core/loop/loop.ts")?.split("\n").length).toBeLessThanOrEqual(40);
  });
});
