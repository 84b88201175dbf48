import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { pages } from "../../../src/cli/args/help-pages.js";
import { templateNames } from "../../../src/cli/args/values.js";
import { ownVersion } from "../../../src/packages/index.js";
import { rangeOf, readTemplate } from "../../../src/cli/init/template.js";
import { temporary } from "../command.js";

const root = resolve(import.meta.dirname, "../../..");

interface Packages {
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}
const manifestAt = (path: string): Packages => JSON.parse(readFileSync(join(root, path), "utf8")) as Packages;
const own = manifestAt("package.json");

test("the package has the templates that the command and its help name, and no others", () => {
  expect(readdirSync(join(root, "templates")).sort()).toEqual([...templateNames].sort());
  expect(pages["init"]?.entries?.map(([name]) => name)).toEqual(templateNames);
});

test("npm create lastcall runs the lastcall of its own version", () => {
  const create = manifestAt("create-lastcall/package.json");
  expect([create.version, create.dependencies["lastcall"]]).toEqual([own.version, own.version]);
});

test.each([
  ["dependencies", "file:../lastcall-0.1.0.tgz", "file:{up}/lastcall-0.1.0.tgz"],
  ["devDependencies", "file:lastcall-0.1.0.tgz", "file:{project}/lastcall-0.1.0.tgz"],
  ["dependencies", "https://host/lastcall.tgz", "https://host/lastcall.tgz"],
  ["dependencies", "github:owner/lastcall", "github:owner/lastcall"],
  ["dependencies", "^0.1.0", "^0.1.3"],
  ["dependencies", undefined, "^0.1.3"],
])(
  "a project named a version that no registry has: with lastcall in %s as %s it names %s",
  async (part, stated, named) => {
    await using folder = await temporary();
    const project = join(folder.path, "project");
    const packages = join(project, "node_modules");
    mkdirSync(packages, { recursive: true });
    if (stated !== undefined)
      writeFileSync(join(project, "package.json"), JSON.stringify({ [part]: { lastcall: stated } }));
    const expected = named.replace("{up}", folder.path).replace("{project}", project);
    expect(rangeOf(join(packages, "lastcall/"), "0.1.3")).toBe(expected);
    expect(rangeOf(join(packages, ".pnpm/lastcall@file/node_modules/lastcall/"), "0.1.3")).toBe(expected);
  },
);

describe.each(templateNames)("the template %s", (name) => {
  const { manifest, files } = readTemplate(name);

  test("has a short page, a test, and the files that its scripts run", () => {
    const texts = [...files.values()].map((text) => text.split("\n").length);
    expect(Math.max(...texts)).toBeLessThan(130);
    expect((files.get("README.md") ?? "").split("\n").length).toBeLessThan(15);
    expect([...files.keys()]).toContain(".gitignore");
    const lines = Object.values(manifest.scripts).join(" ");
    const named = [...lines.matchAll(/(?<![/\w])[\w.-]+\.(?:ts|json)\b/g)].map(([file]) => file);
    expect(named.filter((file) => !files.has(file))).toEqual([]);
    expect(Object.keys(manifest.scripts)).toEqual(expect.arrayContaining(["start", "test", "types"]));
  });

  test("needs the packages that lastcall is tested with", () => {
    const { lastcall, ...others } = { ...manifest.dependencies, ...manifest.devDependencies };
    expect(lastcall).toBe(`file:${root}`);
    const known: Readonly<Record<string, string>> = { ...own.devDependencies, ...own.dependencies };
    const expected = Object.keys(others).map((one) => [one, `^${(known[one] ?? "").replace(/^\^/, "")}`]);
    expect(others).toEqual(Object.fromEntries(expected));
    expect(manifestAt(`templates/${name}/package.json`).dependencies["lastcall"]).toBe(`^${ownVersion()}`);
  });

  test("names no schema and no page that the package lacks", () => {
    const text = [...files].map(([path, content]) => `${dirname(path)}\n${content}`).join("\n");
    const named = [...text.matchAll(/node_modules\/lastcall\/([\w./-]+?)[`'",]?(?=\s|$)/g)].map(
      ([, path = ""]) => path,
    );
    const inPackage = named.map((path) => path.replace(/^dist\/.*/, "package.json"));
    for (const path of inPackage) expect(() => readdirOrFile(join(root, path))).not.toThrow();
  });
});

function readdirOrFile(path: string): unknown {
  return path.includes(".") ? readFileSync(path) : readdirSync(path);
}
