// Loading a module: the files that are none, errors with their place, packages that are missing, and TypeScript.

import { expect, test } from "vitest";
import { call } from "../../../src/testing/index.js";
import { imports, moduleFolder, shout } from "./module-folder.js";

const done = [call("task_completion", { result: "done" })];

/** True if this Node runs TypeScript: from 22.18 on. */
const runsTypes = Boolean((process.features as { readonly typescript?: unknown }).typescript);

test.each([
  ["gone.mjs", undefined, "gone.mjs: there is no such file."],
  ["node_modules", undefined, "node_modules is no file, and a module has to be one."],
  ["tools.json", "{}", "tools.json is no module: its name has to end with .js, .mjs, .cjs, .ts, .mts, .cts."],
  [
    "tools.mjs",
    "\nexport default (;",
    "tools.mjs can't be loaded: SyntaxError: Unexpected token ';'. To see the place: node --check",
  ],
  ["tools.mjs", "\n\nthrow new TypeError('too early');", "tools.mjs can't be loaded: TypeError: too early (line 3)."],
  [
    "tools.mjs",
    "export default () => {\n  throw new Error('no key');\n};",
    "tools.mjs: its function threw Error: no key (line 2).",
  ],
  ["tools.mjs", "import 'not-there';", "tools.mjs imports not-there, which is not installed there. Install it: cd "],
  ["tools.mjs", "import './other.mjs';", "tools.mjs can't be loaded: Error: Cannot find module"],
])("what can't be loaded is refused with the reason: %s, %s", async (name, source, message) => {
  await using folder = await moduleFolder();
  if (source !== undefined) await folder.put(name, source);
  const { code, stderr } = await folder.built([], ["go", "--tools", `${folder.path}/${name}`]);
  expect({ code, stderr }).toEqual({ code: 4, stderr: expect.stringContaining(message) });
});

test("a module in CommonJS is loaded, also if a compiler wrote it", async () => {
  await using folder = await moduleFolder();
  const plain = `module.exports = ({ tool }) => tool({ name: "one", description: "D", input: { type: "object" }, run: () => 1 });`;
  const compiled = `exports.__esModule = true; exports.default = ({ tool }) => tool({ name: "two", description: "D", input: { type: "object" }, run: () => 2 });`;
  const args = ["--tools", await folder.put("one.cjs", plain), "--tools", await folder.put("two.cjs", compiled)];
  const { code, stderr } = await folder.built([[call("one"), call("two")], done], ["go", ...args]);
  expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining("ok 2") });
});

test("TypeScript is loaded by a Node that runs it, and by any other refused with what to do", async () => {
  await using folder = await moduleFolder();
  const path = await folder.put("tools.ts", `${imports}const one: unknown = ${shout};\nexport default one;`);
  const { code, stderr } = await folder.built([[call("shout", { words: "hey" })], done], ["go", "--tools", path]);
  if (runsTypes) expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining("ok HEY!") });
  else {
    expect(code).toBe(4);
    expect(stderr).toContain(`tools.ts is TypeScript, which Node ${process.versions.node} does not run.`);
    expect(stderr).toContain("Use Node 22.18 or later, or compile");
  }
});
