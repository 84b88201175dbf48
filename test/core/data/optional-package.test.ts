// Optional packages: a missing package, a package that lacks one of its own, and a package that fails while it loads.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { loadOptional } from "../../../src/core/internal.js";
import { temporary } from "../../cli/command.js";

async function load(files: Readonly<Record<string, string>>): Promise<unknown> {
  await using folder = await temporary();
  const home = join(folder.path, "node_modules/wanted");
  mkdirSync(home, { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(home, name), text);
  const main = join(folder.path, "main.mjs");
  writeFileSync(main, 'export const load = () => import("wanted");\n');
  // Node's own import, which the test runner does not change.
  const { load } = (await import(/* @vite-ignore */ pathToFileURL(main).href)) as {
    readonly load: () => Promise<object>;
  };
  return await loadOptional({ name: "wanted", neededBy: "the test", install: "npm install wanted@2" }, load);
}

const manifest = JSON.stringify({ name: "wanted", version: "1.0.0", type: "module", exports: "./index.js" });

test("a package that is there is loaded", async () => {
  expect(await load({ "package.json": manifest, "index.js": "export const is = 1;" })).toMatchObject({ is: 1 });
});

test.each<[string, Readonly<Record<string, string>>, RegExp]>([
  ["is missing", {}, /^the test needs the package wanted, which is not installed: npm install wanted@2$/],
  [
    "lacks a package of its own",
    { "package.json": manifest, "index.js": 'import "no-such-package";' },
    /^The package wanted, which the test needs, can't be loaded: .*no-such-package/,
  ],
  [
    "fails while it loads",
    { "package.json": manifest, "index.js": 'throw new Error("Node is too old");' },
    /^The package wanted, which the test needs, can't be loaded: .*Node is too old/,
  ],
])("a package that %s is told as that", async (_what, files, words) => {
  await expect(load(files)).rejects.toMatchObject({
    code: "configuration",
    message: expect.stringMatching(words) as unknown,
  });
});
