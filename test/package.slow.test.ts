// The package as a stranger gets it: packed, unpacked into an empty strict project, with nothing but what it declares.

import { spawn, spawnSync } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { call, scriptedProvider } from "../src/testing/index.js";

const root = resolve(import.meta.dirname, "..");
const manifest = JSON.parse(await readFile(join(root, "package.json"), "utf8")) as {
  readonly exports: Readonly<Record<string, unknown>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly files: readonly string[];
};
const entries = Object.keys(manifest.exports)
  .filter((entry) => !entry.endsWith(".json"))
  .map((entry) => `lastcall${entry.slice(1)}`);

let project = "";

beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), "lastcall-package-"));
  const packed = spawnSync("npm", ["pack", "--ignore-scripts", "--pack-destination", project], {
    cwd: root,
    encoding: "utf8",
  });
  const tarball = packed.stdout.trim().split("\n").at(-1) ?? "";
  await mkdir(join(project, "node_modules/lastcall"), { recursive: true });
  const unpacked = spawnSync("tar", ["-xzf", tarball, "--strip-components=1", "-C", "node_modules/lastcall"], {
    cwd: project,
  });
  expect(unpacked.status).toBe(0);
  await writeFile(join(project, "package.json"), '{ "name": "stranger", "private": true, "type": "module" }\n');
  for (const name of [...Object.keys(manifest.dependencies), "@types/node", "undici-types"]) {
    const link = join(project, "node_modules", name);
    await mkdir(dirname(link), { recursive: true });
    await symlink(join(root, "node_modules", name), link);
  }
  await writeFile(
    join(project, "tsconfig.json"),
    JSON.stringify({
      compilerOptions: {
        strict: true,
        exactOptionalPropertyTypes: true,
        noUncheckedIndexedAccess: true,
        target: "ES2023",
        module: "NodeNext",
        moduleResolution: "NodeNext",
        types: ["node"],
        skipLibCheck: false,
        skipDefaultLibCheck: true,
        outDir: "out",
      },
      include: ["*.ts"],
    }),
  );
  const imports = entries.map((entry, index) => `import * as entry${String(index)} from "${entry}";`);
  // The entry `lastcall/command` has types alone.
  const names = entries
    .flatMap((entry, index) => (entry === "lastcall/command" ? [] : [`entry${String(index)}`]))
    .join(", ");
  await writeFile(
    join(project, "entries.ts"),
    `${imports.join("\n")}\nconsole.log([${names}].every((entry) => Object.keys(entry).length > 0));\n`,
  );
  const readme = await readFile(join(root, "README.md"), "utf8");
  await writeFile(join(project, "example.ts"), /^```ts\n([^]*?)^```$/m.exec(readme)?.[1] ?? "");
}, 60_000);

afterAll(() => rm(project, { recursive: true, force: true }));

function node(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): { readonly stdout: string; readonly stderr: string } {
  const clean = { PATH: process.env["PATH"] ?? "", ...env };
  const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: project, env: clean, encoding: "utf8" });
  return { stdout, stderr };
}

