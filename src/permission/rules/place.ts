// Resolves a path of a call, and keeps all the names of the file.

import { homedir } from "node:os";
import { isAbsolute, relative, resolve, sep } from "node:path";
import { explain } from "../../core/internal.js";
import { expand, locate } from "../../files/index.js";

/** A path of a call, resolved. */
export interface ResolvedPath {
  /** The path as the call gives it. */
  readonly path: string;
  /** Every absolute path of the file: as written, and the real path. */
  readonly absolute: readonly string[];
  /** The real path, relative to the root, with slashes; undefined if it leads outside, or can't be resolved. */
  readonly inside: string | undefined;
  /** Why it is not inside, in words for the model. */
  readonly problem: string | undefined;
}

/** The part of a file system that is needed to resolve a path. */
export type Links = NonNullable<Parameters<typeof locate>[2]>;

/** Resolves a path, seen from the root. Default of `links`: the disk. */
export async function resolvePath(root: string, path: string, links?: Links): Promise<ResolvedPath> {
  const written = resolve(root, expand(path).replaceAll("\0", "\ufffd"));
  try {
    const real = await locate(root, path, links);
    const inside = within(root, real) ?? "";
    return { path, absolute: [...new Set([written, real])], inside, problem: undefined };
  } catch (thrown) {
    return { path, absolute: [written], inside: undefined, problem: explain(thrown) };
  }
}

/** The path relative to the folder, with slashes; empty for the folder itself, undefined outside the folder. */
export function within(folder: string, path: string): string | undefined {
  const relativePath = relative(folder, path);
  return isAbsolute(relativePath) || relativePath.split(sep)[0] === ".."
    ? undefined
    : relativePath.split(sep).join("/");
}

/** The home folder, which `~` stands for. */
export function home(): string {
  return homedir();
}
