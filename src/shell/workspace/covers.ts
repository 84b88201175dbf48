// Looks, before a command runs, whether the mounts of its sandbox are where they were meant to be.

import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { basename, dirname } from "node:path";
import { codeOf, contains, forPaths } from "../../files/index.js";
import { MovedMeanwhile } from "../process/report.js";
import { numberOf, type Entry } from "./walk.js";

/** A place that a mount shows, or covers. */
export interface Placed {
  /** A real path. */
  readonly path: string;
  /** What was there when the mount was planned. */
  readonly entry: Entry;
  /** True if the sandbox must not show the entry, false if it must show this very entry. */
  readonly isCovered: boolean;
}

/**
 * Follows each path in the file system of the sandbox, step by step and through no link, and compares what is there with what was planned.
 * bubblewrap makes mounts by path: a command that runs beside it can put a link, or another folder, in the way for a moment. A mount stays
 * where it was made, so what is in place now stays in place.
 * @throws MovedMeanwhile if a mount is elsewhere, or shows something else.
 */
export function expectPlaced(leader: number, places: readonly Placed[]): void {
  const view = viewOf(leader);
  try {
    const wrong = places.find((place) => !isInPlace(view, place) && !(place.isCovered && isBelowCover(places, place)));
    if (wrong !== undefined) throw new MovedMeanwhile(wrong.path);
  } finally {
    view.close();
  }
}

function isInPlace(view: View, { path, entry, isCovered }: Placed): boolean {
  const folder = view.look(dirname(path));
  const found = view.look(path);
  if (folder === undefined || found === undefined || folder.mount === found.mount) return false;
  return isCovered ? folder.number === entry.folder && found.number !== entry.number : found.number === entry.number;
}

/** True if the nearest mount around the place covers it as well. */
function isBelowCover(places: readonly Placed[], { path }: Placed): boolean {
  const around = places.filter((other) => other.path !== path && contains(other.path, path));
  return around.toSorted((a, b) => b.path.length - a.path.length)[0]?.isCovered === true;
}

/** An entry of the file system of a sandbox. */
interface Seen {
  readonly number: string;
  /** The number of the mount that it is in. */
  readonly mount: string;
}

interface View {
  /** What is at a path; undefined if nothing is, or a part of the path is a link. */
  look(path: string): Seen | undefined;
  close(): void;
}

/** The file system as this process of the same user sees it. */
function viewOf(leader: number): View {
  const open = new Map<string, number | undefined>();
  const at = (path: string): number | undefined => {
    if (!open.has(path)) open.set(path, path === "/" ? opened(`/proc/${String(leader)}/root/`) : below(path));
    return open.get(path);
  };
  const below = (path: string): number | undefined => {
    const folder = at(dirname(path));
    return folder === undefined ? undefined : opened(`/proc/self/fd/${String(folder)}/${basename(path)}`);
  };
  if (at("/") === undefined)
    throw new Error("The mounts of the sandbox can't be looked at, so nothing was run: /proc does not show them.");
  return {
    look(path) {
      const descriptor = at(path);
      if (descriptor === undefined) return undefined;
      const mount = /^mnt_id:\s*(\d+)$/m.exec(readFileSync(`/proc/self/fdinfo/${String(descriptor)}`, "latin1"))?.[1];
      return { number: numberOf(fstatSync(descriptor)), mount: mount ?? "" };
    },
    close() {
      for (const descriptor of open.values()) if (descriptor !== undefined) closeSync(descriptor);
    },
  };
}

function opened(path: string): number | undefined {
  try {
    return openSync(path, forPaths | constants.O_NOFOLLOW);
  } catch (thrown) {
    if (["ENOENT", "ENOTDIR", "ELOOP", "EACCES"].includes(String(codeOf(thrown)))) return undefined;
    throw thrown;
  }
}