describe("in an empty strict project", () => {
  test.each(["typescript", "typescript-5.9"])(
    "every entry and the README's example compile with %s, declarations checked",
    (compiler) => {
      const tsc = join(root, "node_modules", compiler, "bin/tsc");
      const { stdout } = node([tsc, "-p", "."]);
      expect(stdout).toBe("");
    },
    120_000,
  );

  test("every entry compiles in a project that has no types of Node or of another package", async () => {
    const compilerOptions = { strict: true, exactOptionalPropertyTypes: true, target: "ES2023", module: "NodeNext" };
    const lib = { lib: ["ES2023", "DOM"], types: [], skipDefaultLibCheck: true, noEmit: true };
    const bare = { compilerOptions: { ...compilerOptions, ...lib }, files: ["entries.ts"] };
    await writeFile(join(project, "bare.json"), JSON.stringify(bare));
    const options = ["-p", "bare.json", "--listFiles", "--extendedDiagnostics"];
    const { stdout } = node([join(root, "node_modules/typescript/bin/tsc"), ...options]);
    const [, listed = "", instantiations] = /^([^]*?)^Files:[^]*^Instantiations: +(\d+)$/m.exec(stdout) ?? [];
    const allowed = /\/node_modules\/lastcall\/dist\/|\/typescript\/lib\/lib\.[^/]+$|\/entries\.ts$/;
    expect(listed.split("\n").filter((line) => line !== "" && !allowed.test(line))).toEqual([]);
    // What the compiler works out for all of our declarations; for those of zod it is 150,000. See docs/performance.md.
    expect(Number(instantiations)).toBeLessThan(4800);
  }, 60_000);

  test("with neither Node's types nor the DOM's, only the two of aborting are missing, as the guide says", async () => {
    const bare = {
      compilerOptions: { strict: true, target: "ES2023", module: "NodeNext", lib: ["ES2023"], types: [], noEmit: true },
      files: ["entries.ts"],
    };
    await writeFile(join(project, "neither.json"), JSON.stringify(bare));
    const { stdout } = node([join(root, "node_modules/typescript/bin/tsc"), "-p", "neither.json"]);
    // The program's own use of `console` is not meant here.
    const missing = [...stdout.matchAll(/\.d\.ts\(\d+,\d+\): error (.*)$/gm)].map(([, problem]) => problem);
    // The last four are for `lastcall/mcp` alone, which speaks HTTP.
    const names = ["AbortSignal", "AbortController", "URL", "fetch", "Request", "Response"];
    expect(new Set(missing)).toEqual(new Set(names.map((name) => `TS2304: Cannot find name '${name}'.`)));
    expect(await readFile(join(root, "docs/guide/1-first-agent.md"), "utf8")).toContain(
      "TS2304: Cannot find name 'AbortSignal'",
    );
  }, 60_000);

  test("every entry imports, and the README's example runs", async () => {
    expect(node(["out/entries.js"])).toEqual({ stdout: "true\n", stderr: "" });
    await using provider = await scriptedProvider([[call("find_order", { id: "7" })], [call("refund", { cents: 5 })]]);
    const env = { PATH: process.env["PATH"], OPENAI_BASE_URL: provider.url, OPENAI_API_KEY: "sk" };
    const child = spawn(process.execPath, ["out/example.js"], { cwd: project, env });
    let stdout = "";
    child.stdout.on("data", (text: Buffer) => (stdout += text.toString()));
    await new Promise((ended) => child.on("close", ended));
    expect(stdout).toBe("refund 5 cents\n");
  });

  test("the command starts", () => {
    expect(node(["node_modules/lastcall/dist/cli/bin.js", "--help"]).stdout).toContain("lastcall");
  });

  test("it holds the build, the pages, the examples and the licence, and no tests", async () => {
    const { stdout } = spawnSync("find", [".", "-type", "f"], {
      cwd: join(project, "node_modules/lastcall"),
      encoding: "utf8",
    });
    const tops = new Set(
      stdout
        .trim()
        .split("\n")
        .map((path) => path.split("/")[1]),
    );
    const pages = [
      ...["CHANGELOG.md", "LICENSE", "README.md", "SECURITY.md", "SKILL.md", "docs", "examples", "llms.txt"],
      "skills",
    ];
    const data = ["openapi.json", "package.json", "schemas", "templates"];
    expect([...tops].sort()).toEqual([...pages, ...data, "dist"].sort());
    expect(stdout.replace(/^\.\/templates\/.*$/gm, "")).not.toMatch(/tsbuildinfo|tsconfig/);
    // Decisions and pictures are a sixth of its size, and nobody reads them in node_modules.
    expect(stdout).not.toMatch(/docs\/(?:adr|api|studio)|\.(?:png|svg)$/m);
  });

  test("every link of its pages leads to a page that it holds, but for decisions, pictures and the page for contributors", async () => {
    const home = join(project, "node_modules/lastcall");
    const files = await readdir(home, { recursive: true });
    const pages = files.filter((file) => file.endsWith(".md"));
    expect(pages.length).toBeGreaterThan(20);
    for (const page of pages) {
      const text = await readFile(join(home, page), "utf8");
      const links = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)[^)]*\)/g)].map(([, link = ""]) => link);
      const inside = links.filter((link) => !/(?:^|\/)adr\/|CONTRIBUTING\.md$|\.(?:png|svg)$/.test(link));
      const dead = inside.filter((link) => !files.includes(join(dirname(page), link)));
      expect({ page, dead }).toEqual({ page, dead: [] });
    }
  });
});

