// Finds the program that a name stands for, and the files by which it is chosen or told to do more.

import { realpathSync, statSync, type Stats } from "node:fs";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import type { Work } from "../command/decision-work.js";
import type { CommandLaw } from "./law.js";
import { home, within } from "./place.js";

type Search = Pick<CommandLaw, "root" | "path" | "work">;

/** A program as a shell finds it. */
export interface Found {
  /** True if it is outside the workspace. */
  readonly isOutside: boolean;
  /**
   * The file by which the workspace, or a folder above it, chooses what runs: the program is the shim of a version manager. Undefined if
   * there is none.
   */
  readonly chooser: string | undefined;
}

/** The steps of a look at a file. */
const stepsOfLook = 12;

/** Finds the program that a shell starts under this name in this folder. */
export function findProgram(search: Search, name: string, folder: string): Found {
  const file = installed(search, name, folder);
  return { isOutside: file !== undefined, chooser: file === undefined ? undefined : chooserOf(search, file, folder) };
}

/** The file of the program; undefined if there is none outside the workspace. */
function installed({ root, path, work }: Search, name: string, folder: string): string | undefined {
  if (name.includes("/")) return undefined;
  for (const place of path.split(":")) {
    work.spend(stepsOfLook);
    const file = join(isAbsolute(place) ? place : resolve(folder, place), name);
    if (lookAt(file)?.isFile() !== true) continue;
    const isOutside = [place, file].every((one) => isAbsolute(one) && isOutsideOf(root, one));
    return isOutside ? file : undefined;
  }
  return undefined;
}

/** True if every folder of `PATH` is outside the workspace, and so is every program. */
export function areAllOutside({ root, path, work }: Search): boolean {
  const places = path.split(":");
  work.spend(places.length * stepsOfLook);
  return places.every((place) => isAbsolute(place) && isOutsideOf(root, place));
}

function isOutsideOf(root: string, path: string): boolean {
  return within(root, lookAt(path) === undefined ? path : realpathSync.native(path)) === undefined;
}

/** The files by which version managers choose what runs. Some may name a folder of the workspace. */
const choices: readonly string[] =
  ".tool-versions mise.toml .mise.toml mise.local.toml .mise.local.toml .mise mise .config/mise.toml .config/mise .rtx.toml .prototools aqua.yaml .python-version .node-version .nvmrc .ruby-version .java-version .go-version .php-version .perl-version".split(
    " ",
  );

/** The files that choose, by the name of the program that a shim really is. */
const choicesOf: ReadonlyMap<string, readonly string[]> = new Map([
  ["rustup", ["rust-toolchain", "rust-toolchain.toml"]],
  ["volta-shim", ["package.json"]],
  ...["mise", "rtx", "asdf", "proto-shim", "aqua-proxy"].map((name) => [name, choices] as const),
]);

function chooserOf({ work }: Search, file: string, folder: string): string | undefined {
  const known = choicesOf.get(basename(realpathSync.native(file)));
  const names = known ?? (file.includes("/shims/") ? choices : undefined);
  return names && fileAbove(work, names, { from: folder, to: "/" });
}

/** The first of the names that is a file in a folder, or in one above it up to the last. */
export function fileAbove(
  work: Work,
  names: readonly string[],
  { from, to }: { readonly from: string; readonly to: string },
): string | undefined {
  for (let at = from; ; at = dirname(at)) {
    work.spend(names.length * stepsOfLook);
    const found = names.find((name) => lookAt(join(at, name)) !== undefined);
    if (found !== undefined || at === to || dirname(at) === at) return found;
  }
}

/** The first of the names that is a file in a home folder that lies in the workspace. */
export function fileAtHome(names: readonly string[], root: string): string | undefined {
  const place = home();
  if (within(root, place) === undefined && within(root, realOf(place)) === undefined) return undefined;
  return names.find((name) => lookAt(join(place, name)) !== undefined);
}

function realOf(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}

/** Undefined if nothing is there, or this user may not look: a command may not either. */
function lookAt(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
