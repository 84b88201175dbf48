// Escape: no path lets a tool change or reveal anything outside its root.

import { execFileSync } from "node:child_process";
import { lstat, mkdir, readdir, readFile as read, rm, symlink, truncate, writeFile as write } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { isStrangeOnWindows } from "../../src/files/index.js";
import { dryRun, workspaceTools, type WorkspaceTools } from "../../src/tools/index.js";
import { without } from "../programs.js";
import { call, makeFolder } from "./fixture.js";

const secret = "TOP-SECRET";

async function makeOutside(folder: string): Promise<void> {
  await mkdir(join(folder, "src"), { recursive: true });
  await write(join(folder, "only-outside.txt"), secret);
  await write(join(folder, "a.txt"), secret);
  await write(join(folder, "src/a.txt"), secret);
}

/** A root with many links and paths that lead outside. */
async function makeRoot(root: string, outside: string): Promise<void> {
  await rm(root, { recursive: true, force: true });
  await mkdir(join(root, "src"), { recursive: true });
  await write(join(root, "a.txt"), "inside");
  await write(join(root, "src/a.txt"), "inside");
  await write(join(root, "caf\u00e9"), "inside");
  const links = {
    out: outside,
    file: join(outside, "a.txt"),
    up: "..",
    in: "src",
    loop: "loop",
    dangling: join(outside, "new"),
    hop: "up/work-evil",
  };
  for (const [name, target] of Object.entries(links)) await symlink(target, join(root, name));
}

/** Everything observable of a folder, including the times of changes. */
async function photograph(folder: string): Promise<readonly string[]> {
  const names = (await readdir(folder, { recursive: true })).sort();
  return Promise.all(
    ["", ...names].map(async (name) => {
      const stats = await lstat(join(folder, name), { bigint: true });
      const content = stats.isFile() ? await read(join(folder, name), "utf8") : "";
      return `${name} ${String(stats.mode)} ${String(stats.mtimeNs)} ${String(stats.ino)} ${content}`;
    }),
  );
}

const names = [
  "..",
  ".",
  "",
  "a.txt",
  "src",
  "SRC",
  "A.TXT",
  "new",
  "out",
  "file",
  "up",
  "in",
  "loop",
  "dangling",
  "hop",
  "work",
  "work-evil",
];
const odd = [
  "~",
  "caf\u00e9",
  "cafe\u0301",
  "CON",
  "nul.txt",
  "a.txt.",
  "a.txt ",
  "...",
  ".. ",
  "%2e%2e",
  "..%2f",
  "[a].txt",
  "*",
  "a\0",
  "-rf",
  "C:",
  "a.txt:x",
];
const component = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...names) },
  { weight: 1, arbitrary: fc.constantFrom(...odd) },
);

test("no combination of path parts changes the outside or reveals anything of it", async () => {
  const world = await makeFolder();
  const [root, outside, home] = [join(world, "work"), join(world, "work-evil"), join(world, "home")];
  await makeOutside(outside);
  await makeOutside(home);
  const usual = process.env["HOME"];
  process.env["HOME"] = home;
  onTestFinished(() => {
    process.env["HOME"] = usual;
  });
  const beginning = fc.constantFrom(
    "",
    "",
    "",
    "./",
    "~/",
    `${root}/`,
    `${outside}/`,
    `${world}/`,
    "../work/",
    "../work-evil/",
  );
  const path = fc
    .tuple(beginning, fc.array(component, { minLength: 1, maxLength: 5 }), fc.constantFrom("/", "/", "/", "\\", "//"))
    .map(([start, parts, separator]) => start + parts.join(separator));
  const before = [await photograph(outside), await photograph(home)];
  const top = await readdir(world);
  let reads = 0;
  const property = fc.asyncProperty(path, path, fc.boolean(), async (one, other, isDry) => {
    await makeRoot(root, outside);
    const tools = workspaceTools({ root, searchWith: "javascript", ...(isDry && { files: dryRun() }) });
    for (const work of callsOf(tools, one, other)) {
      const said = await work().catch((thrown: unknown) => String(thrown));
      expect(said).not.toContain(secret);
      expect(said).not.toContain("only-outside");
      if (said.includes("inside")) reads += 1;
    }
    expect([await photograph(outside), await photograph(home)]).toEqual(before);
    expect((await readdir(world)).sort()).toEqual([...new Set([...top, "work"])].sort());
  });
  await fc.assert(property, { numRuns: 80 });
  expect(reads).toBeGreaterThan(20);
}, 60_000);

