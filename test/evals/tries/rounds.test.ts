// Rounds with scripted models: a clean context each, one limit, one end however often they are interrupted.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { command } from "../../../src/checks/index.js";
import { rounds } from "../../../src/evals/index.js";
import { memoryStore } from "../../../src/memory/index.js";
import { workspaceChanges } from "../../../src/tools/index.js";
import { newFolder } from "../world.js";
import {
  agentIn,
  claim,
  drained,
  modelBy,
  note,
  sumFolder,
  sumTest,
  taskOf,
  write,
  type Request,
} from "./tries-world.js";

const inRound = (task: string): number => Number(/This is round (\d+)/.exec(task)?.[1] ?? 1);

test("a model that is right in its third round ends there, and each round has a clean context", async () => {
  const root = sumFolder(newFolder());
  const requests: Request[] = [];
  const model = modelBy((task) => {
    const round = inRound(task);
    return round < 3
      ? [write("sum", `${String(round)}\n`), note(`tried ${String(round)}`), claim]
      : [write("sum", "5\n"), claim];
  }, requests);
  const agent = agentIn(root, { model, checks: [command(sumTest, { cwd: root })] });
  const store = memoryStore();
  const { end, events } = await drained(
    rounds(agent, "Mend the sum.", { store, id: "s", most: 5, diff: (sessions) => `diff of ${sessions.join(" ")}` }),
  );
  expect(end).toMatchObject({ status: "completed", number: 3 });
  expect(end.tries.map(({ isRight }) => isRight)).toEqual([false, false, true]);
  expect(end.tries[0]?.outcome).toMatchObject({ status: "stopped", reason: "checks_failed" });
  expect((await store.list()).map(({ id }) => id).sort()).toEqual(["s", "s.2", "s.3"]);
  expect(readFileSync(join(root, "sum"), "utf8")).toBe("5\n");
  const third = requests.find((request) => inRound(taskOf(request)) === 3)!;
  const words = JSON.stringify(third.messages);
  expect(words).toContain("Mend the sum.");
  expect(words).toContain("the sum is 2");
  expect(words).toContain("diff of s s.2");
  expect(words).toContain("tried 2");
  expect(third.messages.some(({ role }) => role === "assistant")).toBe(false);
  expect(events.filter(({ type }) => type === "try-end")).toHaveLength(3);
});

test("a model that is never right ends after the last round, and the same call changes nothing", async () => {
  const root = sumFolder(newFolder());
  const requests: Request[] = [];
  const agent = agentIn(root, { model: modelBy(() => [claim], requests), checks: [command(sumTest, { cwd: root })] });
  const store = memoryStore();
  const { end } = await drained(rounds(agent, "Mend the sum.", { store, id: "s", most: 3 }));
  expect(end).toMatchObject({ status: "stopped", message: "no round of 3 was accepted" });
  const asked = requests.length;
  const again = await drained(rounds(agent, undefined, { store, id: "s", most: 3 }));
  expect(again.end).toMatchObject({ status: "stopped", message: "no round of 3 was accepted" });
  expect(requests).toHaveLength(asked);
  const more = await drained(rounds(agent, undefined, { store, id: "s", most: 4 }));
  expect(more.end.tries).toHaveLength(4);
});

test("a round that makes the checks pass and does not say so is the last", async () => {
  const root = sumFolder(newFolder());
  const model = modelBy(() => [write("sum", "5\n"), write("other", "x"), write("other", "y"), write("other", "z")]);
  const checks = [command(sumTest, { cwd: root })];
  const agent = agentIn(root, { model, checks, limits: { maxIterations: 8, reserve: 0 } });
  const { end } = await drained(rounds(agent, "Mend the sum.", { store: memoryStore(), most: 4 }));
  expect(end).toMatchObject({ status: "completed", number: 1 });
  expect(end.tries[0]?.outcome).toMatchObject({ status: "stopped", reason: "max_iterations" });
});

