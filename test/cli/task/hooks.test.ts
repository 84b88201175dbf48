// The commands of --hook.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readSettings } from "../../../src/cli/args/args.js";
import { parseOptions } from "../../../src/cli/args/options.js";
import { call, scriptedProvider, type Step } from "../../../src/testing/index.js";
import { findSandbox } from "../../../src/shell/index.js";
import { runHere, temporary } from "../command.js";

const done = [call("task_completion", { result: "done" })];

/** Runs the command without a sandbox, unless the first word says otherwise. */
async function go(steps: readonly Step[], ...given: readonly string[]) {
  const isSandboxed = given[0] === "--sandboxed";
  const args = isSandboxed ? given.slice(1) : [...given, "--no-sandbox"];
  await using provider = await scriptedProvider(steps);
  await using folder = await temporary();
  writeFileSync(join(folder.path, "a.txt"), "before");
  writeFileSync(join(folder.path, "gate.sh"), "exit 1\n", { mode: 0o755 });
  const work = ["--base-url", provider.url, "--model", "m", "--workdir", folder.path, "--yes", "--no-save"];
  const ended = await runHere(["do it", ...work, ...args], { XDG_CONFIG_HOME: folder.path });
  const bodies = provider.requests.map(({ body }) => JSON.stringify(body));
  const scripts = readFileSync(join(folder.path, "gate.sh"), "utf8");
  return { ...ended, bodies, scripts, isWritten: existsSync(join(folder.path, "new.txt")) };
}

const write = [call("write_file", { path: "new.txt", content: "x" })];

test("a hook before a call refuses it, and the person is told of a hook that fails at the end", async () => {
  const { code, stderr, bodies, isWritten } = await go(
    [write, done],
    ...["--hook", "before-call write_file delete_file: echo 'no writing today'; exit 1"],
    ...["--hook", "end: echo 'no mail'; exit 1"],
  );
  expect([code, isWritten]).toEqual([0, false]);
  expect(bodies[1]).toContain("Not run, because a hook refused it: no writing today");
  expect(stderr).toContain("The hook `echo 'no mail'; exit 1` (end) failed: no mail\n");
});

test("a hook before a call holds for the agents in tools too", async () => {
  const { code, bodies } = await go(
    [[call("explore", { task: "What is in a.txt?" })], [call("read_file", { path: "a.txt" })], done, done],
    ...["--hook", "before-call read_file: echo 'it is private'; exit 1"],
  );
  expect(code).toBe(0);
  expect(bodies[2]).toContain("a hook refused it: it is private");
  expect(bodies.join("\n")).not.toContain("before\\n");
});

test("the script of a hook is no file that a tool may write", async () => {
  const { bodies, scripts } = await go(
    [[call("write_file", { path: "gate.sh", content: "exit 0" })], done],
    ...["--hook", "before-call run_command: ./gate.sh"],
  );
  expect(scripts).toBe("exit 1\n");
  expect(bodies[1]).toContain("ERROR denied (write_file)");
});

const sandbox = await findSandbox({ root: import.meta.dirname, writable: false });
const noSandbox = sandbox.ok ? "" : ` (left out: ${sandbox.reason})`;

test.skipIf(noSandbox !== "")(
  `a hook runs in the sandbox, and with --hooks-outside on the machine as it is${noSandbox}`,
  async () => {
    await using outside = await temporary();
    const mark = join(outside.path, "mark");
    const hook = ["--hook", `end: touch '${mark}'`];
    const inside = await go([done], "--sandboxed", ...hook);
    expect([inside.code, existsSync(mark)]).toEqual([0, false]);
    expect(inside.stderr).toContain("(end) failed: touch");
    expect((await go([done], "--sandboxed", ...hook, "--hooks-outside")).stderr).not.toContain("failed");
    expect(existsSync(mark)).toBe(true);
  },
);

test("a dry run runs no hooks, and says so", async () => {
  const { stderr } = await go([write, done], "--dry-run", "--hook", "before-call: exit 1");
  expect(stderr).toContain("The hooks were not run either.");
  expect(stderr).toContain("new.txt");
});

test("hooks are read from their words, and hooks of all sources hold together", () => {
  const read = (...words: readonly string[]) =>
    readSettings(parseOptions(["x", ...words.flatMap((word) => ["--hook", word])])).hook;
  expect(read("before-call run_command:  ./gate.sh a:b ", "end:notify")).toEqual([
    { on: "before-call", tools: ["run_command"], command: "./gate.sh a:b" },
    { on: "end", command: "notify" },
  ]);
  for (const wrong of ["sometimes: x", "end", "end: ", "end run_command: x", "before-call run command!: x"])
    expect(() => read(wrong)).toThrow('is no "MOMENT [TOOL ...]: COMMAND" with before-call, after-call, claim,');
});
