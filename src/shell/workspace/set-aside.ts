// Renames the protected files that a command made, after it.

import { chmodSync, lstatSync, renameSync, statSync, symlinkSync } from "node:fs";
import { basename, dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { explain } from "../../core/internal.js";
import { codeOf, type HeldFolder } from "../../files/index.js";
import { MovedMeanwhile } from "../process/report.js";
import { heldAt, numberOf, walk, type Entry, type Forbids, type Watched } from "./walk.js";

/**
 * Renames the protected files that a command made, to `name.unasked`, so that no program runs or obeys them. Restores the links among them
 * that the command changed. Nothing is deleted, because a person may have made the file at the same time. Each step happens in a folder
 * that is held open: another command may exchange folders and links meanwhile. Returns the paths, as they were.
 */
export async function setAsideMade(root: string, before: Watched, forbids?: Forbids): Promise<readonly string[]> {
  const { kept } = await walkAgain(root, forbids);
  // The command can't delete these, because they are mounts, so no other entry has their numbers.
  const mounted = new Set(
    [...before.kept.values()].flatMap(({ number, target }) => (target === undefined ? [number] : [])),
  );
  const made = [...kept].filter(([path, now]) => {
    const then = before.kept.get(path);
    if (then?.target !== undefined) return then.target !== now.target;
    // A mount can't be replaced. If its folder is the same folder, a person has replaced the file.
    return !mounted.has(now.number) && then?.folder !== now.folder;
  });
  const aside = made.filter(([path, entry]) =>
    inFolder(path, entry.folder, (held, name) => renameIn(held, name, entry)),
  );
  for (const [path, then] of before.kept)
    if (then.target !== undefined && kept.get(path)?.target !== then.target)
      inFolder(path, then.folder, (held, name) => restoreIn(held, name, then.target ?? ""));
  return aside.map(([path]) => path);
}

/** The most times that a workspace is looked for that another command moves, 10 ms apart. */
const maxLooks = 500;

async function walkAgain(root: string, forbids: Forbids | undefined): Promise<Watched> {
  for (let looks = 1; ; looks += 1) {
    try {
      return await walk(root, forbids);
    } catch (thrown) {
      if (!(thrown instanceof MovedMeanwhile)) throw thrown;
      const advice =
        "Protected files that it made were not set aside: look at them before a program runs or obeys them";
      if (looks === maxLooks) throw new Error(`The command has run, and ${root} is not there any more. ${advice}.`);
      await sleep(10);
    }
  }
}

/** Renames an entry, if it is still the same entry. */
function renameIn(held: HeldFolder, name: string, { number }: Entry): boolean {
  const now = lstatSync(held.at(name), { throwIfNoEntry: false });
  if (now === undefined || numberOf(now) !== number) return false;
  const { mode } = statSync(held.at("."));
  // A command may have taken away the right to change the folder.
  const isOpened = (mode & 0o300) !== 0o300;
  if (isOpened) chmodSync(held.at("."), (mode & 0o7777) | 0o300);
  try {
    renameSync(held.at(name), held.at(freeName(held, `${name}.unasked`)));
  } finally {
    if (isOpened) chmodSync(held.at("."), mode & 0o7777);
  }
  return true;
}

/** Makes a link anew, if nothing has its name. */
function restoreIn(held: HeldFolder, name: string, target: string): boolean {
  if (lstatSync(held.at(name), { throwIfNoEntry: false }) !== undefined) return false;
  symlinkSync(target, held.at(name));
  return true;
}

/** Does the work in the folder of the path, if that is still the folder with this number. */
function inFolder(path: string, folder: string, work: (held: HeldFolder, name: string) => boolean): boolean {
  const held = heldAt(dirname(path));
  if (held === undefined) return false;
  try {
    return numberOf(lstatSync(held.at("."))) === folder && work(held, basename(path));
  } catch (thrown) {
    // It was renamed or removed meanwhile.
    if (codeOf(thrown) === "ENOENT" || codeOf(thrown) === "EEXIST") return false;
    const advice = "Look at it before a program runs or obeys it";
    throw new Error(
      `The command has run, and ${path}, which it made, can't be set aside: ${explain(thrown)}. ${advice}.`,
      {
        cause: thrown,
      },
    );
  } finally {
    held.release();
  }
}

/** The name itself, or the first name with a number behind it, at which nothing exists. */
function freeName(held: HeldFolder, name: string): string {
  for (let number = 1; ; number += 1) {
    const free = number === 1 ? name : `${name}-${String(number)}`;
    if (lstatSync(held.at(free), { throwIfNoEntry: false }) === undefined) return free;
  }
}