test("rules and advice became goals in the second round, and were asked outside of runs, where a cap can't know", async () => {
  const root = sumFolder(newFolder());
  const requests: Request[] = [];
  const changes = workspaceChanges({ root, folder: newFolder() });
  const model = modelBy((task) => (inRound(task) < 2 ? [claim] : [write("sum", "5\n"), claim]), requests);
  const checks = [
    ...changes.caps({ files: 3 }),
    { ...command("echo 'bad style'; exit 1", { name: "lint" }), kind: "advice" } as const,
    command(sumTest, { cwd: root }),
  ];
  const agent = agentIn(root, { model, checks, changes });
  const { end } = await drained(rounds(agent, "Mend the sum.", { store: memoryStore(), most: 3 }));
  expect(end).toMatchObject({ status: "completed", number: 2 });
  const { outcome } = end.tries[1]!;
  if (outcome.status !== "completed") throw new Error(outcome.status);
  expect(outcome.receipts.map(({ kind, passed }) => [kind, passed])).toEqual([
    ["rule", true],
    ["advice", false],
    [undefined, true],
  ]);
  const second = taskOf(requests.find((request) => inRound(taskOf(request)) === 2)!);
  expect(second).toContain("the sum is 4");
  expect(second).not.toContain("not recorded");
});

test("advice keeps no round from being right without a claim, and a rule does", async () => {
  for (const [kind, status] of [
    ["advice", "completed"],
    ["rule", "stopped"],
  ] as const) {
    const root = sumFolder(newFolder());
    const model = modelBy(() => [write("sum", "5\n"), write("other", "x"), write("other", "y")]);
    const more = { ...command(kind === "advice" ? "exit 1" : "exit 0", { name: "more" }), kind };
    const limits = { maxIterations: 8, reserve: 0 };
    const agent = agentIn(root, { model, checks: [command(sumTest, { cwd: root }), more], limits });
    expect((await drained(rounds(agent, "Mend it.", { store: memoryStore(), most: 2 }))).end.status).toBe(status);
  }
});

test("checks that pass from the beginning end no rounds by themselves", async () => {
  const root = sumFolder(newFolder());
  writeFileSync(join(root, "sum"), "5\n");
  const agent = agentIn(root, {
    model: modelBy(() => [write("other", "x"), write("other", "y")]),
    checks: [command(sumTest, { cwd: root })],
    limits: { maxIterations: 6, reserve: 0 },
  });
  const { end } = await drained(rounds(agent, "Mend the sum.", { store: memoryStore(), most: 2 }));
  expect(end.status).toBe("stopped");
  expect(end.tries).toHaveLength(2);
});

test("the limit holds for all rounds together, and each gets its share", async () => {
  const root = sumFolder(newFolder());
  const requests: Request[] = [];
  const model = modelBy(() => [write("other", "x"), write("other", "y"), write("other", "z")], requests);
  const agent = agentIn(root, { model, checks: [command(sumTest, { cwd: root })], limits: { maxIterations: 12 } });
  const { end } = await drained(rounds(agent, "Mend the sum.", { store: memoryStore(), most: 4 }));
  expect(end.status).toBe("stopped");
  expect(end.tries).toHaveLength(4);
  expect(requests.length).toBeLessThanOrEqual(13);
  const few = agentIn(root, { model, checks: [command(sumTest, { cwd: root })], limits: { maxIterations: 3 } });
  requests.length = 0;
  const short = await drained(rounds(few, "Mend the sum.", { store: memoryStore(), most: 9 }));
  expect(short.end).toMatchObject({ status: "stopped", message: "the limit of all rounds is reached: maxIterations" });
  expect(requests.length).toBeLessThanOrEqual(4);
});

test("a test that the first round spoilt is not the rule for the second", async () => {
  const root = sumFolder(newFolder());
  const model = modelBy((task) => (inRound(task) === 1 ? [write("test/sum.sh", "exit 0\n"), claim] : [claim]));
  const checks = [command(sumTest, { cwd: root, protect: ["test/**"] })];
  const { end } = await drained(
    rounds(agentIn(root, { model, checks }), "Mend it.", { store: memoryStore(), most: 2 }),
  );
  expect(end.status).toBe("stopped");
  expect(end.tries).toHaveLength(2);
});

test("an abort suspends the round at work, and the next call goes on with it", async () => {
  const root = sumFolder(newFolder());
  const requests: Request[] = [];
  const model = modelBy(() => [write("sum", "5\n"), claim], requests);
  const agent = agentIn(root, { model, checks: [command(sumTest, { cwd: root })] });
  const store = memoryStore();
  const stop = new AbortController();
  const running = rounds(agent, "Mend the sum.", { store, id: "s", signal: stop.signal });
  for (let next = await running.next(); ; next = await running.next()) {
    if (next.done === true) {
      expect(next.value.status).toBe("aborted");
      break;
    }
    if (next.value.type === "try-event" && next.value.event.type === "call-end") stop.abort();
  }
  const { end } = await drained(rounds(agent, undefined, { store, id: "s" }));
  expect(end).toMatchObject({ status: "completed", number: 1 });
  expect(requests).toHaveLength(2);
});
