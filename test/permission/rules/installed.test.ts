// Programs that a version manager chooses by files of the workspace.

import { mkdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeScene, type Files } from "../scene.js";

const chosen: readonly (readonly [command: string, files: Files])[] = [
  ["python3 --version", { ".python-version": "../../evil\n" }],
  ["jq . a.json", { ".tool-versions": "jq path:./evil\n" }],
  ["rg x src", { "mise.toml": "" }],
  ["find src | xargs cat", { "src/.tool-versions": "" }],
];

test.each(chosen)("%s is asked about if a file chooses what the shim runs", async (command, files) => {
  const scene = makeScene({ "src/a": "x", "a.json": "{}", ...files }, "xargs echo");
  const shims = join(scene.bin, "../manager/shims");
  mkdirSync(shims, { recursive: true });
  for (const name of ["python3", "jq", "rg", "find", "cat"]) writeFileSync(join(shims, name), "", { mode: 0o755 });
  process.env["PATH"] = `${shims}:${scene.bin}`;
  const isBelow = Object.keys(files).some((name) => name.startsWith("src/"));
  expect(await scene.runs(command)).toBe(isBelow);
  for (const name of Object.keys(files)) renameSync(join(scene.root, name), join(scene.root, "renamed"));
  expect(await scene.runs(command)).toBe(true);
});

test("a toolchain file is heeded by the programs of rustup, which are links to it, and by others of that name", async () => {
  const scene = makeScene({ "a/rust-toolchain.toml": "[toolchain]\npath = 'evil'\n" }, "rustup other");
  symlinkSync("rustup", join(scene.bin, "cargo"));
  symlinkSync("other", join(scene.bin, "rustc"));
  expect(await scene.runs("cargo --version && rustc -vV")).toBe(true);
  renameSync(join(scene.root, "a/rust-toolchain.toml"), join(scene.root, "rust-toolchain.toml"));
  expect(await scene.question("cargo --version")).toContain("rust-toolchain.toml");
  expect(await scene.question("rustc -vV")).toContain("rust-toolchain.toml");
});

test("a file above the workspace chooses as well", async () => {
  const scene = makeScene({ a: "" }, "rustc");
  expect(await scene.runs("rustc --version")).toBe(true);
  writeFileSync(join(scene.root, "../rust-toolchain"), "");
  expect(await scene.runs("rustc --version")).toBe(false);
});
