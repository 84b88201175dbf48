// A Harbor task in its folder: the files that a trial begins with, its reference solution and its truth.

import { chmod, cp, mkdir, mkdtemp, readdir, readFile, realpath, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join, relative } from "node:path";
import { LastcallError } from "../../core/index.js";
import type { Answer, Truth } from "../plan/truth.js";
import type { WorkspaceSource } from "../plan/workspace-source.js";
import { runPlaced, type ScriptEnd } from "./as-in-container.js";
import type { Recipe } from "./dockerfile.js";
import { rewardIn } from "./reward.js";
import type { TaskSettings } from "./task-settings.js";

/** A task whose files were read. */
export interface ReadTask {
  /** The absolute path of its folder. */
  readonly path: string;
  /** The work folder, as a path of the container. */
  readonly folder: string;
  readonly recipe: Recipe;
  readonly settings: TaskSettings;
}

/** Milliseconds that a preparing command or a reference solution may take. */
const usualTimeout = 600_000;

/** The files that the Dockerfile puts into the work folder. */
export function workspaceOf(task: ReadTask): WorkspaceSource {
  const { path, folder, recipe } = task;
  return {
    id: `harbor ${path}`,
    hidden: () => [path],
    async layOut(root) {
      for (const step of recipe.steps) {
        if (step.kind === "copy") {
          await copyInto(root, step, { context: join(path, "environment"), folder });
          continue;
        }
        const script = { command: ["/bin/sh", "-c", step.command], folder: step.folder, folders: { [folder]: root } };
        const end = await run(task, script, { variables: {}, timeout: usualTimeout });
        if (!isWell(end)) throw wrong(task, `the Dockerfile's line "${step.line}" failed here: ${end.why}`);
      }
      await refuseNamed(task, root);
    },
  };
}

/** The reference solution: its script runs in the work folder. Undefined if the task has none. */
export function solutionOf(task: ReadTask): WorkspaceSource {
  const { path, folder, settings } = task;
  return {
    id: `harbor solution ${path}`,
    hidden: () => [path],
    layOut: (root) =>
      withPlace(async (place) => {
        const script = await placed(join(path, "solution"), place, "solve.sh");
        const folders = { [folder]: root, "/solution": join(place, "solution"), "/logs": join(place, "logs") };
        const limits = { variables: settings.solutionVariables, timeout: usualTimeout };
        const end = await run(task, { command: [script], folder, folders }, limits);
        if (!isWell(end)) throw wrong(task, `its solution failed here: ${end.why}`);
      }),
  };
}

/** The truth: the tests come to the copy after the run, and leave a reward in a file. */
export function truthOfTask(task: ReadTask): Truth {
  const { path, folder, settings } = task;
  return {
    id: `harbor ${path}`,
    hidden: () => [path],
    ask: (copy, _base, signal) =>
      withPlace(async (place): Promise<Answer> => {
        const script = await placed(join(path, "tests"), place, "test.sh");
        const folders = { [folder]: copy, "/tests": join(place, "tests"), "/logs": join(place, "logs") };
        const limits = { variables: settings.testVariables, timeout: settings.timeout, signal };
        const end = await run(task, { command: [script], folder, folders }, limits);
        if (end.exit.how === "timed-out") return { is: "void", why: `The tests took too long: ${end.why}` };
        return rewardIn(join(place, "logs/verifier"), end.why);
      }),
  };
}

/** A place for logs and scripts, which ends with the use of it. */
async function withPlace<Value>(use: (place: string) => Promise<Value>): Promise<Value> {
  const place = await mkdtemp(join(await realpath(tmpdir()), "lastcall-harbor-"));
  try {
    for (const name of ["verifier", "agent", "artifacts"]) await mkdir(join(place, "logs", name), { recursive: true });
    return await use(place);
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}

/** Copies a folder of scripts to the place, makes the script runnable, and returns its path in the container. */
async function placed(from: string, place: string, script: string): Promise<string> {
  const name = basename(from);
  await cp(from, join(place, name), { recursive: true, verbatimSymlinks: true });
  await chmod(join(place, name, script), 0o755);
  return `/${name}/${script}`;
}

async function run(
  { recipe, settings }: ReadTask,
  script: Pick<Parameters<typeof runPlaced>[0], "command" | "folder" | "folders">,
  limits: { readonly variables: Readonly<Record<string, string>>; readonly timeout: number; signal?: AbortSignal },
): Promise<ScriptEnd> {
  const { variables, timeout, signal = new AbortController().signal } = limits;
  const all = { ...recipe.variables, ...variables };
  return runPlaced({ ...script, variables: all, timeout, hasNetwork: settings.hasNetwork }, signal);
}

const isWell = ({ exit }: ScriptEnd): boolean => exit.how === "exited" && exit.code === 0;

/** Copies as the Dockerfile says: the contents of a folder, or a file with its name or a new one. */
async function copyInto(
  root: string,
  { from, to }: { readonly from: readonly string[]; readonly to: string },
  { context, folder }: { readonly context: string; readonly folder: string },
): Promise<void> {
  const target = join(root, relative(folder, to));
  for (const name of from) {
    const source = join(context, name);
    const isFolder = (await stat(source)).isDirectory();
    const isInto = to.endsWith("/") || (await stat(target).catch(() => undefined))?.isDirectory() === true;
    const path = isFolder || !isInto ? target : join(target, basename(name));
    await mkdir(isFolder ? path : dirname(path), { recursive: true });
    await cp(source, path, { recursive: true, verbatimSymlinks: true });
  }
}

/** The largest file that is looked through. */
const mostBytes = 256 * 1024;

/** Files for readers, who know that the folder has another path. */
const forReaders = /(?:^Dockerfile|\.(?:md|rst|txt|log|csv|tsv))$/;

/** Refuses files that name the work folder: for the agent's programs it has another path. */
async function refuseNamed(task: ReadTask, root: string): Promise<void> {
  for (const name of await readdir(root, { recursive: true })) {
    const found = forReaders.test(name) ? undefined : await stat(join(root, name)).catch(() => undefined);
    if (found?.isFile() !== true || found.size > mostBytes) continue;
    const text = await readFile(join(root, name), "utf8");
    if (namesFolder(text, task.folder))
      throw wrong(task, `its file ${name} names ${task.folder}, and the agent's work folder has another path here`);
  }
}

/** True if the text names the folder as a path. */
export function namesFolder(text: string, folder: string): boolean {
  const name = folder.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  return new RegExp(`(?<![\\w./-])${name}(?![\\w-])`).test(text);
}

function wrong({ path }: ReadTask, why: string): LastcallError {
  return new LastcallError("configuration", `The task ${path} can't be tried here: ${why}.`);
}
