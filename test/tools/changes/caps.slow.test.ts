// Caps bound what a run changes: the model is told at once, a claim is refused, and the receipts say so.

import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { createAgent, tool, type AnyOutcome, type Check, type Receipt, type Tool } from "../../../src/index.js";
import { command as check, postEdit } from "../../../src/checks/index.js";
import { memoryStore, openSession } from "../../../src/memory/index.js";
import { allowAll } from "../../../src/permission/index.js";
import { call, scriptedModel, type ScriptedCall, type Step } from "../../../src/testing/index.js";
import {
  delegate,
  inBackground,
  taskCompletion,
  workspaceChanges,
  workspaceTools,
  type ChangeCaps,
  type WorkspaceChanges,
} from "../../../src/tools/index.js";
import { processorTime } from "../../processor-time.js";
import { withBetween } from "./place.js";
import { leftOut, newFolder } from "./world.js";

const done = [call("task_completion", { result: "It is done." })];
const command = (line: string): readonly ScriptedCall[] => [call("run_command", { command: line })];
const write = (path: string, content = "x\n"): readonly ScriptedCall[] => [call("write_file", { path, content })];

interface Ran {
  readonly outcome: AnyOutcome;
  /** For each request, the words that are new in it. */
  readonly told: readonly string[];
  readonly receipts: readonly Receipt[];
}

interface Parts {
  readonly changes?: WorkspaceChanges;
  readonly session?: string;
  readonly checks?: readonly Check[];
  readonly tools?: (tools: readonly Tool[]) => readonly Tool[];
  readonly store?: ReturnType<typeof memoryStore>;
  readonly between?: (step: number) => void | Promise<void>;
}

/** A folder with these files, and runs in it. */
function place(files: Readonly<Record<string, string>> = {}) {
  const root = newFolder();
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
  const folder = newFolder();
  const changes = workspaceChanges({ root, folder });
  const run = async (caps: ChangeCaps, steps: readonly Step[], parts: Parts = {}): Promise<Ran> => {
    const { checks = [], tools = (all: readonly Tool[]) => all, store = memoryStore(), between, session = "s" } = parts;
    const own = parts.changes ?? changes;
    const scripted = scriptedModel(steps);
    const agent = createAgent({
      model: withBetween(scripted, between),
      tools: [...tools(own.recorded(workspaceTools({ root }))), taskCompletion()] as readonly Tool[],
      hooks: [own.hook],
      checks: [...own.caps(caps), ...checks],
      permission: allowAll(),
    });
    const outcome = await agent.run("Do it.", { session: openSession({ store, id: session }) });
    const texts = scripted.requests.map(({ messages }) => messages.map((message) => JSON.stringify(message)));
    const told = texts.map((all, index) => all.slice(texts[index - 1]?.length ?? 0).join("\n"));
    const receipts = "receipts" in outcome ? outcome.receipts : [];
    return { outcome, told, receipts };
  };
  return { root, folder, changes, run };
}

const log = "console.log(1)\n";

/** A cap, a step that breaks it, and a step that mends that. */
const cases: readonly (readonly [string, ChangeCaps, Step, Step, string])[] = [
  [
    "files, edited",
    { files: 1 },
    [...write("b"), ...write("c")],
    command("rm b"),
    "2 files changed, and at most 1 may: b, c",
  ],
  ["files, by a command", { files: 1 }, command("printf 1 > b; printf 1 > c"), command("rm b"), "2 files changed"],
  ["lines", { lines: 3 }, write("b", "1\n2\n3\n4\n"), write("b", "1\n2\n3\n"), "4 lines were added and removed"],
  ["lines that are gone", { lines: 1 }, command("rm long"), command("seq 5 > long"), "5 lines were added and removed"],
  ["only", { only: ["src/**"] }, write("docs/b"), command("rm -r docs"), "Put back as it was: docs, docs/b"],
  [
    "only, a mode",
    { only: ["src/**"] },
    command("chmod 600 long"),
    command("chmod 644 long"),
    "Put back as it was: long",
  ],
  ["only, a move out", { only: ["src/**"] }, command("mv src/a a"), command("mv a src/a"), "Put back as it was: a."],
  [
    "only, a removed file",
    { only: ["src/**"] },
    command("rm long"),
    command("seq 5 > long"),
    "Put back as it was: long",
  ],
  ["forbid", { forbid: ["console\\.log"] }, write("src/b", `x\n${log}`), write("src/b"), "src/b:2: console.log(1)"],
  ["forbid in a binary file", { forbid: ["bad"] }, command("printf '\\000\\nbad' > b"), command("rm b"), "b:2: bad"],
  ["forbid in a file of secrets", { forbid: ["DEBUG"] }, command("echo DEBUG=1 > .env"), command("rm .env"), ".env:1"],
  [
    "testsFollow",
    { testsFollow: ["src/**"] },
    write("src/b"),
    write("test/b.test.ts"),
    "src/b has changed, and no test has",
  ],
];