/** The calls. Reads come first, because the others delete the files. */
function callsOf(tools: WorkspaceTools, path: string, other: string): readonly (() => Promise<string>)[] {
  const [readFile, writeFile, editFile, listFiles, searchFiles, moveFile, deleteFile] = tools;
  return [
    () => call(readFile, { path }),
    () => call(listFiles, { path }),
    () => call(searchFiles, { path, pattern: "." }),
    () => call(editFile, { path, edits: [{ search: secret, replace: "owned" }] }),
    () => call(editFile, { path, edits: [{ search: "inside", replace: "edited" }] }),
    () => call(moveFile, { from: path, to: other }),
    () => call(moveFile, { from: other, to: path, overwrite: true }),
    () => call(writeFile, { path, content: "owned" }),
    () => call(deleteFile, { path: other }),
    () => call(deleteFile, { path }),
  ];
}

test("encoded paths are not decoded, and characters of patterns are plain characters", async () => {
  const root = await makeFolder();
  const [readFile, writeFile, editFile, listFiles] = workspaceTools({ root });
  for (const path of ["%2e%2e%2fa.txt", "[a].ts", "*", "{a,b}.ts", "a b?.ts", "!x", "#y"]) {
    await call(writeFile, { path, content: "old" });
    await call(editFile, { path, edits: [{ search: "old", replace: "new" }] });
    expect(await call(readFile, { path })).toBe("1\tnew");
  }
  await write(join(root, "a.ts"), "other");
  expect(await call(readFile, { path: "[a].ts" })).toBe("1\tnew");
  expect((await call(listFiles, {})).split("\n")).toHaveLength(8);
  await expect(call(readFile, { path: "~/x" })).rejects.toThrow("outside the workspace");
  await expect(call(readFile, { path: "~" })).rejects.toThrow("outside the workspace");
});

/** Calls six tools on each path, and expects short results. */
async function expectShortWords(root: string, paths: readonly string[]): Promise<void> {
  const tools = workspaceTools({ root });
  for (const path of paths) {
    for (const work of callsOf(tools, path, "none").slice(0, 6)) {
      const said = await work().catch((thrown: unknown) => String(thrown));
      expect(said.length).toBeLessThan(1000);
    }
  }
}

const noPipe = without("mkfifo");
test.skipIf(noPipe)(`a named pipe makes nobody wait, whichever tool meets it${noPipe}`, async () => {
  const root = await makeFolder();
  execFileSync("mkfifo", [join(root, "pipe")]);
  const began = performance.now();
  await expectShortWords(root, ["pipe"]);
  expect(performance.now() - began).toBeLessThan(20_000);
});

test("no tool waits for a file without an end", async () => {
  const root = await makeFolder();
  await symlink("/dev/zero", join(root, "zero"));
  await symlink("/", join(root, "everything"));
  await symlink("loop", join(root, "loop"));
  await write(join(root, "huge"), "");
  await truncate(join(root, "huge"), 2 * 1024 ** 3);
  const began = performance.now();
  await expectShortWords(root, ["zero", "/dev/zero", "huge", "loop", "everything"]);
  expect(await call(workspaceTools({ root })[3], {})).toContain("everything (symbolic link)");
  expect(performance.now() - began).toBeLessThan(20_000);
});

test("names that mean something else to Windows are known", () => {
  for (const path of [
    "CON",
    "a/nul",
    "aux.txt",
    "com1",
    "LPT9.log",
    "a.",
    "a ",
    "b./c",
    "a:stream",
    "C:\\x\\prn",
    "con .txt",
  ])
    expect([path, isStrangeOnWindows(path)]).toEqual([path, true]);
  for (const path of ["console", "a/null", ".", "..", "../a", "C:\\x", "c:/a.b", ".env", "com", "lpt10"])
    expect([path, isStrangeOnWindows(path)]).toEqual([path, false]);
});
