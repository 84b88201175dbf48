// The tasks of an evaluation.

import { LastcallError } from "../../core/index.js";
import { checkOptions, choiceOf, isBlank, listOf, needed, recordOf, type OptionKinds } from "../../core/internal.js";
import { truthOf, type AskFiles, type Truth } from "./truth.js";
import type { AnswerQuestion } from "./user.js";
import { sourceOf, type WorkspaceSource, type WriteFiles } from "./workspace-source.js";

/** One task of an evaluation. */
export interface EvalTask {
  /** 1 to 60 letters, digits, `_` or `-`. Unique in the evaluation. */
  readonly id: string;
  /** The words that the run begins with. */
  readonly input: string;
  /** The files that a trial begins with. Default: an empty folder. */
  readonly workspace?: WorkspaceSource | WriteFiles | undefined;
  /**
   * Tells, after the run, whether the goal is reached. It is asked only about completions. Default: a trial passes if it ends as expected.
   */
  readonly truth?: Truth | AskFiles | undefined;
  /**
   * The endings that may be right: loop-breaking tools such as `give_up`, statuses of outcomes such as `completed`, or reasons of stopped
   * runs. Default `["completed"]`.
   */
  readonly ends?: readonly string[] | undefined;
  /** The answers to questions, by the tool that asks. A question without an answer ends the trial. Default: none. */
  readonly answers?: Readonly<Record<string, AnswerQuestion>> | undefined;
  /** Files to lay over the workspace that solve the task: the control checks that the truth accepts them. Default: no such control. */
  readonly solution?: WorkspaceSource | WriteFiles | undefined;
  /**
   * The meaning of a control that fails. `fault`: the task is wrong, so the evaluation ends before the first request. `void`: this machine
   * can't try the task, so its trials are void, without a run. Default `fault`.
   */
  readonly failedControl?: "fault" | "void" | undefined;
  /** True: one failed trial of this task fails the gate. Default false. */
  readonly must?: boolean | undefined;
  /** Tasks with the same cluster are not independent of each other: they are alike for the intervals. Default: the id. */
  readonly cluster?: string | undefined;
  /** A group of tasks that the report counts apart: `impossible`, for example. Default: none. */
  readonly family?: string | undefined;
}

/** A task that is checked, with its defaults. */
export interface CheckedTask extends EvalTask {
  readonly workspace?: WorkspaceSource | undefined;
  readonly truth?: Truth | undefined;
  readonly solution?: WorkspaceSource | undefined;
  readonly ends: readonly string[];
  readonly cluster: string;
}

const taskOptions = {
  id: needed("text"),
  input: needed("text"),
  workspace: ["object", "function"],
  truth: ["object", "function"],
  ends: listOf("text"),
  answers: recordOf(["text", "function"]),
  solution: ["object", "function"],
  failedControl: choiceOf("fault", "void"),
  must: "flag",
  cluster: "text",
  family: "text",
} satisfies OptionKinds<EvalTask>;

/** Checks a task and fills in its defaults. @throws LastcallError `configuration` that names the wrong option. */
export function checkTask(task: EvalTask): CheckedTask {
  checkOptions("task", task, taskOptions);
  const { id, input, workspace, truth, solution, ends = ["completed"], cluster = id } = task;
  checkName("The id of a task", id);
  const wrong = (problem: string): LastcallError => new LastcallError("configuration", `The task ${id} ${problem}.`);
  if (isBlank(input)) throw wrong("has no input: give the words that it begins with");
  if (ends.length === 0) throw wrong("has no right ending: leave `ends` out, or name one");
  if (solution !== undefined && truth === undefined) throw wrong("has a solution and no truth that could accept it");
  return {
    ...task,
    workspace: workspace && sourceOf(workspace),
    truth: truth && truthOf(truth),
    solution: solution && sourceOf(solution),
    ends,
    cluster,
  };
}

/** Checks a name that is part of file names. @throws LastcallError `configuration` if it is none. */
export function checkName(what: string, name: string): void {
  if (typeof (name as unknown) === "string" && /^[\w-]{1,60}$/.test(name)) return;
  throw new LastcallError("configuration", `${what} is ${JSON.stringify(name)}: give 1 to 60 letters, digits, _ or -.`);
}
