// The first release needs an address that only its owner knows.

import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";

const root = resolve(import.meta.dirname, "..");
const script = join(root, "scripts/release.mjs");

/** A folder with the files that the script reads. */
function copy(): string {
  const folder = mkdtempSync(join(tmpdir(), "lastcall-release-"));
  onTestFinished(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  for (const path of ["package.json", "create-lastcall/package.json", "scripts/published.mjs"]) {
    mkdirSync(resolve(folder, path, ".."), { recursive: true });
    cpSync(join(root, path), join(folder, path));
  }
  return folder;
}

function release(
  folder: string,
  ...words: readonly string[]
): { readonly status: number | null; readonly stderr: string } {
  return spawnSync(process.execPath, [script, "--root", folder, ...words], { encoding: "utf8" });
}

test("npm publish is refused until the repository is stated", () => {
  const folder = copy();
  expect(release(folder, "--check")).toMatchObject({
    status: 1,
    stderr: expect.stringContaining("--repository") as string,
  });
  expect(release(folder, "--repository", "no address")).toMatchObject({ status: 1 });
  execFileSync(process.execPath, [script, "--root", folder, "--repository", "someone/lastcall"]);
  expect(release(folder, "--check")).toMatchObject({ status: 0 });
  const read = (path: string): unknown => JSON.parse(readFileSync(join(folder, path), "utf8"));
  const url = "git+https://github.com/someone/lastcall.git";
  expect(read("package.json")).toMatchObject({
    name: "lastcall",
    repository: { url },
    bugs: expect.anything() as unknown,
  });
  expect(read("create-lastcall/package.json")).toMatchObject({ repository: { url, directory: "create-lastcall" } });
});

test("both packages are published with their provenance", () => {
  for (const path of ["package.json", "create-lastcall/package.json"]) {
    const manifest = JSON.parse(readFileSync(join(root, path), "utf8")) as Readonly<Record<string, unknown>>;
    expect(manifest).toMatchObject({ publishConfig: { access: "public", provenance: true } });
    expect(manifest["keywords"]).toContain("agent");
  }
});
