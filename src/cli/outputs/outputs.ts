// The things that a task leaves besides its files: artifacts, a commit, the text of a pull request.

import { mkdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { LastcallError, redactor, type AnyOutcome } from "../../core/index.js";
import { explain } from "../../core/internal.js";
import type { StoredSessionHandle } from "../../memory/index.js";
import { ownVersion } from "../../packages/index.js";
import type { WorkspaceChanges } from "../../tools/index.js";
import { ownPaths, type Settings } from "../args/args.js";
import { artifactNames } from "../args/options.js";
import { count } from "../display/quantities.js";
import { visible } from "../display/visible.js";
import type { Surface, Surroundings } from "../person/surface.js";
import { describeEnding } from "../show/ending.js";
import { trajectoryOf } from "../show/trajectory.js";
import { changedIn, commitChanges } from "./commit-changes.js";
import { GitError } from "./git.js";
import { commitMessage, pullRequestText, sumOf, titleOf, type Done } from "./pull-request-text.js";
import { repositoryFor, type Repository } from "./repository.js";

/** The end of a task, as the command tells it. */
export interface TaskEnd {
  /** The exit code. */
  readonly code: number;
  /** The words of the completion; empty without one. */
  readonly words: string;
}

/** The run of a task. */
export interface RunOfTask {
  readonly session: StoredSessionHandle | undefined;
  readonly changes?: WorkspaceChanges | undefined;
  /** The values that no text may have in it. */
  readonly secrets: readonly string[];
}

/** Leaves what the options ask for. Returns the exit code: 2 or 1 if the commit is missing, else the task's own code. */
export type Leave = (outcome: AnyOutcome, end: TaskEnd) => Promise<number>;

/**
 * Looks, before anything runs, whether the outputs of the settings can be made. Returns the maker of the function for the end.
 * @throws LastcallError `configuration` that says why they can't.
 */
export async function outputsFor(
  settings: Settings,
  around: Surroundings,
  { say, log, style }: Pick<Surface, "say" | "log" | "style">,
): Promise<(run: RunOfTask) => Leave> {
  const { branch, commit, artifacts, prText } = settings;
  const folder = artifacts === undefined ? undefined : await madeFolder(artifacts);
  const repository = branch !== undefined || commit ? await repositoryFor(settings, around) : undefined;
  const dirty = repository === undefined ? [] : await changedIn(repository.git, "no");
  if (dirty.length > 0 && log !== "quiet") say(style.dim(warningAbout(dirty)));
  return (run) => {
    if (repository !== undefined && run.changes === undefined)
      throw new LastcallError(
        "configuration",
        "--branch and --commit need the record of what the session changes, and nobody can write there. Name another folder: --sessions DIR.",
      );
    return async (outcome, end) => {
      if (folder !== undefined) await writeArtifacts(folder, outcome, run);
      if (repository === undefined) return end.code;
      return commitWork(repository, outcome, { ...end, ...run, say, prText, own: ownPaths(settings) });
    };
  };
}

async function madeFolder(given: string): Promise<string> {
  const folder = resolve(given);
  try {
    await mkdir(folder, { recursive: true });
    return folder;
  } catch (thrown) {
    const message = `--artifacts ${given} can't be used: ${explain(thrown)}.`;
    throw new LastcallError("configuration", message, { cause: thrown });
  }
}

function warningAbout(dirty: readonly string[]): string {
  const named = dirty.slice(0, 5).map((path) => visible(path));
  const more = dirty.length > named.length ? ` and ${String(dirty.length - named.length)} more` : "";
  return `${count(dirty.length, "file")} with changes that are not committed: ${named.join(", ")}${more}. If the task changes one of them too, nothing is committed.`;
}

async function writeArtifacts(folder: string, outcome: AnyOutcome, { session }: RunOfTask): Promise<void> {
  const stored = await session?.toJSON();
  const values = { "outcome.json": outcome, "trajectory.json": stored && trajectoryOf(stored, ownVersion()) };
  for (const name of artifactNames)
    if (values[name] !== undefined) await writeFile(join(folder, name), `${JSON.stringify(values[name], null, 2)}\n`);
}

interface Work extends TaskEnd, RunOfTask, Pick<Surface, "say"> {
  readonly prText: string | undefined;
  /** The files that the options name. */
  readonly own: readonly string[];
}

/** Completions that count: with code 5 the checks hold, too. */
const completed: readonly number[] = [0, 5];

/** Commits the work of a completed task, and writes the text about it. */
async function commitWork(repository: Repository, outcome: AnyOutcome, work: Work): Promise<number> {
  const { session, changes, code, words, say, prText, secrets, own } = work;
  const isDone = outcome.status === "completed" || outcome.status === "stopped";
  if (session === undefined || changes === undefined || !isDone || !completed.includes(code)) {
    const why = code === 6 ? "no check verified the completion" : visible(describeEnding(outcome));
    say(`Nothing is committed: ${why}`);
    return code;
  }
  const { records } = await session.toJSON();
  const first = records.find((record) => record.type === "input");
  const done: Done = { session: session.id, task: first?.type === "input" ? first.text : "", outcome, words };
  const { text: clear } = redactor({ values: secrets });
  try {
    const made = await commitChanges(repository, changes.files(session.id), clear(commitMessage(done)));
    const { commit, files, leftOut, against } = made;
    leftOut.forEach((line) => {
      say(visible(`Not in the commit: ${line}`));
    });
    if (against.length > 0) {
      ["Nothing is committed:", ...against.map((line) => `  ${line}`)].forEach((line) => {
        say(visible(line));
      });
      say(`The work stays in the folder. lastcall diff ${session.id} shows it.`);
      return 2;
    }
    if (commit === undefined) {
      say("Nothing is committed: the task has changed no file that git does not have already.");
      return code;
    }
    const branch = (repository.newBranch ?? repository.checkedOut ?? "HEAD").replace("refs/heads/", "");
    say(visible(`Committed on ${branch}: ${commit.slice(0, 10)} ${clear(titleOf(done))} (${sumOf(files)})`));
    const others = made.others.filter((path) => !isOwn(resolve(repository.top, path), own));
    if (prText !== undefined) await writeFile(prText, clear(pullRequestText(done, { ...made, others })));
    return code;
  } catch (thrown) {
    const why = thrown instanceof GitError ? thrown.message : explain(thrown);
    say(visible(`The task is completed, but not all of its outputs are there: ${why}`, { multiline: true }));
    say(`The work stays in the folder. To try the commit again: lastcall resume ${session.id}`);
    return 1;
  }
}

/** True for a file that the options name, and for a folder with such a file. */
function isOwn(path: string, own: readonly string[]): boolean {
  return own.some((one) => one === path || one.startsWith(`${path}/`));
}
