// Tasks in the folders of Harbor: instruction.md, task.toml, environment/, tests/ and solution/.

import { existsSync } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { LastcallError } from "../../core/index.js";
import type { EvalTask } from "../plan/eval-task.js";
import type { Truth } from "../plan/truth.js";
import { canBePlaced } from "./as-in-container.js";
import { readDockerfile, type Recipe } from "./dockerfile.js";
import { namesFolder, solutionOf, truthOfTask, workspaceOf, type ReadTask } from "./task-place.js";
import { readSettings, type TaskSettings } from "./task-settings.js";
import { loadToml } from "./toml-package.js";

/** The file that makes a folder a task. */
const settingsFile = "task.toml";

/**
 * Reads the Harbor task in a folder, or all tasks in the folders directly below it, sorted by name. After a trial, the tests run on a copy
 * in a fresh process, with the paths of Harbor's container: `/tests`, `/logs`, and the work folder. Their reward is the truth: 1 or more
 * is a yes, and a missing reward is void. The reference solution is the control. A task that needs more than a work folder on this machine
 * is void, with the reason, and costs nothing. Harbor's limits of the agent's time are left to the variants.
 * @param folder A relative path starts at the working directory.
 * @throws LastcallError `configuration` if there is no task, a file of a task is missing or wrong, or the package smol-toml is missing.
 */
export async function harborTasks(folder: string | URL): Promise<readonly EvalTask[]> {
  const path = resolve(folder instanceof URL ? fileURLToPath(folder) : folder);
  const paths = await tasksIn(path);
  if (paths.length === 0)
    throw new LastcallError(
      "configuration",
      `harborTasks: neither ${path} nor a folder directly below it has a ${settingsFile}.`,
    );
  const { parse } = await loadToml();
  return Promise.all(paths.map((each) => readTask(each, parse)));
}

async function tasksIn(path: string): Promise<readonly string[]> {
  const isFolder = await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (!isFolder) throw new LastcallError("configuration", `harborTasks: there is no folder ${path}.`);
  if (existsSync(join(path, settingsFile))) return [path];
  const names = (await readdir(path)).sort();
  return names.map((name) => join(path, name)).filter((each) => existsSync(join(each, settingsFile)));
}

async function readTask(path: string, parse: (text: string) => unknown): Promise<EvalTask> {
  const file = join(path, settingsFile);
  const settings = readSettings(await readFile(file, "utf8"), file, parse);
  const dockerfile = await textOf(join(path, "environment/Dockerfile"));
  const recipe = readDockerfile(dockerfile ?? "");
  const folder = settings.folder ?? recipe.folder;
  const task: ReadTask = { path, folder, recipe, settings };
  const instruction = await instructionOf(path, settings);
  const hasSolution = existsSync(join(path, "solution/solve.sh"));
  const unmet = [
    ...settings.unmet,
    ...unmetBy(task, { hasDockerfile: dockerfile !== undefined, hasSolution, instruction }),
  ];
  return {
    id: basename(path)
      .replaceAll(/[^\w-]/g, "-")
      .slice(0, 60),
    input: inputOf(instruction, folder),
    failedControl: "void",
    ...(unmet.length > 0
      ? { truth: neverAsked(path, unmet) }
      : {
          workspace: workspaceOf(task),
          truth: truthOfTask(task),
          ...(hasSolution && { solution: solutionOf(task) }),
        }),
  };
}

async function textOf(path: string): Promise<string | undefined> {
  return readFile(path, "utf8").catch(() => undefined);
}

/** The instruction without the marks that keep it out of training data. A task of several steps has none. */
async function instructionOf(path: string, { unmet }: TaskSettings): Promise<string> {
  const text = await textOf(join(path, "instruction.md"));
  if (text !== undefined && text.trim() !== "")
    return text.replace(/^(?:\s*(?:<!--.*canary.*-->|#.*canary.*)\s*\n)+/i, "").trim();
  if (unmet.length > 0) return "(no instruction)";
  throw new LastcallError("configuration", `The Harbor task ${path} has no words in instruction.md.`);
}

/** The agent's work folder has another path than the container's, so the words say it. */
function inputOf(instruction: string, folder: string): string {
  if (!namesFolder(instruction, folder)) return instruction;
  return `${instruction}\n\nThe folder ${folder} is your working directory here. Name its files relative to it: notes.txt in place of ${folder}/notes.txt.`;
}

/** The most reasons that are told. */
const mostReasons = 3;

/** A truth that no trial can ask, because this machine can't try the task. */
function neverAsked(path: string, unmet: readonly string[]): Truth {
  const more = unmet.length > mostReasons ? `; and ${String(unmet.length - mostReasons)} more` : "";
  const why = `This machine can't try it: ${unmet.slice(0, mostReasons).join("; ")}${more}`;
  return { id: `harbor ${path}`, hidden: () => [path], ask: () => Promise.resolve({ is: "void", why }) };
}

/** Images that hold a system and no tools that a task could be about. */
const plain = /^(?:docker\.io\/)?(?:library\/)?(?:ubuntu|debian|alpine|busybox|bash)(?:[:@]|$)/;

/** Places outside of the work folder that an instruction may be about. */
const outside = /(?<![\w./:-])\/(?:data|etc|home|logs|mnt|opt|root|solution|srv|tests|var|workspace)\/[\w.-]+/g;

/** The reasons for which the files of a task ask for more than a work folder. */
function unmetBy(
  { path, folder, recipe, settings }: ReadTask,
  {
    hasDockerfile,
    hasSolution,
    instruction,
  }: { readonly hasDockerfile: boolean; readonly hasSolution: boolean; readonly instruction: string },
): readonly string[] {
  const at = (name: string): boolean => existsSync(join(path, name));
  const image = settings.image ?? recipe.image;
  const strange = (instruction.match(outside) ?? []).find((found) => !found.startsWith(`${folder}/`));
  const reasons: readonly (readonly [boolean, string])[] = [
    [process.platform !== "linux", "its paths can be given on Linux only"],
    [!at("tests/test.sh"), "it has no tests/test.sh"],
    [at("trajectory.json"), "it begins with the trajectory of another agent"],
    [at("environment/docker-compose.yaml"), "it needs several containers (docker-compose.yaml)"],
    [at("environment/.dockerignore"), "its .dockerignore is not read here"],
    [!hasDockerfile, settings.image === undefined ? "it has no environment/Dockerfile" : `it needs the image ${image}`],
    // With a solution, the control says whether the programs of this machine do.
    [
      !hasSolution && (recipe.installs.length > 0 || !plain.test(image)),
      `it needs the programs of ${recipe.installs.length > 0 ? `"${String(recipe.installs[0])}"` : `the image ${image}`}, and has no solution to try them`,
    ],
    [hasDockerfile && !canBePlaced(folder), `its work folder ${folder} can't be had here`],
    [strange !== undefined, `its instruction names ${String(strange)}, which is outside of the work folder`],
  ];
  return [...reasons.filter(([is]) => is).map(([, why]) => why), ...recipe.unmet, ...strayCopies(recipe, folder)];
}

/** The copies of the Dockerfile that leave the work folder. A command that does so fails when it runs. */
function strayCopies({ steps }: Recipe, folder: string): readonly string[] {
  return steps
    .filter((step) => step.kind === "copy" && !`${step.to}/`.startsWith(`${folder}/`))
    .map(({ line }) => `the Dockerfile's line "${line}" copies outside of ${folder}`);
}
