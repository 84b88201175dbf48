// Controls, before money is spent: a task that nobody can fail, or that nobody can pass, measures nothing.

import { join } from "node:path";
import { LastcallError } from "../../core/index.js";
import { explain } from "../../core/internal.js";
import { askTruth, type Answer } from "../plan/truth.js";
import type { CheckedTask } from "../plan/eval-task.js";
import { layOutNew } from "../plan/workspace-source.js";
import { rm } from "node:fs/promises";

/** The places of an evaluation. */
export interface ControlPlaces {
  readonly base: string;
  readonly work: string;
  readonly signal: AbortSignal;
}

/**
 * Checks that a task measures something: the truth says no about its files as they are, the same a second time, and yes about its solution.
 * Returns the reason for which this machine can't try the task, if the task says that a failed control means that.
 * @throws LastcallError `configuration` that names the task and says what to do.
 */
export async function control(task: CheckedTask, places: ControlPlaces): Promise<string | undefined> {
  try {
    const problem = await problemOf(task, places);
    if (problem === undefined) return undefined;
    if (task.failedControl === "void") return `Its truth ${problem}`;
    throw wrong(task.id, problem);
  } catch (thrown) {
    places.signal.throwIfAborted();
    if (task.failedControl === "void") return explain(thrown);
    throw thrown;
  }
}

/** The problem of a task's truth, in words that follow the truth's name. Undefined if there is none. */
async function problemOf(task: CheckedTask, { base, work, signal }: ControlPlaces): Promise<string | undefined> {
  const { id, truth, solution, workspace } = task;
  const root = join(work, `control.${id}`);
  try {
    await layOutNew(workspace, root, base);
    // A task in which every completion is wrong can't be passed by an agent that does nothing.
    if (truth === undefined) return undefined;
    const [first, second] = [await askTruth(truth, root, base, signal), await askTruth(truth, root, base, signal)];
    const unasked = [first, second].find(({ is }) => is === "void");
    if (unasked !== undefined) return notAsked(unasked);
    if (first.is !== second.is) return "said yes and no about the same files. It must not depend on chance";
    if (first.is === "yes" && task.ends.includes("completed"))
      return "said yes before anything was done, so an agent that does nothing would pass. Give a workspace that it refuses";
    if (solution === undefined) return undefined;
    await solution.layOut(root, base);
    const solved = await askTruth(truth, root, base, signal);
    if (solved.is === "void") return notAsked(solved);
    return solved.is === "no" ? `said no about the task's own solution: ${solved.why}` : undefined;
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

function notAsked({ why }: Answer): string {
  return `could not be asked: ${why}`;
}

function wrong(id: string, problem: string): LastcallError {
  return new LastcallError("configuration", `Control of the task ${id}: its truth ${problem}.`);
}
