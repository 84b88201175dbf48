// Places: a path of a call, with all the names that it goes by.

import { homedir } from "node:os";
import { isAbsolute, relative, resolve, sep } from "node:path";
import { explain } from "../../core/internal.js";
import { expand, locate } from "../../files/index.js";

/** Where a path of a call leads. */
export interface Place {
  /** As the call has it. */
  readonly path: string;
  /** Every absolute path that it goes by: as it is written, and where it really leads. */
  readonly absolute: readonly string[];
  /** The real path, relative to the root, with slashes; undefined where it leads outside, or nobody can say where. */
  readonly inside: string | undefined;
  /** Why it is not inside, in words for the model. */
  readonly problem: string | undefined;
}

/** Finds out where a path leads, seen from the root. */
export async function placeOf(root: string, path: string): Promise<Place> {
  const written = resolve(root, expand(path).replaceAll("\0", "\ufffd"));
  try {
    const real = await locate(root, path);
    const inside = within(root, real) ?? "";
    return { path, absolute: [...new Set([written, real])], inside, problem: undefined };
  } catch (thrown) {
    return { path, absolute: [written], inside: undefined, problem: explain(thrown) };
  }
}

/** The path relative to the folder, with slashes; empty for the folder itself, undefined for what is not in it. */
export function within(folder: string, path: string): string | undefined {
  const way = relative(folder, path);
  return isAbsolute(way) || way.split(sep)[0] === ".." ? undefined : way.split(sep).join("/");
}

/** The folder that `~` means. */
export function home(): string {
  return homedir();
}
