// The files of a module: found by the relative paths in it, in circles too, and one digest for all of them.

import { expect, test } from "vitest";
import { digestOfFiles, moduleFiles } from "../../../src/cli/code/module-files.js";
import { moduleFolder } from "../modules/module-folder.js";

test("files are found that a module imports, in every way that names them by a relative path", async () => {
  await using folder = await moduleFolder();
  const path = await folder.put(
    "tools.ts",
    `import a from "./a.js";\nexport * from './lib/index.mjs';\nconst b = await import(\`./b\`);\nconst data = require("./data.json");\nimport { z } from "zod";\n"./not-there.js";`,
  );
  await folder.put("a.ts", 'import "./tools.ts";');
  await folder.put("lib/index.mjs", 'import "../deep.mjs";');
  await folder.put("deep.mjs", "");
  await folder.put("b.ts", "");
  await folder.put("data.json", '{"x": "./b.ts"}');
  await folder.put("unused.ts", "");
  const found = (await moduleFiles(path)).files.map((file) => file.path.slice(folder.path.length + 1));
  expect([...found].sort()).toEqual(["a.ts", "b.ts", "data.json", "deep.mjs", "lib/index.mjs", "tools.ts"]);
});

test("the digest changes with each text and with each path", async () => {
  const one = { path: "/a", text: "x" };
  const digests = [[one], [{ ...one, text: "y" }], [{ ...one, path: "/b" }], [one, one]].map(digestOfFiles);
  expect(new Set(digests).size).toBe(4);
});

test("a module of more than 200 files, and one that can't be read, are refused", async () => {
  await using folder = await moduleFolder();
  for (let index = 0; index <= 200; index += 1)
    await folder.put(`f${String(index)}.mjs`, `import "./f${String(index + 1)}.mjs";`);
  await expect(moduleFiles(`${folder.path}/f0.mjs`)).rejects.toThrow("consists of more than 200 files");
  await expect(moduleFiles(`${folder.path}/gone.mjs`)).rejects.toThrow("gone.mjs: there is no such file.");
});
