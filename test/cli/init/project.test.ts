import { mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { lookAt, makeProject, type Project } from "../../../src/cli/init/project.js";
import { readTemplate } from "../../../src/cli/init/template.js";

async function emptyFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "lastcall-init-")));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

const agent = readTemplate("agent");
const make = async (folder: string, isNamed = true): Promise<Project> =>
  makeProject(await lookAt(folder, isNamed), agent);
const read = (...path: readonly string[]): Promise<string> => readFile(join(...path), "utf8");

/** All files of the folder with their texts, to see that nothing was touched. */
async function textsIn(folder: string): Promise<Readonly<Record<string, string>>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  return Object.fromEntries(await Promise.all(files.map(async (file) => [file, await read(file)] as const)));
}

/** The refusal, after which the folder is as it was. */
async function refusal(folder: string): Promise<string> {
  const before = await textsIn(folder);
  const said = await make(folder).then(
    () => "made",
    (thrown: unknown) => (thrown as Error).message,
  );
  expect(await textsIn(folder)).toEqual(before);
  return said;
}

test("a folder that is not there is made, with its name in package.json", async () => {
  const folder = join(await emptyFolder(), "deep/my-agent");
  const { made, kept } = await make(folder);
  expect([...made].sort()).toEqual((await readdir(folder)).sort());
  expect(kept).toEqual([]);
  expect(JSON.parse(await read(folder, "package.json"))).toMatchObject({ name: "my-agent", type: "module" });
  expect(await read(folder, "agent.ts")).toBe(agent.files.get("agent.ts"));
});

test("the folder that the command runs in may have any name", async () => {
  const folder = join(await emptyFolder(), "My Things");
  await mkdir(folder);
  await make(folder, false);
  expect(JSON.parse(await read(folder, "package.json"))).toMatchObject({ name: "my-things" });
});

test("a new repository counts as empty, and its files stay", async () => {
  const folder = await emptyFolder();
  await mkdir(join(folder, ".git"));
  await writeFile(join(folder, "README.md"), "# Mine\n");
  await writeFile(join(folder, ".gitignore"), "secret\n");
  const { kept } = await make(folder, false);
  expect(kept).toEqual([".gitignore", "README.md"]);
  expect([await read(folder, "README.md"), await read(folder, ".gitignore")]).toEqual(["# Mine\n", "secret\n"]);
});

test("a folder with files and no package.json is refused, and stays as it is", async () => {
  const folder = await emptyFolder();
  await writeFile(join(folder, "letter.txt"), "Dear");
  expect(await refusal(folder)).toMatch(/is not empty: it has letter\.txt, and no package\.json\. Nothing was changed/);
});

test("a file in the place of the folder is refused", async () => {
  const folder = await emptyFolder();
  await writeFile(join(folder, "agent"), "");
  await expect(lookAt(join(folder, "agent"), true)).rejects.toThrow(/is a file\. Name a folder/);
});

test("a package gets the scripts and packages that it lacks, and keeps its own", async () => {
  const folder = await emptyFolder();
  const own = {
    name: "Shop!",
    type: "module",
    scripts: { start: "node shop.js", test: 'echo "Error: no test specified" && exit 1' },
    dependencies: { lastcall: "0.0.9", express: "^5.0.0" },
    devDependencies: { zod: "4.2.1" },
    "x-own": [1],
  };
  await writeFile(join(folder, "package.json"), `${JSON.stringify(own, null, "\t")}\n`);
  const { made, keptScripts } = await make(folder);
  expect(made).not.toContain("package.json");
  expect(keptScripts).toEqual([["start", agent.manifest.scripts["start"]]]);
  const text = await read(folder, "package.json");
  expect(text).toMatch(/^\{\n\t"name": "Shop!",/);
  expect(JSON.parse(text)).toEqual({
    ...own,
    scripts: { start: "node shop.js", test: agent.manifest.scripts["test"], types: "tsc" },
    dependencies: own.dependencies,
    devDependencies: { ...agent.manifest.devDependencies, zod: "4.2.1" },
  });
});

test.each([
  ["of CommonJS", '{ "name": "x" }', /has no "type": "module".*Nothing was changed.*npm pkg set type=module/],
  ["that is no JSON", "{", /can't be read: .*Mend it first/],
  ["that is a list", "[]", /holds no object/],
])("a package.json %s is refused, and stays as it is", async (_kind, text, words) => {
  const folder = await emptyFolder();
  await writeFile(join(folder, "package.json"), text);
  expect(await refusal(folder)).toMatch(words);
});

test("a file in the way of a template's file is refused before anything is written", async () => {
  const folder = await emptyFolder();
  await writeFile(join(folder, "package.json"), '{ "type": "module" }');
  await writeFile(join(folder, "main.ts"), "mine");
  expect(await refusal(folder)).toMatch(/has main\.ts already, which the template has, too\. Nothing was changed/);
});

test("a project that can't be written whole is not written at all", async () => {
  const folder = await emptyFolder();
  await writeFile(join(folder, "package.json"), '{ "type": "module" }');
  await writeFile(join(folder, ".lastcall"), "a file where a folder has to be");
  const before = await textsIn(folder);
  const making = makeProject(await lookAt(folder, true), readTemplate("coding"));
  await expect(making).rejects.toThrow(/can't be written in .*No file of it is left/);
  expect(await textsIn(folder)).toEqual(before);
});

test("a name that npm refuses is refused before a folder is made", async () => {
  const folder = join(await emptyFolder(), "My Agent");
  await expect(make(folder)).rejects.toThrow(/Take my-agent/);
  await expect(readdir(folder)).rejects.toThrow("ENOENT");
});
