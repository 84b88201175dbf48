// A small world for the tests of evals: tasks whose truth is a file, and agents of scripted models.

import { mkdtempSync, rmSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { EvalEvent, EvalTask, Evaluation, EvaluateOptions, Report, TrialPlace } from "../../src/evals/index.js";
import { evaluate, hidden } from "../../src/evals/index.js";
import { createAgent, type Check, type Model, type Tool } from "../../src/index.js";
import { call, scriptedModel, type Step } from "../../src/testing/index.js";
import { askQuestion, giveUp, taskCompletion, workspaceTools } from "../../src/tools/index.js";

/** A new folder, removed at the end of the test. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "lastcall-evals-"));
  onTestFinished(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
}

/** A task that is solved if the file `sum` says 5. Its truth is a command in a process of its own. */
export function sumTask(id: string, more: Partial<EvalTask> = {}): EvalTask {
  return {
    id,
    input: `Write the sum of 2 and 3 into the file sum (${id}).`,
    workspace: (root) => writeFile(join(root, "sum"), "4\n"),
    truth: hidden(
      (root) => writeFile(join(root, "expected"), "5\n"),
      'read a < sum; read b < expected; test "$a" = "$b"',
    ),
    solution: (root) => writeFile(join(root, "sum"), "5\n"),
    ...more,
  };
}

/** Writes the file `sum`. */
export const write = (text: string): Step => [call("write_file", { path: "sum", content: text })];
/** Claims completion. */
export const claim: Step = [call("task_completion", { result: "The file says the sum." })];
/** Gives up. */
export const stop: Step = [call("give_up", { reason: "It can't be done." })];

/** Makes the agent of a variant with these checks. */
export function agentWith(checks: (place: TrialPlace) => readonly Check[] = () => [], tools: readonly Tool[] = []) {
  return (place: TrialPlace) =>
    createAgent({
      model: place.model,
      tools: [...workspaceTools({ root: place.root }), taskCompletion(), giveUp(), askQuestion(), ...tools],
      checks: checks(place),
      permission: () => true,
      limits: { maxIterations: 12, prices: place.prices },
    });
}

/** A model that says the steps in order in each session, however many sessions there are and wherever they go on. */
export function modelThat(steps: readonly Step[]): Model {
  return {
    name: "scripted",
    provider: "scripted:",
    respond: (request, signal) => {
      const said = request.messages.filter(({ role }) => role === "assistant").length;
      return scriptedModel([steps[Math.min(said, steps.length - 1)] ?? claim]).respond(request, signal);
    },
  };
}

/** Drains an evaluation. */
export async function drained(
  evaluation: Evaluation,
  options: EvaluateOptions,
): Promise<{ readonly report: Report; readonly events: readonly EvalEvent[] }> {
  const events: EvalEvent[] = [];
  const running = evaluate(evaluation, options);
  for (;;) {
    const next = await running.next();
    if (next.done === true) return { report: next.value, events };
    events.push(next.value);
  }
}
