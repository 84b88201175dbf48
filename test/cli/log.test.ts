import { spawnSync } from "node:child_process";
import { join, resolve } from "node:path";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { expect, onTestFinished, test } from "vitest";
import { log } from "../../src/cli/log.js";
import { z } from "zod";
import { createAgent, tool } from "../../src/index.js";
import { call, scriptedModel } from "../../src/testing/index.js";
import { taskCompletion } from "../../src/tools/index.js";

const look = tool({
  name: "look",
  description: "Looks",
  input: { type: "object", properties: { at: { type: "string" } }, additionalProperties: false },
  run: () => "one\ntwo",
});

function agent(): ReturnType<typeof createAgent<readonly [ReturnType<typeof taskCompletion>, typeof look]>> {
  const model = scriptedModel([[call("look", { at: "it" })], [call("task_completion", { result: "Seen." })]]);
  return createAgent({ model, tools: [taskCompletion(), look] });
}

test("a run is logged in a line or two for each step, not in one for each event", async () => {
  const lines: string[] = [];
  await agent().run("look", { onEvent: log({ print: (line) => lines.push(line) }) });
  expect(lines.map((line) => line.replace(/[\d.]+ m?s\b/, "N ms"))).toEqual([
    "[1]  look it",
    "      ok one … 2 lines (N ms)",
    "[2]  task_completion Seen.",
    "      accepted (N ms)",
    "completed, unchecked · 2 iterations · tokens not reported · N ms",
  ]);
});

test("a program's log says that an approver is asked, and of which of several calls", async () => {
  const lines: string[] = [];
  const pay = tool({ name: "pay", description: "Pays", input: z.object({}), effect: "network", run: () => "paid" });
  const model = scriptedModel([[call("pay")], [call("task_completion", { result: "Paid." })]]);
  const agent = createAgent({ model, tools: [taskCompletion(), pay], permission: () => false });
  await agent.run("pay", { onEvent: log({ print: (line) => lines.push(line) }) });
  expect(lines.slice(0, 2)).toEqual(["[1]  pay", "      asks for an approval: it can network"]);
  expect(lines[2]).toContain("it was not approved");
});

test("a verbose log has whole results, and events of a stream can be logged too", async () => {
  const lines: string[] = [];
  const watch = log({ verbose: true, print: (line) => lines.push(line) });
  for await (const event of agent().stream("look")) watch(event);
  expect(lines).toContain("      | two");
});

test("a program's log goes to standard error alone, without colours if that is no terminal", async () => {
  const folder = await mkdtemp(join(tmpdir(), "lastcall-log-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await mkdir(join(folder, "node_modules"));
  await symlink(resolve(import.meta.dirname, "../.."), join(folder, "node_modules/lastcall"));
  const program = `import { createAgent } from "lastcall";
import { log } from "lastcall/log";
import { call, scriptedModel } from "lastcall/testing";
import { taskCompletion } from "lastcall/tools";

const model = scriptedModel([[call("task_completion", { result: "Seen." })]]);
const outcome = await createAgent({ model, tools: [taskCompletion()] }).run("look", { onEvent: log() });
console.log(outcome.status);
`;
  await writeFile(join(folder, "program.mjs"), program);
  const { stdout, stderr } = spawnSync(process.execPath, [join(folder, "program.mjs")], { encoding: "utf8" });
  expect(stdout).toBe("completed\n");
  expect(stderr).toMatch(
    /^\[1\] {2}task_completion Seen\.\n {6}accepted \(.*\)\ncompleted, unchecked · 1 iteration · .*\n$/,
  );
});
