// A world for rounds and rivals: a folder whose check is a command, and models that say the same steps in each session.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createAgent, type Check, type LimitOptions, type Model } from "../../../src/index.js";
import type { TriesOutcome, TryEvent } from "../../../src/evals/index.js";
import { call, scriptedModel, type Step } from "../../../src/testing/index.js";
import { giveUp, notes, taskCompletion, workspaceTools, type WorkspaceChanges } from "../../../src/tools/index.js";

/** The line of the check: the file `sum` has to say the same as the test. */
export const sumTest = "sh test/sum.sh";

/** Makes the folder with a wrong sum, and the test of it. */
export function sumFolder(root: string): string {
  mkdirSync(join(root, "test"), { recursive: true });
  writeFileSync(join(root, "sum"), "4\n");
  writeFileSync(join(root, "test/sum.sh"), 'read a < sum; test "$a" = 5 || { echo "the sum is $a"; exit 1; }\n');
  return root;
}

/** Writes a file. */
export const write = (path: string, content: string): Step => [call("write_file", { path, content })];
/** Notes a text. */
export const note = (text: string): Step => [call("add_note", { text })];
/** Claims completion. */
export const claim: Step = [call("task_completion", { result: "The sum is right." })];

/** The text of a request. */
export type Request = Parameters<Model["respond"]>[0];

/** A model that chooses its steps by the first words of the session, and says the last step again and again. */
export function modelBy(stepsFor: (task: string) => readonly Step[], requests: Request[] = []): Model {
  return {
    name: "scripted",
    provider: "scripted:",
    respond: (request, signal) => {
      requests.push({ ...request, messages: [...request.messages] });
      const steps = stepsFor(taskOf(request));
      const said = request.messages.filter(({ role }) => role === "assistant").length;
      return scriptedModel([steps[Math.min(said, steps.length - 1)] ?? claim]).respond(request, signal);
    },
  };
}

/** The first words of the user in a request. */
export function taskOf({ messages }: Request): string {
  const first = messages.find(({ role }) => role === "user");
  return JSON.stringify(first ?? "");
}

/** An agent of this model in the folder. */
export function agentIn(
  root: string,
  {
    model,
    checks = [],
    limits = { maxIterations: 60 },
    changes,
  }: { model: Model; checks?: readonly Check[]; limits?: LimitOptions; changes?: WorkspaceChanges },
) {
  const tools = workspaceTools({ root });
  return createAgent({
    model,
    tools: [...(changes?.recorded(tools) ?? tools), ...notes(), taskCompletion(), giveUp()],
    checks,
    hooks: changes === undefined ? [] : [changes.hook],
    permission: () => true,
    maxAttempts: 2,
    limits,
  });
}

/** Drains tries. */
export async function drained(
  running: AsyncGenerator<TryEvent, TriesOutcome, void>,
): Promise<{ readonly end: TriesOutcome; readonly events: readonly TryEvent[] }> {
  const events: TryEvent[] = [];
  for (;;) {
    const next = await running.next();
    if (next.done === true) return { end: next.value, events };
    events.push(next.value);
  }
}
