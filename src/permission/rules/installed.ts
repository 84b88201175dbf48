// Finds the program that a name stands for, and the files by which it is chosen or told to do more.

import { realpathSync, statSync } from "node:fs";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import type { Law } from "./law.js";
import { home, within } from "./place.js";

type Search = Pick<Law, "root" | "path">;

/**
 * True if a shell finds the program outside the workspace. A program in the workspace, or in a relative folder of
 * `PATH`, may not be the one that its name promises.
 */
export function isInstalled(search: Search, name: string, folder: string): boolean {
  return installed(search, name, folder) !== undefined;
}

/** The file of the program; undefined if there is none outside the workspace. */
function installed({ root, path }: Search, name: string, folder: string): string | undefined {
  if (name.includes("/")) return undefined;
  for (const place of path.split(":")) {
    const file = join(isAbsolute(place) ? place : resolve(folder, place), name);
    if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) continue;
    const isOutside = [place, file].every((one) => isAbsolute(one) && isOutsideOf(root, one));
    return isOutside ? file : undefined;
  }
  return undefined;
}

/** True if every folder of `PATH` is outside the workspace, and so is every program. */
export function areAllOutside({ root, path }: Search): boolean {
  return path.split(":").every((place) => isAbsolute(place) && isOutsideOf(root, place));
}

function isOutsideOf(root: string, path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  return within(root, found === undefined ? path : realpathSync.native(path)) === undefined;
}

/** The files by which version managers choose what runs. Some of them may name a folder of the workspace. */
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

/**
 * The file by which the workspace, or a folder above it, chooses what runs under the name: the program is the shim of a version manager.
 * Undefined if there is none.
 */
export function chooserOf(search: Search, name: string, folder: string): string | undefined {
  const file = installed(search, name, folder);
  const known = file === undefined ? undefined : choicesOf.get(basename(realpathSync.native(file)));
  const names = known ?? (file?.includes("/shims/") === true ? choices : undefined);
  return names && fileAbove(names, folder, "/");
}

/** The first of the names that is a file in the folder, or in one above it up to the last. */
export function fileAbove(names: readonly string[], folder: string, last: string): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    const found = names.find((name) => statSync(join(at, name), { throwIfNoEntry: false }) !== undefined);
    if (found !== undefined || at === last || dirname(at) === at) return found;
  }
}

/** The first of the names that is a file in a home folder that lies in the workspace. */
export function fileAtHome(names: readonly string[], root: string): string | undefined {
  const place = home();
  if (within(root, place) === undefined && within(root, realOf(place)) === undefined) return undefined;
  return names.find((name) => statSync(join(place, name), { throwIfNoEntry: false }) !== undefined);
}

function realOf(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}
