// Tools of one's own: the forms of their modules, what the gate asks about, dry runs, and the messages about mistakes.

import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { call } from "../../../src/testing/index.js";
import { imports, moduleFolder, shout } from "./module-folder.js";

const done = [call("task_completion", { result: "done" })];

test.each([
  ["a tool as the default export", `export default ${shout};`],
  ["a list", `export default [${shout}];`],
  ["a named export", `export const loud = ${shout};`],
  ["a function that is async", `export default async ({ root }) => { if (!root) throw 1; return [${shout}]; };`],
])("a module gives the model its tools: %s", async (_form, source) => {
  await using folder = await moduleFolder();
  const path = await folder.put("tools.mjs", imports + source);
  const { code, stderr, body } = await folder.on([[call("shout", { words: "hey" })], done], ["go", "--tools", path]);
  expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining("ok HEY!") });
  expect(body).toContain('"read_file"');
});

test("a module without imports makes its tools with what it gets, from two modules and one that is named twice", async () => {
  await using folder = await moduleFolder();
  const source = (name: string): string =>
    `export default ({ tool, root }) => tool({ name: "${name}", description: "D", input: { type: "object" }, effect: "none", run: () => root })`;
  const one = await folder.put("one.mjs", source("one"));
  const two = await folder.put("two.mjs", source("two"));
  const args = ["--tools", one, "--tools", two, "--tools", one];
  const { code, stderr } = await folder.on([[call("one"), call("two")], done], ["go", ...args]);
  expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining(`ok ${folder.path}`) });
});

test("the effect of a tool decides whether its call is asked about, and a rule allows it", async () => {
  await using folder = await moduleFolder();
  const source = `export default tool({ name: "send", description: "Sends", input: z.object({}), effect: "network", run: () => "sent" });`;
  const path = await folder.put("tools.mjs", imports + source);
  const script = [[call("send")], done];
  const refused = await folder.on(script, ["go", "--tools", path]);
  expect(refused.stderr).toContain("it uses the network; nobody is there to approve it");
  expect(refused.stderr).toContain("--allow send");
  const { stderr } = await folder.on(script, ["go", "--tools", path, "--allow", "send"]);
  expect(stderr).toContain("ok sent");
});

test("a dry run calls no tool that may change something, lists the call, and calls those that read", async () => {
  await using folder = await moduleFolder();
  const source = `import { writeFileSync } from "node:fs";
    const made = (name, effect) => tool({ name, description: "D", input: z.object({ n: z.int() }), effect,
      run: ({ n }) => { if (effect !== "read") writeFileSync("${folder.path}/harm", ""); return "really " + n; } });
    export default [made("pay", "network"), made("look", "read"), made("undeclared", undefined)];`;
  const path = await folder.put("tools.mjs", imports + source);
  const calls = [call("look", { n: 1 }), call("pay", { n: 2 }), call("undeclared", { n: 3 })];
  const { code, stderr } = await folder.on([...calls.map((one) => [one]), done], ["go", "--tools", path, "--dry-run"]);
  expect(code).toBe(0);
  expect(stderr).toContain("ok really 1");
  expect(stderr).not.toContain("really 2");
  expect(stderr).toContain('call pay {"n":2}\ncall undeclared {"n":3}');
  const { code: unharmed } = await folder.on([done], ["go", "--tools", `${folder.path}/harm`]);
  expect(unharmed).toBe(4);
});

test("no tool writes a module that the command runs, nor a file that it imports, and no command in a sandbox does", async () => {
  await using folder = await moduleFolder();
  const path = await folder.put("tools.mjs", `import "./part.mjs";\n${imports}export default ${shout};`);
  const part = await folder.put("part.mjs", "");
  await folder.put("free.mjs", "");
  const write = (name: string) => [call("write_file", { path: name, content: "evil" })];
  const command = [call("run_command", { command: `node -e "fs.writeFileSync('pa' + 'rt.mjs', 'evil')"` })];
  const script = [write("tools.mjs"), write("part.mjs"), write("free.mjs"), command, done];
  const { stderr } = await folder.on(script, ["go", "--tools", path, "--yes"]);
  expect(stderr.match(/denied This call was not allowed: "(?:tools|part)\.mjs" can't be written/g)).toHaveLength(2);
  expect(stderr).toContain("write_file free.mjs\n      ok");
  if (stderr.includes("(bubblewrap)")) expect(await readFile(part, "utf8")).toBe("");
});

test.each([
  [
    "shout, read_file",
    `export default [${shout}, { ...${shout}, name: "read_file" }];`,
    /the command and \S+tools\.mjs both have a tool named "read_file"\. Rename/,
  ],
  [
    "an ending twice",
    "export default taskCompletion();",
    /the command and \S+tools\.mjs both have a tool named "task_completion"/,
  ],
  ["two of one name", `export default [${shout}, ${shout}];`, /tools\.mjs has two tools named "shout"/],
  ["nothing", "const x = 1;", /tools\.mjs exports nothing\. Export tools: export default tool/],
  ["something else", "export const helper = 1;", /tools\.mjs: the export `helper` is a number\. A tool is what tool\(/],
  [
    "a list of others",
    `export default [${shout}, taskCompletion];`,
    /is a list with a function at index 1\. .*; call this function\./,
  ],
  ["an empty list", "export default [];", /is an empty list\. List the tools, or leave the module out\./],
  ["a function of nothing", "export default () => {};", /the function `default` returned undefined\./],
  [
    "a context",
    `export default tool({ name: "t", description: "T", input: z.object({}), context: z.object({ user: z.string() }), run: () => 1 });`,
    /The tool t needs a context\. Give it as `context` of an agent: --agent FILE\./,
  ],
])("a module that can't be used is refused before the model is asked: %s", async (_what, source, message) => {
  await using folder = await moduleFolder();
  const path = await folder.put("tools.mjs", imports + source);
  const { code, stdout, stderr, requests } = await folder.on([], ["go", "--tools", path]);
  expect({ code, stdout, requests }).toEqual({ code: 4, stdout: "", requests: 0 });
  expect(stderr.trimEnd()).toMatch(message);
  expect(stderr.trimEnd().split("\n")).toHaveLength(1);
});
