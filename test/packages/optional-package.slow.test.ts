// Optional packages, as a user's folder has them beside lastcall: missing ones, some that do not fit, and some that do not load.

import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { afterAll, expect, test } from "vitest";
import { temporary } from "../cli/command.js";
import { dist } from "../dist.js";

const root = resolve(import.meta.dirname, "../..");
const world = await temporary();
const modules = join(world.path, "node_modules");
afterAll(() => world[Symbol.asyncDispose]());

cpSync(dist, join(modules, "lastcall/dist"), { recursive: true });
cpSync(join(root, "package.json"), join(modules, "lastcall/package.json"));
const { dependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  readonly dependencies: Readonly<Record<string, string>>;
};
for (const name of Object.keys(dependencies)) {
  mkdirSync(dirname(join(modules, name)), { recursive: true });
  symlinkSync(join(root, "node_modules", name), join(modules, name));
}

/** Functions that need a package. */
const functions = {
  mcpTools: { of: "mcp", name: "@modelcontextprotocol/client", call: 'mcpTools({ name: "a", command: "none" })' },
  otel: { of: "otel", name: "@opentelemetry/api", call: "otel()" },
  jwt: {
    of: "jwt",
    name: "jose",
    call: `jwt({ issuer: "i", audience: "a", jwksUrl: "https://a.example/" })(
      new Request("http://localhost/", { headers: { authorization: "Bearer a.b.c" } }))`,
  },
} as const;

/** Calls the function beside a package with these files. Returns the code and the message of its error. */
function errorOf(which: keyof typeof functions, files: Readonly<Record<string, string>>): string {
  const { of, name, call } = functions[which];
  const home = join(modules, name);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), text);
  }
  const program = `import { ${which} } from "lastcall/${of}";
    await ${call}.catch(({ code, message }) => console.log(code + ": " + message));`;
  try {
    const args = ["--input-type=module", "--eval", program];
    return execFileSync(process.execPath, args, { cwd: world.path, encoding: "utf8" }).trim();
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

function packageOf(which: keyof typeof functions, version: string, source = ""): Readonly<Record<string, string>> {
  return {
    "package.json": JSON.stringify({ name: functions[which].name, version, type: "module", exports: "./lib/index.js" }),
    "lib/index.js": source,
    // Many packages have such a file beside their modules.
    "lib/package.json": '{ "type": "module" }',
  };
}

test.each([
  ["mcpTools", "2.3.9", "2.4 or later, and 2.3.9 is installed: npm install @modelcontextprotocol/client@2"],
  ["mcpTools", "1.29.0", "2.4 or later, and 1.29.0 is installed: npm install @modelcontextprotocol/client@2"],
  ["jwt", "5.10.0", "6 or later, and 5.10.0 is installed: npm install jose@6"],
  ["otel", "1.8.0", "1.9 or later, and 1.8.0 is installed: npm install @opentelemetry/api@1"],
] as const)("%s says that the version %s of its package does not fit", (which, version, words) => {
  const { name } = functions[which];
  const neededBy = which === "otel" ? "lastcall/otel" : which;
  expect(errorOf(which, packageOf(which, version))).toBe(
    `configuration: ${neededBy} needs the package ${name} ${words}`,
  );
});

test.each(["2.4.0", "2.11.0", "3.0.0-beta.1", "next"])("a package of the version %s is loaded", (version) => {
  const loaded = errorOf("mcpTools", packageOf("mcpTools", version, 'throw new Error("It was loaded.");'));
  expect(loaded).toContain("can't be loaded: It was loaded.");
});

test("a missing package is told with the line that installs it", () => {
  const missing = "which is not installed: npm install @modelcontextprotocol/client@2";
  expect(errorOf("mcpTools", {})).toBe(
    `configuration: mcpTools needs the package @modelcontextprotocol/client, ${missing}`,
  );
});

test("jwt without its package says so with the first token", () => {
  const missing = "which is not installed: npm install jose@6";
  expect(errorOf("jwt", {})).toBe(`configuration: jwt needs the package jose, ${missing}`);
});

test("a package that lacks a package of its own is not told as missing", () => {
  const said = errorOf("mcpTools", packageOf("mcpTools", "2.5.0", 'import "no-such-package";'));
  expect(said).toMatch(
    /^configuration: The package @modelcontextprotocol\/client, .* can't be loaded: .*no-such-package/,
  );
});

test("npm was told of versions, and refused to install lastcall beside older packages that it did not use", () => {
  const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    readonly peerDependencies: Readonly<Record<string, string>>;
    readonly peerDependenciesMeta: Readonly<Record<string, object>>;
  };
  expect(new Set(Object.values(manifest.peerDependencies))).toEqual(new Set(["*"]));
  expect(Object.keys(manifest.peerDependenciesMeta)).toEqual(Object.keys(manifest.peerDependencies));
});
