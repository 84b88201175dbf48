// The house: which layer may import which, and which package is named where.

import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import ts from "typescript";
import { describe, expect, test } from "vitest";

const root = resolve(import.meta.dirname, "../src");

/** What each layer may import besides itself; `cli` composes and is imported by nobody, `testing` has a suite for the port of memory. */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  core: [],
  schema: ["core"],
  model: ["core"],
  shell: ["core", "files"],
  files: ["core"],
  tools: ["core", "shell", "files"],
  checks: ["core", "shell", "files"],
  memory: ["core"],
  permission: ["core", "files"],
  testing: ["core", "memory"],
  index: ["core", "schema", "memory"],
  cli: ["index", "core", "model", "tools", "checks", "memory", "permission", "testing"],
};

/** Packages that more than one file may name. */
const everywhere = new Set(["zod"]);

interface Import {
  readonly file: string;
  readonly target: string;
  /** Imports of types alone cost nothing at run time. */
  readonly isType: boolean;
}

function readSources(): ReadonlyMap<string, string> {
  const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));
  return new Map(files.map((file) => [file, readFileSync(join(root, file), "utf8")]));
}

function importsOf(file: string, text: string): readonly Import[] {
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
        if (path !== "index.js" && path !== `${to}/index.js`) found.push(`${file}: enter ${to} by its index.js only`);
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
      if (name !== "cli") expect([...sources.keys()]).toContain(`${name}/index.ts`);
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
      'import { digest } from "../core/json.js";',
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

  test("the loop fits one screen", () => {
    expect(sources.get("core/loop.ts")?.split("\n").length).toBeLessThanOrEqual(40);
  });
});