describe.skipIf(leftOut !== "")(`a cap${leftOut}`, () => {
  test.each(cases)(
    "on %s tells the model at once, refuses a claim, and is no evidence",
    async (...[, caps, over, mend, words]) => {
      const { run } = place({ long: "1\n2\n3\n4\n5\n", "src/a": "1\n" });
      const { outcome, told, receipts } = await run(caps, [over, done, mend, done]);
      const [name] = place()
        .changes.caps(caps)
        .map((one) => one.name);
      expect(told[0]).toContain(
        `These rules hold for your work. A completion that breaks one is refused:\\n- ${JSON.stringify(name).slice(1, -1)}`,
      );
      expect(told[1]).toContain("is broken since then");
      expect(told[1]).toContain(words);
      expect(told[2]).toContain("Not accepted");
      expect(told[3]).not.toContain("is broken");
      expect(outcome).toMatchObject({ status: "completed", verified: "unchecked" });
      expect(receipts).toMatchObject([
        { check: name, kind: "rule", passed: true, passedAtBaseline: true, failedBefore: 2 },
      ]);
    },
  );

  test.each(cases)(
    "on %s that is advice tells the model at once, and refuses nothing",
    async (...[, caps, over, , words]) => {
      const { run } = place({ long: "1\n2\n3\n4\n5\n", "src/a": "1\n" });
      const { outcome, told, receipts } = await run({ ...caps, advisory: true }, [over, done]);
      expect(told[0]).toContain("Nothing is refused for them");
      expect(told[1]).toContain(words);
      expect(outcome).toMatchObject({ status: "completed", verified: "unchecked" });
      expect(receipts).toMatchObject([{ kind: "advice", passed: false }]);
    },
  );

  test.each<[string, ChangeCaps, readonly Step[]]>([
    [
      "files that were changed back",
      { files: 0, lines: 0 },
      [write("long", "other\n"), command("printf '1\\n2\\n' > long")],
    ],
    ["a file that was only moved, but once", { files: 1, lines: 0, forbid: ["."] }, [command("mv long longer")]],
    [
      "a line that is moved to another file",
      { forbid: ["2"] },
      [command("sed 1d long > other; rm long; mv other long; echo 1 > x")],
    ],
    ["a binary file as lines", { lines: 0 }, [command("printf '\\000\\n\\n' > b")]],
    ["folders as files", { files: 0 }, [command("mkdir -p x/y")]],
    ["folders on the way", { only: ["x/y/*.ts"] }, [command("mkdir -p x/y; echo > x/y/z.ts")]],
    ["what ignore files leave out", { files: 0 }, [command("mkdir out; echo > out/b; echo > src/b.tmp")]],
    ["removed sources", { testsFollow: ["src/**"] }, [command("rm src/a")]],
    ["sources beside a test", { testsFollow: ["src/**"] }, [write("src/a.test.ts"), write("src/a")]],
    ["as many commands", { commands: 2 }, [command("true"), command("true")]],
  ])("does not count %s", async (_name, caps, steps) => {
    const { run } = place({ long: "1\n2\n", "src/a": "1\n", ".gitignore": "out\n*.tmp\n" });
    const { outcome, told } = await run(caps, [...steps, done]);
    expect(told.at(-1)).not.toContain("is broken");
    expect(outcome.status).toBe("completed");
  });

  test("on files counts ignored files that are edited, and files that the run itself has ignored", async () => {
    const { run } = place({ ".gitignore": "out\n" });
    const { told } = await run({ files: 0, advisory: true }, [
      write("out/b"),
      command("echo x > .gitignore; echo > x"),
      done,
    ]);
    expect(told[1]).toContain("1 file changed, and at most 0 may: out/b");
    expect(told[2]).toContain("3 files changed, and at most 0 may: .gitignore, out/b, x");
  });

  test("on commands counts those behind a wall around the workspace, too", async () => {
    const { changes, run } = place();
    const walled = tool({
      name: "walled",
      description: "Runs behind a wall",
      input: { type: "object" },
      effect: "execute",
      reach: () => ({ command: "true", walls: ["workspace"] }),
      run: () => "ran",
    });
    const { told } = await run({ commands: 0, advisory: true }, [[call("walled", {})], done], {
      tools: (all) => [...all, ...changes.recorded([walled])],
    });
    expect(told[1]).toContain("1 command was run, and at most 0 may be");
  });

  test("on commands counts each, and can't be mended", async () => {
    const { run } = place();
    const { outcome, told } = await run({ commands: 1 }, [
      command("true"),
      command("true"),
      done,
      done,
      done,
      done,
      done,
    ]);
    expect(told[1]).not.toContain("is broken");
    expect(told[2]).toContain("2 commands were run, and at most 1 may be");
    expect(outcome).toMatchObject({ status: "stopped", reason: "checks_failed" });
  });

  test("is told again when it is broken further, and not otherwise", async () => {
    const { run } = place();
    const { told } = await run({ files: 0, advisory: true }, [write("a"), command("true"), write("b"), done]);
    expect(told.map((words) => words.includes("is broken since then"))).toEqual([false, true, false, true]);
  });

  test("counts the run at hand, and not the runs before", async () => {
    const { run } = place();
    const store = memoryStore();
    expect((await run({ files: 1 }, [write("a"), done], { store })).outcome.status).toBe("completed");
    const { outcome, receipts } = await run({ files: 1 }, [write("b"), done], { store });
    expect(outcome.status).toBe("completed");
    expect(receipts).toMatchObject([{ passed: true, failedBefore: 0 }]);
  });

  test("leaves the evidence to the goals, also if it failed on the way", async () => {
    const { run } = place();
    const steps = [write("a"), command("rm a"), done];
    const held = await run({ files: 0 }, steps, { checks: [check("true")] });
    expect(held.outcome).toMatchObject({ status: "completed", verified: "held" });
    const { root, run: again } = place();
    const goal = check("test -e src/b", { cwd: root });
    const checked = await again({ only: ["src/**"] }, [write("src/b"), done], { checks: [goal] });
    expect(checked.outcome).toMatchObject({ status: "completed", verified: "checked" });
  });

  test("does not make the goals run after each iteration, and does not end a run that is green but for it", async () => {
    const { root, run } = place();
    const goal = check("echo x >> ../goal-ran; test -e b", { cwd: root });
    await run({ files: 5 }, [write("a"), write("b"), done], { checks: [{ ...goal, name: "at the claim" }] });
    const green = { ...check("test -e b", { cwd: root }), every: "iteration" as const, name: "green" };
    const { outcome, told } = await run({ files: 0 }, [write("b"), write("c"), command("rm b c"), done], {
      checks: [green],
      session: "other",
    });
    expect(told.join("")).not.toContain("The goal is reached");
    expect(outcome.status).not.toBe("completed");
  });

  test("counts what agents in tools, and work in the background, change", async () => {
    const { root, changes, run } = place();
    const child = createAgent({
      model: scriptedModel([command("echo > below"), done]),
      tools: [...changes.recorded(workspaceTools({ root })), taskCompletion()],
      permission: allowAll(),
    });
    const helper = delegate(child, { name: "helper", description: "Helps" });
    const { told } = await run({ files: 0, advisory: true }, [[call("helper", { task: "Go." })], done], {
      tools: (all) => [...all, helper],
    });
    expect(told[1]).toContain("1 file changed, and at most 0 may: below");
    const result = [call("background_result", { id: "bg-1", wait_seconds: 10 })];
    const beside = await run(
      { commands: 0, files: 0, advisory: true },
      [command("sleep 0.3; echo > beside"), result, done, done],
      { tools: (all) => inBackground(...all), session: "background" },
    );
    expect(beside.told[1]).toContain("1 command was run");
    expect(beside.told[2]).toContain("1 file changed, and at most 0 may: beside");
  });

  test("does not count what checks and commands after an edit change, nor what a person changes in between", async () => {
    const { root, run } = place();
    const goal = check("date > made-by-a-check", { cwd: root });
    const { told, outcome } = await run({ files: 1, lines: 1 }, [write("a"), command("true"), done], {
      checks: [goal],
      between: (step) => {
        if (step === 2) writeFileSync(join(root, "a"), "x\nand\nthe\nwords\nof\na\nperson\n");
      },
    });
    expect(told.join("")).not.toContain("is broken");
    expect(outcome.status).toBe("completed");
  });

  test("does not count what another session changes at the same time", async () => {
    const { root, folder, run } = place();
    const theirs = { changes: workspaceChanges({ root, folder }), session: "theirs" };
    const wait = "echo > begun; until test -e go-on; do sleep 0.05; done; echo > ended";
    const own = run({ files: 2, lines: 2 }, [command(wait), done]);
    await vi.waitFor(() => {
      expect(existsSync(join(root, "begun"))).toBe(true);
    }, 20_000);
    await run({ files: 9 }, [write("theirs", "1\n2\n3\n"), done], theirs);
    await run({ files: 9 }, [write("go-on"), done], theirs);
    const { outcome, told } = await own;
    expect(told.join("")).not.toContain("is broken");
    expect(outcome.status).toBe("completed");
  });

  test("says which paths it leaves out, because a command of another session ran at the same time", async () => {
    const { root, folder, run } = place();
    const theirs = { changes: workspaceChanges({ root, folder }), session: "theirs" };
    const wait = "echo > begun; until test -e go-on; do sleep 0.05; done";
    const own = run({ files: 0 }, [[...write("a"), ...command(wait)], done, command("rm a"), done]);
    await vi.waitFor(() => {
      expect(existsSync(join(root, "begun"))).toBe(true);
    }, 20_000);
    await run({ files: 9 }, [command("echo > either; echo > go-on"), done], theirs);
    const { told } = await own;
    expect(told[1]).toContain(
      "1 file changed, and at most 0 may: a. Not counted, because a command of another session",
    );
    expect(told[1]).toContain("either");
  });
});

