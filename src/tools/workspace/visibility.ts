// Decides which paths of a workspace the tools show, and which are hidden from them.

import { dirname, join } from "node:path";
import { explain } from "../../core/internal.js";
import { ignoringNothing, type Ignoring } from "../../files/index.js";
import { collect } from "../text/collect.js";
import type { WorkspaceFiles } from "./workspace-files.js";

/** The name of the files that list hidden paths. */
export const hidingName = ".lastcallignore";

/** Says which paths are visible. Paths are relative to the root, with slashes; `""` is the root. */
export interface Visibility {
  /** True if no tool shows, reads or writes the path. */
  isHidden(path: string, isFolder: boolean): Promise<boolean>;
  /** True if lists and searches leave the path out, because of a `.gitignore`. */
  isLeftOut(path: string, isFolder: boolean): Promise<boolean>;
}

/** Options of a visibility. */
export interface VisibilityOptions {
  readonly root: string;
  readonly files: WorkspaceFiles;
  /** True for paths that are hidden whatever the ignore files say. */
  readonly hides: (path: string) => boolean;
  readonly signal: AbortSignal;
}

interface FolderRules {
  readonly hidden: Ignoring;
  readonly leftOut: Ignoring;
}

/** Bytes of the largest ignore file; real ones are far smaller. */
const maxIgnoreFileBytes = 1024 * 1024;

/** Reads each ignore file once, when a path below it is first checked. So a visibility serves one call only. */
export function openVisibility({ root, files, hides, signal }: VisibilityOptions): Visibility {
  const known = new Map<string, Promise<FolderRules>>();

  function rulesIn(folder: string): Promise<FolderRules> {
    const rules = known.get(folder) ?? readRules(folder);
    known.set(folder, rules);
    return rules;
  }

  async function readRules(folder: string): Promise<FolderRules> {
    const above =
      folder === "" ? { hidden: ignoringNothing, leftOut: ignoringNothing } : await rulesIn(folderOf(folder));
    const hiddenText = await textOf(join(root, folder, hidingName)).catch((thrown: unknown) => {
      throw unreadable(folder, thrown);
    });
    const leftOutText = await textOf(join(root, folder, ".gitignore")).catch(() => undefined);
    return {
      hidden: hiddenText === undefined ? above.hidden : withRules(above.hidden, folder, hiddenText),
      leftOut: leftOutText === undefined ? above.leftOut : withValidRules(above.leftOut, folder, leftOutText),
    };
  }

  async function textOf(path: string): Promise<string | undefined> {
    const look = await files.look(path).catch(noFile);
    if (look === undefined) return undefined;
    // A file reached through a link belongs to another folder, and its rules apply there.
    if ((await files.follow(dirname(path))) !== dirname(path)) return undefined;
    if (look.kind !== "file") throw new Error("it is no plain file");
    const bytes = await collect(files.read(path, signal), maxIgnoreFileBytes);
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

/** The folder that contains a path; `""` for the root. */
function folderOf(path: string): string {
  const folder = dirname(path);
  return folder === "." ? "" : folder;
}

/** If nobody can say which paths are hidden, nothing is shown. */
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

/**
 * True if matching can't take long, whoever wrote the pattern: each star multiplies the ways to match by the length of
 * the name.
 */
export function isQuicklyMatched(pattern: string): boolean {
  const stars = (text: string): number => text.split(/\*+/).length - 1;
  const folders = pattern.split("/").filter((part) => part.includes("**")).length;
  return pattern.length <= 500 && folders <= 4 && pattern.split("/").every((part) => stars(part) <= 4);
}

/** A `.gitignore` only shortens lists, so slow lines and invalid files are skipped. */
function withValidRules(above: Ignoring, folder: string, text: string): Ignoring {
  try {
    return above.and(folder, text.split("\n").filter(isQuicklyMatched).join("\n"));
  } catch {
    return above;
  }
}

/** A part of the path is a file, or may not be entered, so it contains no rules. */
function noFile(): undefined {
  return undefined;
}
