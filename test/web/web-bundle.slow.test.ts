// The bundle for runtimes without Node: it has every name, nothing of Node, and it runs.

import { execFile } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { describe, expect, test } from "vitest";
import type * as Jwt from "../../src/jwt/index.js";
import type * as Server from "../../src/server/index.js";
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

test("twelve entries have a bundle for browsers, workerd and edge functions", () => {
  expect(entries.map(([name]) => name)).toEqual([
    ...[".", "./schema", "./model", "./ai-sdk", "./tools", "./checks", "./memory", "./testing", "./evals", "./server"],
    ...["./jwt", "./host"],
  ]);
});

test.each(entries)("%s has the same names as on Node", async (_name, web, node) => {
  expect(Object.keys(await load(web)).sort()).toEqual(Object.keys(await load(node)).sort());
});

test("no file of the bundle imports a module of Node, and each package that it imports is a dependency, or the optional package of lastcall/jwt", () => {
  const files = readdirSync(join(root, "dist/web"), { recursive: true, encoding: "utf8" });
  const found = files.filter((file) => file.endsWith(".js")).flatMap((file) => importsIn(join(root, "dist/web", file)));
  const packages = new Set(found.filter((name) => !name.startsWith(".")));
  expect([...packages].sort()).toEqual(["@cfworker/json-schema", "fast-xml-parser", "jose", "openai/error", "zod"]);
});

test("tokens, cookies and JWT say who asks without Node", async () => {
  const { bearerTokens, signedCookie } = (await load("dist/web/server/index.js")) as Pick<
    typeof Server,
    "bearerTokens" | "signedCookie"
  >;
  const { jwt } = (await load("dist/web/jwt/index.js")) as typeof Jwt;
  const requestWith = (name: string, value: string): Request =>
    new Request("http://localhost/", { headers: { [name]: value } });
  const token = "a-token-that-nobody-guesses";
  const ofTokens = bearerTokens([{ token, principal: { id: "ann" } }]);
  expect(ofTokens(requestWith("authorization", `Bearer ${token}`))).toEqual({ id: "ann" });
  const cookie = signedCookie({ secrets: ["a-secret-of-at-least-32-characters"] });
  const [brought = ""] = (await cookie.set({ id: "änn" })).split(";");
  expect(await cookie.authenticate(requestWith("cookie", brought))).toEqual({ id: "änn" });
  expect(await cookie.authenticate(requestWith("cookie", `${brought.slice(0, -3)}AAA`))).toBeUndefined();
  const { privateKey, publicKey } = await generateKeyPair("ES256");
  const ofJwt = jwt({ issuer: "i", audience: "a", keys: [await exportJWK(publicKey)] });
  const made = new SignJWT({ iss: "i", aud: "a", sub: "ann" }).setExpirationTime("1m");
  const signed = await made.setProtectedHeader({ alg: "ES256" }).sign(privateKey);
  expect(await ofJwt(requestWith("authorization", `Bearer ${signed}`))).toEqual({ id: "ann" });
  expect(await ofJwt(requestWith("authorization", `Bearer ${signed.slice(0, -4)}`))).toBeUndefined();
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