describe("a cap that sees nothing fails", () => {
  test("if the agent lacks the hook, or no tool records", async () => {
    const root = newFolder();
    const changes = workspaceChanges({ root, folder: newFolder() });
    const without = async (hooks: boolean) => {
      const agent = createAgent({
        model: scriptedModel([done, done, done, done, done]),
        tools: [...workspaceTools({ root }), taskCompletion()],
        ...(hooks && { hooks: [changes.hook] }),
        checks: changes.caps({ files: 5 }),
        permission: allowAll(),
      });
      return agent.run("Go.");
    };
    for (const hooks of [false, true]) {
      const { session, ...outcome } = await without(hooks);
      expect(outcome).toMatchObject({ status: "stopped", reason: "checks_failed" });
      expect(JSON.stringify(session.records)).toContain(hooks ? "no tool is recorded" : "the run is not recorded");
    }
  });

  test("after a command in a folder that is too large", async () => {
    const { root, folder, run } = place({ a: "1", b: "2", c: "3" });
    const changes = workspaceChanges({ root, folder, limits: { entries: 2, bytes: 10_000 } });
    const { told } = await run({ files: 5, advisory: true }, [command("true"), done], { changes });
    expect(told[1]).toContain("What a command changed is not known");
  });
});

test.each<[object, string]>([
  [{}, "caps need at least one cap"],
  [{ advisory: true }, "caps need at least one cap"],
  [{ files: -1 }, "files is -1, and has to be a whole number from 0"],
  [{ lines: 1.5 }, "lines is 1.5"],
  [{ only: [] }, "only is an empty list"],
  [{ only: ["../x"] }, "leads out of the folder"],
  [{ forbid: ["("] }, 'forbid: "(" is no regular expression'],
  [{ forbid: [""] }, "forbid: an empty pattern matches every line"],
  [{ file: 1 }, "file"],
])("caps %j are refused", (caps, words) => {
  const changes = workspaceChanges({ root: newFolder(), folder: newFolder() });
  expect(() => changes.caps(caps)).toThrow(words);
});

