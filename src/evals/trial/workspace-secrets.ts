// The secret values in the files of a workspace, so that no report shows them.

import { mkdtemp, readdir, readFile, realpath, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isSecretFile } from "../../files/index.js";
import type { CheckedTask } from "../plan/eval-task.js";
import { layOutNew } from "../plan/workspace-source.js";

/** The largest file that is read. */
const mostBytes = 64 * 1024;
/** The fewest characters of a value: shorter values occur in other texts. */
const fewest = 8;

/** The values in files such as `.env`: the text behind the first `=` or `:` of each line, without quotes. */
export async function secretValuesIn(root: string): Promise<readonly string[]> {
  const names = await readdir(root, { recursive: true }).catch(() => []);
  const values = await Promise.all(
    names
      .filter((name) => isSecretFile(name) && !/(?:^|\/)(?:node_modules|\.git)\//.test(name))
      .map((name) => valuesIn(join(root, name))),
  );
  return [...new Set(values.flat())];
}

/** The values of tasks whose files were read. */
const known = new WeakMap<CheckedTask, Promise<readonly string[]>>();

/** The values in the files that each trial of the task begins with. The files are laid out once for all trials. */
export async function secretValuesOf(
  task: CheckedTask,
  { base }: { readonly base: string },
): Promise<readonly string[]> {
  const values = known.get(task) ?? readNew(task, base);
  known.set(task, values);
  return values;
}

async function readNew({ workspace }: CheckedTask, base: string): Promise<readonly string[]> {
  if (workspace === undefined) return [];
  const place = await mkdtemp(join(await realpath(tmpdir()), "lastcall-begun-"));
  try {
    await layOutNew(workspace, place, base);
    return await secretValuesIn(place);
  } catch {
    // The trial has met the same problem and is void.
    return [];
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}

async function valuesIn(path: string): Promise<readonly string[]> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isFile() !== true || found.size > mostBytes) return [];
  const text = await readFile(path, "utf8").catch(() => "");
  return text.split("\n").flatMap((line) => {
    const [, value = ""] = /[=:]\s*(.+)$/.exec(line.trim()) ?? [];
    const bare = value.replaceAll(/^["']|["'],?$/g, "").trim();
    return bare.length >= fewest ? [bare] : [];
  });
}