describe("a coding agent that opens the package", () => {
  const home = (): string => join(project, "node_modules/lastcall");

  test("finds a file behind every path of SKILL.md, its parts and llms.txt", async () => {
    const files = await readdir(home(), { recursive: true });
    const parts = files.filter((file) => file.startsWith("skills/"));
    expect(parts.length).toBeGreaterThan(2);
    for (const page of ["SKILL.md", "llms.txt", ...parts]) {
      const text = await readFile(join(home(), page), "utf8");
      const linked = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, link = ""]) => join(dirname(page), link));
      const named = [...text.matchAll(/`((?:dist|docs|examples|skills)\/[^`\s]+\.\w+)`/g)].map(([, path = ""]) => path);
      expect(linked.length).toBeGreaterThan(3);
      expect({ page, dead: [...linked, ...named].filter((path) => !files.includes(path)) }).toEqual({ page, dead: [] });
    }
  });

  test("finds every entry of the package named in SKILL.md", async () => {
    const text = await readFile(join(home(), "SKILL.md"), "utf8");
    const table = /## Which entry\n([^]*?)\n## /.exec(text)?.[1] ?? "";
    const left = entries.filter((entry) => !/`lastcall\/(?:internal|command)`/.test(`\`${entry}\``));
    const missing = left.filter((entry) => !table.includes(`\`${entry}\``) && !table.includes(`\`${entry.slice(9)}\``));
    expect(missing).toEqual([]);
  });

  test("searches and reads the pages by the command, from the folder of its own project", () => {
    const command = ["node_modules/lastcall/dist/cli/bin.js", "docs"];
    expect(node([...command, "generateText"]).stdout).toContain("lastcall docs SKILL#habits-that-go-wrong");
    expect(node([...command, "SKILL#rules"]).stdout).toContain("at least one loop-breaking tool");
    const pages = JSON.parse(node([...command, "--json"]).stdout) as readonly { readonly path: string }[];
    expect(pages.map(({ path }) => path)).toContain("docs/guide/5-checks.md");
  });
});

describe("what each entry loads", () => {
  /** The packages that an import resolves, by a hook on the loader and by what `require` has cached. */
  function loadedBy(entry: string): readonly string[] {
    const hook = `export async function resolve(specifier, context, next) {
      const found = await next(specifier, context);
      if (found.url.includes("/node_modules/")) process._rawDebug("LOADED " + found.url);
      return found;
    }`;
    const program = `
      import { createRequire, register } from "node:module";
      register("data:text/javascript," + encodeURIComponent(${JSON.stringify(hook)}));
      await import(${JSON.stringify(entry)});
      for (const path of Object.keys(createRequire(import.meta.url).cache)) process._rawDebug("LOADED " + path);
      await new Promise((later) => setTimeout(later, 50));`;
    const { stderr } = node(["--input-type=module", "-e", program]);
    const names = [...stderr.matchAll(/^LOADED .*\/node_modules\/(@[^/]+\/[^/]+|[^/]+)\//gm)].map(
      ([, name]) => name ?? "",
    );
    return [...new Set(names)].filter((name) => name !== "lastcall").sort();
  }

  test.each([
    ["lastcall", []],
    ["lastcall/internal", []],
    ["lastcall/mcp", []],
    ["lastcall/command", []],
    ["lastcall/log", ["fast-string-truncated-width", "fast-string-width"]],
    ["lastcall/schema", []],
    ["lastcall/checks", []],
    ["lastcall/memory", []],
    ["lastcall/permission", []],
    ["lastcall/testing", []],
    ["lastcall/model", []],
    ["lastcall/otel", []],
    ["lastcall/postgres", []],
    ["lastcall/ai-sdk", []],
    ["lastcall/server", []],
    ["lastcall/jwt", []],
    ["lastcall/host", []],
    ["lastcall/dbos", []],
    ["lastcall/restate", []],
    ["lastcall/evals", []],
    ["lastcall/tools", ["fastest-levenshtein", "zod"]],
  ])("%s: %j", (entry, packages) => {
    expect(loadedBy(entry)).toEqual(packages);
  });

  test("the list above names every entry", () => {
    expect(entries.length).toBe(21);
  });
});