test("the usual commands after an edit do not count", async () => {
  const { root, changes } = place();
  const hook = postEdit([{ files: "*", command: "date > made-by-a-linter" }], { cwd: root });
  const scripted = scriptedModel([write("a"), done]);
  const agent = createAgent({
    model: scripted,
    tools: [...changes.recorded(workspaceTools({ root })), taskCompletion()],
    hooks: [changes.hook, hook],
    checks: changes.caps({ only: ["a"] }),
    permission: allowAll(),
  });
  expect(await agent.run("Go.")).toMatchObject({ status: "completed" });
});

test("each cap read the whole record of changes after each iteration, so that a run took the square of its length", async () => {
  const timeOf = async (iterations: number): Promise<number> => {
    const root = newFolder();
    const changes = workspaceChanges({ root, folder: newFolder() });
    const steps = Array.from({ length: iterations }, (_none, index) =>
      write(`f${String(index % 50)}.txt`, `line ${String(index)}\n`),
    );
    const agent = createAgent({
      model: scriptedModel([...steps, done]),
      tools: [...changes.recorded(workspaceTools({ root })), taskCompletion()] as readonly Tool[],
      hooks: [changes.hook],
      checks: changes.caps({ files: 60, lines: 100_000, commands: 9, only: ["*.txt"], forbid: ["TODO"] }),
      permission: allowAll(),
      limits: { maxIterations: 10_000, maxTokens: 1e12 },
      circuit: { stall: false },
    });
    const spent = processorTime();
    const { status } = await agent.run("Do it.", { session: openSession({ store: memoryStore(), id: "s" }) });
    expect(status).toBe("completed");
    return spent() / iterations;
  };
  await timeOf(100);
  const short = await timeOf(150);
  expect((await timeOf(750)) / short).toBeLessThan(1.8);
}, 120_000);
