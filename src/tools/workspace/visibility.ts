// Sight: which paths of a workspace the tools show, and which are as if they were not there.

import { dirname, join } from "node:path";
import { explain } from "../../core/internal.js";
import { ignoringNothing, type Ignoring } from "../../files/index.js";
import { collect } from "../text/collect.js";
import type { WorkspaceFiles } from "./workspace-files.js";

/** The name of the files that say what is hidden. */
export const hidingName = ".lastcallignore";

/** Says of paths, relative to the root and with slashes, `""` the root, what may be seen of them. */
export interface Visibility {
  /** True for what no tool shows, reads or writes. */
  isHidden(path: string, isFolder: boolean): Promise<boolean>;
  /** True for what is left out of lists and searches alone, because of a `.gitignore`. */
  isLeftOut(path: string, isFolder: boolean): Promise<boolean>;
}

/** What a sight looks at. */
export interface VisibilityOptions {
  readonly root: string;
  readonly files: WorkspaceFiles;
  /** True for what is hidden whatever the files of rules say. */
  readonly hides: (path: string) => boolean;
  readonly signal: AbortSignal;
}

interface Rules {
  readonly hidden: Ignoring;
  readonly leftOut: Ignoring;
}

/** Bytes of a file of rules; nobody writes so many. */
const mostRules = 1024 * 1024;

/** Reads each file of rules once, when a path below it is first asked for: a sight is for one call. */
export function openVisibility({ root, files, hides, signal }: VisibilityOptions): Visibility {
  const known = new Map<string, Promise<Rules>>();

  function rulesIn(folder: string): Promise<Rules> {
    const rules = known.get(folder) ?? readRules(folder);
    known.set(folder, rules);
    return rules;
  }

  async function readRules(folder: string): Promise<Rules> {
    const above =
      folder === "" ? { hidden: ignoringNothing, leftOut: ignoringNothing } : await rulesIn(folderOf(folder));
    const hiding = await textOf(join(root, folder, hidingName)).catch((thrown: unknown) => {
      throw unreadable(folder, thrown);
    });
    const leaving = await textOf(join(root, folder, ".gitignore")).catch(() => undefined);
    return {
      hidden: hiding === undefined ? above.hidden : withRules(above.hidden, folder, hiding),
      leftOut: leaving === undefined ? above.leftOut : orAsBefore(above.leftOut, folder, leaving),
    };
  }

  async function textOf(path: string): Promise<string | undefined> {
    const look = await files.look(path).catch(nothingBelowFile);
    if (look === undefined) return undefined;
    // By a link, it is another folder's, which has its say where that one is meant.
    if ((await files.follow(dirname(path))) !== dirname(path)) return undefined;
    if (look.kind !== "file") throw new Error("it is no plain file");
    const bytes = await collect(files.read(path, signal), mostRules);
    if (bytes === undefined) throw new Error("it is too large");
    return bytes.toString();
  }

  return {
    async isHidden(path, isFolder) {
      if (path === "") return false;
      const { hidden } = await rulesIn(folderOf(path));
      return hides(path) || hidden.ignores(isFolder ? `${path}/` : path);
    },
    async isLeftOut(path, isFolder) {
      if (path === "") return false;
      const { leftOut } = await rulesIn(folderOf(path));
      return leftOut.ignores(isFolder ? `${path}/` : path);
    },
  };
}

/** The folder that a path is in; `""` for the root. */
function folderOf(path: string): string {
  const folder = dirname(path);
  return folder === "." ? "" : folder;
}

/** Where nobody can say what is hidden, nothing is shown. */
function unreadable(folder: string, thrown: unknown): Error {
  const path = join(folder, hidingName);
  return new Error(
    `${path} can't be read (${explain(thrown)}), so nobody can say what may be seen. Ask the user to mend it.`,
    {
      cause: thrown,
    },
  );
}

function withRules(above: Ignoring, folder: string, text: string): Ignoring {
  try {
    return above.and(folder, text);
  } catch (thrown) {
    throw unreadable(folder, thrown);
  }
}

/** Whoever wrote a pattern, it must not make the process wait: with each star, there are as many more ways to try as a name is long. */
export function isSoonMatched(pattern: string): boolean {
  const stars = (text: string): number => text.split(/\*+/).length - 1;
  const folders = pattern.split("/").filter((part) => part.includes("**")).length;
  return pattern.length <= 500 && folders <= 4 && pattern.split("/").every((part) => stars(part) <= 4);
}

/** A `.gitignore` only makes lists shorter: a line that takes too long, or a file that makes no sense, is passed over. */
function orAsBefore(above: Ignoring, folder: string, text: string): Ignoring {
  try {
    return above.and(folder, text.split("\n").filter(isSoonMatched).join("\n"));
  } catch {
    return above;
  }
}

/** A part of the path is a file, or may not be entered: there are no rules in it. */
function nothingBelowFile(): undefined {
  return undefined;
}
