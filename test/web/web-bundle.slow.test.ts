// The bundle for runtimes without Node: it has every name, nothing of Node, and it runs.

import { execFile } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { call } from "../../src/testing/index.js";
import "../dist.js";
import { openBrowser, openPage, withoutBrowser } from "../studio/browser.js";
import { filesForPages, providerForPages } from "./places.js";

const root = resolve(import.meta.dirname, "../..");

interface Conditions {
  readonly browser?: string;
  readonly default: string;
}

const { exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  readonly exports: Readonly<Record<string, Conditions | string>>;
};

/** The entries that have a bundle for browsers: name, file for browsers, file for Node. */
const entries = Object.entries(exports).flatMap(([name, file]) =>
  typeof file === "object" && file.browser !== undefined ? [[name, file.browser, file.default] as const] : [],
);

const load = async (file: string): Promise<Readonly<Record<string, unknown>>> =>
  (await import(join(root, file))) as Readonly<Record<string, unknown>>;

/** The texts after `from` and in `import()` of a chunk. */
function importsIn(file: string): readonly string[] {
  const text = readFileSync(file, "utf8");
  const found = [
    ...text.matchAll(/^(?:import|export)\b[^;]*?from "([^"]+)";|^import "([^"]+)";|\bimport\("([^"]+)"\)/gm),
  ];
  return found.map(([, from, alone, late]) => from ?? alone ?? late!);
}

/** The map of the packages that the bundle imports, for pages. */
const importMap = {
  ...Object.fromEntries(entries.map(([name, file]) => [name.replace(/^\./, "lastcall"), file.slice(1)])),
  zod: "/node_modules/zod/index.js",
  "@cfworker/json-schema": "/node_modules/@cfworker/json-schema/dist/esm/index.js",
};

const expected = [
  { status: "completed", value: { result: "3" } },
  { status: "completed", value: { result: "9" } },
  { records: true },
];

test("eleven entries have a bundle for browsers, workerd and edge functions", () => {
  expect(entries.map(([name]) => name)).toEqual([
    ...[".", "./schema", "./model", "./ai-sdk", "./tools", "./checks", "./memory", "./testing", "./evals", "./server"],
    "./host",
  ]);
});

test.each(entries)("%s has the same names as on Node", async (_name, web, node) => {
  expect(Object.keys(await load(web)).sort()).toEqual(Object.keys(await load(node)).sort());
});

test("no file of the bundle imports a module of Node, and each package that it imports is a dependency", () => {
  const files = readdirSync(join(root, "dist/web"), { recursive: true, encoding: "utf8" });
  const found = files.filter((file) => file.endsWith(".js")).flatMap((file) => importsIn(join(root, "dist/web", file)));
  const packages = new Set(found.filter((name) => !name.startsWith(".")));
  expect([...packages].sort()).toEqual(["@cfworker/json-schema", "fast-xml-parser", "openai/error", "zod"]);
});

test("an export that needs files says so when it is called", async () => {
  const { fileStore } = (await load("dist/web/memory/index.js")) as { readonly fileStore: (folder: string) => unknown };
  expect(() => fileStore("/tmp")).toThrow(
    "fileStore needs files, processes or a server of its own, which this runtime does not have. It runs on Node, Bun and Deno.",
  );
});

describe("an agent with a session, and a provider over HTTP", () => {
  const answers = (): ReturnType<typeof providerForPages> =>
    providerForPages(() => [call("task_completion", { result: "9" })]);

  test("run without the global `process`", async () => {
    await using provider = await answers();
    const program = join(import.meta.dirname, "without-node.mjs");
    const run = promisify(execFile);
    const { stdout } = await run(process.execPath, ["--conditions=browser", program, provider.url], { cwd: root });
    expect(JSON.parse(stdout)).toEqual(expected);
  });

  test.skipIf(withoutBrowser !== "")(`run in a page of another origin${withoutBrowser}`, async () => {
    await using provider = await answers();
    await using files = await filesForPages(importMap);
    const browser = await openBrowser();
    try {
      const { page, errors } = await openPage(browser);
      await page.goto(files.url);
      // A text: vitest would rewrite the import of a function.
      const program = `import("/test/web/hello.mjs").then(({ hello }) => hello(${JSON.stringify(provider.url)}))`;
      const got: unknown = await page.evaluate(program);
      expect(got).toEqual(expected);
      expect(errors).toEqual([]);
    } finally {
      await browser.close();
    }
  });
});
