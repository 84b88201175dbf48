// Commands of a person around what a run does.

import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { createAgent, tool, type AnyOutcome } from "../../src/index.js";
import { commandHooks, type CommandHook } from "../../src/checks/index.js";
import { allowAll } from "../../src/permission/index.js";
import { call, scriptedModel, type Step } from "../../src/testing/index.js";
import { askQuestion, taskCompletion } from "../../src/tools/index.js";
import { without } from "../programs.js";

const done = call("task_completion", { result: "done" });
const noCat = without("cat");

/** Runs the script with hooks in a folder. `results` are the texts that the model read, in order. */
async function run(hooks: readonly CommandHook[], steps: readonly Step[], limits = {}) {
  const cwd = realpathSync(mkdtempSync(join(tmpdir(), "lastcall-hooks-")));
  onTestFinished(() => {
    rmSync(cwd, { recursive: true });
  });
  const saved: string[] = [];
  const told: string[] = [];
  const save = tool({
    name: "save",
    description: "Saves a text.",
    input: z.object({ text: z.string() }),
    effect: "none",
    run: ({ text }) => (saved.push(text), `saved ${text}`),
  });
  const agent = createAgent({
    model: scriptedModel(steps),
    tools: [save, askQuestion(), taskCompletion()],
    hooks: [commandHooks(hooks, { cwd, tell: (line) => told.push(line) })],
    permission: allowAll(),
    limits,
  });
  const outcome: AnyOutcome = await agent.run("go");
  const results = outcome.session.records.flatMap((record) => (record.type === "result" ? [record.result.text] : []));
  const read = (name: string): string => readFileSync(join(cwd, name), "utf8");
  return { cwd, outcome, saved, told, results, read };
}

const seen = (name: string): string => `cat > ${name}`;

test.skipIf(noCat !== "")(`a command gets what the moment is about as JSON, whatever is in it${noCat}`, async () => {
  const text = "it's \"$(echo hacked)\" `echo hacked`\nLASTCALL_\n'EOF' \\ ü 👋";
  const { read, saved, outcome } = await run(
    [
      { on: "before-call", tools: ["save"], command: seen("before") },
      { on: "after-call", tools: ["save"], command: seen("after") },
      { on: "claim", command: seen("claim") },
      { on: "end", command: seen("end") },
      { on: "question", command: seen("question") },
    ],
    [[call("save", { text })], [done]],
  );
  expect([outcome.status, saved]).toEqual(["completed", [text]]);
  expect(JSON.parse(read("before"))).toMatchObject({ moment: "before-call", call: { name: "save", input: { text } } });
  expect(JSON.parse(read("after"))).toMatchObject({
    moment: "after-call",
    result: { ok: true, text: `saved ${text}` },
  });
  expect(JSON.parse(read("claim"))).toMatchObject({ moment: "claim", call: { name: "task_completion" } });
  expect(JSON.parse(read("end"))).toMatchObject({ moment: "end", outcome: { status: "completed" } });
  expect(() => read("question")).toThrow("ENOENT");
});

test("another exit code than 0 refuses a call, and a command that can't be run or takes too long does, too", async () => {
  for (const [command, reason] of [
    ["echo 'not on a Friday'; exit 3", "not on a Friday"],
    ["exit 1", "exit code 1"],
    ["no-such-program-here", "not found"],
    ["while :; do :; done", "timed out after 0.2 s"],
  ] as const) {
    const hooks: CommandHook[] = [{ on: "before-call", tools: ["save"], command, timeout: 200 }];
    const { saved, results, outcome } = await run(hooks, [[call("save", { text: "x" })], [done]]);
    expect([saved, outcome.status]).toEqual([[], "completed"]);
    expect(results[0]).toContain("ERROR denied (save): Not run, because a hook refused it:");
    expect(results[0]).toContain(reason);
  }
});

test("a call that is too large for a hook is refused: a gate that can't see stays shut", async () => {
  const hooks: CommandHook[] = [{ on: "before-call", command: "exit 0" }];
  const { saved, results } = await run(hooks, [[call("save", { text: "x".repeat(120_000) })], [done]]);
  expect(saved).toEqual([]);
  expect(results[0]).toContain("it is too large for a hook: 12");
});

test("a command changes the input of a call, which is read again, and adds a remark", async () => {
  const answer = (object: object): string => `echo 'some words'; echo '${JSON.stringify(object)}'`;
  const changed = await run(
    [{ on: "before-call", tools: ["save"], command: answer({ input: { text: "other" }, remark: "It was changed." }) }],
    [[call("save", { text: "x" })], [done]],
  );
  expect(changed.saved).toEqual(["other"]);
  expect(changed.results[0]).toContain("It was changed.");
  const broken = await run(
    [{ on: "before-call", tools: ["save"], command: answer({ input: { text: 7 } }) }],
    [[call("save", { text: "x" })], [done]],
  );
  expect(broken.saved).toEqual([]);
  expect(broken.results[0]).toContain("ERROR invalid_arguments");
});

test("a claim is refused by another exit code than 0, and the model may mend it", async () => {
  const hooks: CommandHook[] = [{ on: "claim", command: "test -e ready || { echo 'nothing is ready'; exit 1; }" }];
  const { cwd, results, outcome } = await run(hooks, [[done], [done]]);
  expect(outcome.status).not.toBe("completed");
  expect(results[0]).toContain(
    "ERROR claim_refused (task_completion): Not accepted, because a hook refused it: nothing is ready",
  );
  writeFileSync(join(cwd, "ready"), "");
});

test("after a call the model reads what failed, and at other moments the person does", async () => {
  const { results, told, outcome } = await run(
    [
      { on: "after-call", tools: ["save"], command: "echo 'that is bad style'; exit 1" },
      { on: "limit", command: "exit 9" },
      { on: "end", command: "echo 'no mail'; exit 1" },
    ],
    [[call("save", { text: "x" })], [call("save", { text: "y" })], [call("save", { text: "z" })], [done]],
    { maxIterations: 3 },
  );
  expect(results[0]).toContain("saved x");
  expect(results[0]).toContain("After this call, `echo 'that is bad style'; exit 1` failed: that is bad style");
  expect(outcome.status).toBe("stopped");
  expect(told).toContain("The hook `exit 9` (limit) failed: exit code 9");
  expect(told.at(-1)).toBe("The hook `echo 'no mail'; exit 1` (end) failed: no mail");
});

test.skipIf(noCat !== "")(
  `a question is a moment of its own, and so is the end of an aborted run${noCat}`,
  async () => {
    const hooks: CommandHook[] = [
      { on: "question", command: seen("question") },
      { on: "end", command: seen("end") },
    ];
    const { read, outcome } = await run(hooks, [[call("ask_question", { question: "Which one?" })]]);
    expect(outcome.status).toBe("waiting");
    expect(JSON.parse(read("question"))).toMatchObject({
      moment: "question",
      question: { value: { question: "Which one?" } },
    });
    expect(() => read("end")).toThrow("ENOENT");
  },
);

test("a hook that could never work is refused at once", () => {
  const make = (hook: object) => () => commandHooks([hook as CommandHook]);
  expect(make({ on: "sometimes", command: "x" })).toThrow(
    "sometimes is no moment of a hook: give before-call, after-call,",
  );
  expect(make({ on: "end", command: " " })).toThrow("A hook needs a command");
  expect(make({ on: "end", tools: ["save"], command: "x" })).toThrow(
    "A hook at end is about no call: leave its tools out",
  );
  expect(make({ on: "end", command: "x", timeout: -1 })).toThrow("timeout");
});
