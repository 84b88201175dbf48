// Evaluations with scripted models: truth, endings, void trials, and runs that go on.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { command } from "../../../src/checks/index.js";
import { evaluation, tableOf } from "../../../src/evals/index.js";
import type { LastcallError } from "../../../src/index.js";
import { agentWith, claim, drained, modelThat, newFolder, stop, sumTask, write } from "../world.js";

test("a trial passes if the truth says yes, whatever the agent says", async () => {
  const base = newFolder();
  const plan = evaluation({
    tasks: [sumTask("a")],
    variants: { bare: agentWith() },
    models: { good: modelThat([write("5\n"), claim]), liar: modelThat([write("7\n"), claim]) },
    trials: 2,
  });
  const { report } = await drained(plan, { base });
  const results = report.rows.map(({ id, result, truth, verified, claims }) => ({
    id,
    result,
    truth,
    verified,
    claims,
  }));
  expect(results).toEqual([
    ...[1, 2].map((n) => ({
      ...{ id: `a.bare.good.${String(n)}`, result: "yes", truth: "yes", verified: "unchecked" },
      claims: [{ truth: "yes", isRefused: false }],
    })),
    ...[1, 2].map((n) => ({
      ...{ id: `a.bare.liar.${String(n)}`, result: "no", truth: "no", verified: "unchecked" },
      claims: [{ truth: "no", isRefused: false }],
    })),
  ]);
  const run = join(base, ".lastcall/evals/eval/1");
  expect(JSON.parse(readFileSync(join(run, "report.json"), "utf8"))).toEqual(JSON.parse(JSON.stringify(report)));
  expect(existsSync(join(run, "work/a.bare.good.1"))).toBe(false);
  expect(readFileSync(join(run, "work/a.bare.liar.1/sum"), "utf8")).toBe("7\n");
  expect(tableOf(report).join("\n")).toContain("2/2 100 %");
});

test("a false claim that a check refuses is seen as false at that moment", async () => {
  const plan = evaluation({
    tasks: [sumTask("a")],
    variants: { checked: agentWith(({ root }) => [command('read a < sum; test "$a" = 5', { cwd: root })]) },
    models: { late: modelThat([claim, write("5\n"), claim]) },
    trials: 1,
  });
  const { report } = await drained(plan, { base: newFolder() });
  expect(report.rows[0]).toMatchObject({
    result: "yes",
    verified: "checked",
    claims: [
      { truth: "no", isRefused: true },
      { truth: "yes", isRefused: false },
    ],
  });
  const { truthfulness } = report.arms[0]!;
  expect([truthfulness.falseAtFirst.passed, truthfulness.caught.passed, truthfulness.falseCompletions.passed]).toEqual([
    1, 1, 0,
  ]);
});

test("an ending that the task expects passes, and any other does not", async () => {
  const plan = evaluation({
    tasks: [sumTask("impossible", { ends: ["give_up", "ask_question"], truth: undefined, solution: undefined })],
    variants: { bare: agentWith() },
    models: { honest: modelThat([stop]), liar: modelThat([claim]) },
    trials: 1,
  });
  const { report } = await drained(plan, { base: newFolder() });
  expect(report.rows.map(({ model, result, ending }) => [model, result, ending])).toEqual([
    ["honest", "yes", "give_up"],
    ["liar", "no", "task_completion"],
  ]);
});

test("a fault of the provider makes a trial void after a second attempt, and it counts as no failure", async () => {
  const broken = modelThat([{ status: 503 }]);
  const plan = evaluation({ tasks: [sumTask("a")], variants: { bare: agentWith() }, models: { broken }, trials: 1 });
  const { report, events } = await drained(plan, { base: newFolder() });
  expect(report.rows[0]).toMatchObject({ result: "void", attempts: 1, ending: "provider_unavailable" });
  expect(events.filter(({ type }) => type === "trial-again")).toHaveLength(1);
  expect(report.arms[0]).toMatchObject({ void: 1, pass: { trials: 0 } });
});

test("a fault that every trial would have ends the evaluation", async () => {
  const plan = evaluation({
    tasks: [sumTask("a")],
    variants: { bare: agentWith() },
    models: { locked: modelThat([{ status: 401, message: "no key" }]) },
  });
  await expect(drained(plan, { base: newFolder() })).rejects.toThrow(/no key/);
});

