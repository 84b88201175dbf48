// The coding agent: a real failing test, which a machine says is mended; and what it may not do.

import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { call, scriptedProvider } from "../../src/testing/index.js";
import { printed, projectWith, type Project } from "./example.js";

const broken = "export const add = (a, b) => a - b;\n";
const testText = `import assert from "node:assert";\nimport { test } from "node:test";\nimport { add } from "../add.js";
test("adds", () => assert.equal(add(2, 3), 5));\n`;

/** Puts a small project with a failing test into the folder `sums`. */
async function writeSums({ path }: Project): Promise<string> {
  const folder = join(path, "sums");
  await mkdir(join(folder, "test"), { recursive: true });
  await writeFile(join(folder, "package.json"), '{ "type": "module", "scripts": { "test": "node --test" } }\n');
  await writeFile(join(folder, "add.js"), broken);
  await writeFile(join(folder, "test/add.test.js"), testText);
  return folder;
}

const mend = call("edit_file", { path: "add.js", edits: [{ search: "a - b", replace: "a + b" }] });
const done = [call("task_completion", { result: "add.js adds again." })];

test("it is done when the test passes and not when the model says so, and prints what the page says", async () => {
  await using project = await projectWith("coding-agent");
  const folder = await writeSums(project);
  await using provider = await scriptedProvider([
    done,
    [call("read_file", { path: "add.js" }), call("run_command", { command: "npm test" })],
    [mend],
    done,
  ]);
  const { code, stdout, stderr } = await project.run(["sums"], provider);
  expect(stderr.replace(/^No sandbox: .*\n/, "")).toBe(printed("coding-agent")[0]);
  expect([code, stdout]).toEqual([0, printed("coding-agent")[1]]);
  expect(await readFile(join(folder, "add.js"), "utf8")).toBe("export const add = (a, b) => a + b;\n");
  expect(provider.requests[1]?.body.messages.at(-1)?.["content"]).toContain("check_failed");
  expect(provider.requests[2]?.body.messages.at(-1)?.["content"]).toContain("exit code 1");
});

test("a command that nobody approves is not run, and a test that was edited is no proof", async () => {
  await using project = await projectWith("coding-agent");
  const folder = await writeSums(project);
  await using provider = await scriptedProvider([
    [call("run_command", { command: "curl https://example.com" })],
    [call("write_file", { path: "test/add.test.js", content: "// It is fine.\n" })],
    done,
    [call("give_up", { reason: "I may not change the test." })],
  ]);
  const { code, stdout } = await project.run(["sums"], provider);
  expect(code).toBe(2);
  expect(stdout).toContain("stopped: the model gave up by give_up");
  expect(provider.requests[1]?.body.messages.at(-1)?.["content"]).toContain("not approved");
  expect(provider.requests[3]?.body.messages.at(-1)?.["content"]).toContain("test/add.test.js");
  expect(await readFile(join(folder, "add.js"), "utf8")).toBe(broken);
});

test("tests that run in the background hold up the claim, and their result comes as a notice", async () => {
  await using project = await projectWith("coding-agent");
  await writeSums(project);
  await using provider = await scriptedProvider([
    [mend],
    [call("start_command", { command: "npm test" })],
    done,
    [call("background_result", { id: "bg-1", wait_seconds: 60 })],
    done,
  ]);
  const { code, stdout } = await project.run(["sums"], provider);
  expect([code, stdout]).toEqual([0, printed("coding-agent")[1]]);
  expect(provider.requests[3]?.body.messages.at(-1)?.["content"]).toContain("bg-1 (start_command)");
  expect(JSON.stringify(provider.requests[4]?.body.messages.at(-1))).toContain("exit code 0");
});
