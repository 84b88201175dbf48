// Makes the folder for temporary files of all tests, which is removed after them, and the empty folder of test/empty-root.ts. Builds the
// package before the tests if one of the files that run is slow or starts the package: see test/dist.ts.

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import type { TestProject } from "vitest/node";

const dist = resolve(import.meta.dirname, "dist.ts");

export default function setup({ vitest }: TestProject): () => void {
  // A short name: the address of a socket has at most 108 bytes.
  const temporary = realpathSync(mkdtempSync(join(tmpdir(), "lt-")));
  const before = process.env["TMPDIR"];
  process.env["TMPDIR"] = temporary;
  const empty = join(temporary, "empty");
  mkdirSync(empty);
  process.env["TEST_EMPTY_ROOT"] = empty;
  if (vitest.state.getPaths().some((file) => file.endsWith(".slow.test.ts") || imports(file, dist)))
    execFileSync(process.execPath, ["scripts/build.mjs", "--if-changed"], { stdio: "inherit" });
  return () => {
    if (before === undefined) delete process.env["TMPDIR"];
    else process.env["TMPDIR"] = before;
    rmSync(temporary, { recursive: true, force: true, maxRetries: 3 });
  };
}

const seen = new Map<string, boolean>();

/** True if the file imports the other one, or a file of test that does. */
function imports(file: string, wanted: string): boolean {
  if (file === wanted) return true;
  const known = seen.get(file);
  if (known !== undefined) return known;
  // A circle adds nothing.
  seen.set(file, false);
  const found = importsOf(file).some((imported) => imports(imported, wanted));
  seen.set(file, found);
  return found;
}

/** The files of test that the file imports. */
function importsOf(file: string): readonly string[] {
  const paths = readFileSync(file, "utf8").matchAll(/^(?:import|export)\b[^;"]*?"(\.[^"]+)";$/gm);
  return [...paths]
    .map(([, path]) => resolve(dirname(file), path!.replace(/\.js$/, ".ts")))
    .filter((path) => path.startsWith(`${import.meta.dirname}/`) && existsSync(path));
}