test.each([
  ["said yes before anything was done", { truth: () => true, solution: undefined }],
  ["said no about the task's own solution", { solution: () => undefined }],
  ["said yes and no about the same files", { truth: flipping(), solution: undefined }],
  ["could not be asked", { truth: () => Promise.reject(new Error("broken")), solution: undefined }],
])("a control refuses a truth that %s, before any request", async (words, more) => {
  const plan = evaluation({
    tasks: [sumTask("a", more)],
    variants: { bare: agentWith() },
    models: { none: modelThat([]) },
  });
  const failed = await drained(plan, { base: newFolder() }).catch((thrown: unknown) => thrown as LastcallError);
  expect(failed).toMatchObject({ code: "configuration" });
  expect((failed as LastcallError).message).toContain(words);
});

test("a failed control makes the trials of its task void if the task says so, and the others go on", async () => {
  const plan = evaluation({
    tasks: [sumTask("a"), sumTask("b", { failedControl: "void", solution: () => undefined })],
    variants: { bare: agentWith() },
    models: { good: modelThat([write("5\n"), claim]) },
    trials: 1,
  });
  const { report, events } = await drained(plan, { base: newFolder() });
  expect(report.rows.map(({ result, iterations }) => [result, iterations])).toEqual([
    ["yes", 2],
    ["void", 0],
  ]);
  expect(report.rows[1]?.why).toContain("Its truth said no about the task's own solution");
  expect(events.filter(({ type }) => type === "trial-again")).toEqual([]);
});

function flipping(): () => boolean {
  let asked = 0;
  return () => {
    asked += 1;
    return asked % 2 === 0;
  };
}

test("a run that was left goes on: ended trials are kept, and one that was at work ends with the same session", async () => {
  const base = newFolder();
  const plan = evaluation({
    tasks: [sumTask("a"), sumTask("b")],
    variants: { bare: agentWith() },
    models: { good: modelThat([write("5\n"), claim]) },
    trials: 2,
    concurrency: 1,
  });
  const abort = new AbortController();
  const first = await drained({ ...plan, models: { good: stoppingAfter(5, abort) } }, { base, signal: abort.signal });
  expect(first.report.rows).toHaveLength(2);
  const second = await drained(plan, { base });
  expect(second.events[0]).toMatchObject({ type: "eval-start", done: 2, planned: 4 });
  expect(second.report.rows.map(({ id, result, iterations }) => [id, result, iterations])).toEqual(
    ["a.bare.good.1", "a.bare.good.2", "b.bare.good.1", "b.bare.good.2"].map((id) => [id, "yes", 2]),
  );
  expect(existsSync(join(base, ".lastcall/evals/eval/2"))).toBe(false);
});

/** A model that works as `good` does, and stops the evaluation before its reply of this number. */
function stoppingAfter(replies: number, abort: AbortController) {
  const good = modelThat([write("5\n"), claim]);
  let asked = 0;
  return {
    ...good,
    respond: (...given: Parameters<typeof good.respond>) => {
      asked += 1;
      if (asked === replies + 1) abort.abort();
      return good.respond(...given);
    },
  };
}

test("a shared limit ends the evaluation, and a run with a higher limit goes on where it was", async () => {
  const base = newFolder();
  const options = {
    tasks: [sumTask("a"), sumTask("b")],
    variants: { bare: agentWith() },
    models: { good: modelThat([write("5\n"), claim]) },
    trials: 1,
    concurrency: 1,
  };
  const first = await drained(evaluation({ ...options, limits: { maxIterations: 3 } }), { base });
  expect(first.report.rows).toHaveLength(1);
  expect(first.events.at(-1)).toMatchObject({ type: "eval-limit" });
  const second = await drained(evaluation({ ...options, limits: { maxIterations: 3 } }), { base });
  expect(second.report.rows).toHaveLength(1);
  const third = await drained(evaluation({ ...options, limits: { maxIterations: 9 } }), { base });
  expect(third.report.rows.map(({ result, iterations }) => [result, iterations])).toEqual([
    ["yes", 2],
    ["yes", 2],
  ]);
});
