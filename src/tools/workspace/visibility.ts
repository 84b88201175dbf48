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

/** The rules of a folder and of all folders above it. */
interface FolderRules {
  readonly hidden: Rules;
  readonly leftOut: Rules;
}

interface Rules {
  readonly ignoring: Ignoring;
  /** Lines that they consist of. */
  readonly lines: number;
}

const noRules: Rules = { ignoring: ignoringNothing, lines: 0 };

/** Bytes of the largest ignore file; real files are far smaller. */
const maxIgnoreFileBytes = 256 * 1024;

/** Lines of rules for one path. Each is matched against it, in this thread. */
const maxLines = 2000;

/** Lines of rules for one call, in all folders. Each is made into an expression. */
const maxAllLines = 10_000;

/** Reads each ignore file once, when a path below it is first checked. So a visibility serves one call only. */
export function openVisibility({ root, files, hides, signal }: VisibilityOptions): Visibility {
  const known = new Map<string, Promise<FolderRules>>();

  function rulesIn(folder: string): Promise<FolderRules> {
    const rules = known.get(folder) ?? readRules(folder);
    known.set(folder, rules);
    return rules;
  }

  const all = { hidden: 0, leftOut: 0 };

  /** The rules together with the rules of a file of the folder. */
  function counted(kind: keyof typeof all, above: FolderRules, add: (above: Rules, room: number) => Rules): Rules {
    const before = above[kind];
    const rules = add(before, Math.min(maxLines - before.lines, maxAllLines - all[kind]));
    all[kind] += rules.lines - before.lines;
    return rules;
  }

  async function readRules(folder: string): Promise<FolderRules> {
    const above = folder === "" ? { hidden: noRules, leftOut: noRules } : await rulesIn(folderOf(folder));
    const hiddenText = await textOf(join(root, folder, hidingName)).catch((thrown: unknown) => {
      throw unreadable(folder, thrown);
    });
    const leftOutText = await textOf(join(root, folder, ".gitignore")).catch(noFile);
    return {
      hidden: counted("hidden", above, (rules, room) => withRules(rules, { folder, text: hiddenText, room })),
      leftOut: counted("leftOut", above, (rules, room) => withValidRules(rules, { folder, text: leftOutText, room })),
    };
  }

  async function textOf(path: string): Promise<string | undefined> {
    const look = await files.look(path).catch(noFile);
    if (look === undefined) return undefined;
    // A file reached through a link belongs to another folder, and its rules apply there.
    if ((await files.follow(dirname(path))) !== dirname(path)) return undefined;
    if (look.kind !== "file") throw new Error("it is no plain file");
    if (look.size > maxIgnoreFileBytes) throw new Error("it is too large");
    const bytes = await collect(files.read(path, signal), maxIgnoreFileBytes);
    if (bytes === undefined) throw new Error("it is too large");
    return bytes.toString();
  }

  return {
    async isHidden(path, isFolder) {
      if (path === "") return false;
      const { hidden } = await rulesIn(folderOf(path));
      return hides(path) || hidden.ignoring.ignores(isFolder ? `${path}/` : path);
    },
    async isLeftOut(path, isFolder) {
      if (path === "") return false;
      const { leftOut } = await rulesIn(folderOf(path));
      return leftOut.ignoring.ignores(isFolder ? `${path}/` : path);
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

/** An ignore file of a folder. */
interface IgnoreFile {
  readonly folder: string;
  /** Undefined if there is none. */
  readonly text: string | undefined;
  /** Lines that it may have. */
  readonly room: number;
}

/** @throws Error if the rules can't be read, or are so many that they take long. */
function withRules(above: Rules, { folder, text, room }: IgnoreFile): Rules {
  const rules = rulesOf(text);
  if (rules.length === 0) return above;
  try {
    if (rules.length > room) throw new Error("such files have more lines here than can be gone through in time");
    return { ignoring: above.ignoring.and(folder, rules.join("\n")), lines: above.lines + rules.length };
  } catch (thrown) {
    throw unreadable(folder, thrown);
  }
}

/** The lines of an ignore file that say something. */
function rulesOf(text = ""): readonly string[] {
  return text
    .replace(/^\uFEFF/, "")
    .split(/\r?\n/)
    .filter((line) => line.trim() !== "" && !line.startsWith("#"));
}

/**
 * True if matching can't take long, even if a stranger wrote the pattern: each star multiplies the ways to match by the
 * length of the name.
 */
export function isQuicklyMatched(pattern: string): boolean {
  const stars = (text: string): number => text.split(/\*+/).length - 1;
  const folders = pattern.split("/").filter((part) => part.includes("**")).length;
  return pattern.length <= 500 && folders <= 4 && pattern.split("/").every((part) => stars(part) <= 4);
}

/** A `.gitignore` only shortens lists, so slow lines, lines beyond the bound and invalid files are skipped. */
function withValidRules(above: Rules, { folder, text, room }: IgnoreFile): Rules {
  const rules = rulesOf(text).filter(isQuicklyMatched).slice(0, Math.max(0, room));
  if (rules.length === 0) return above;
  try {
    return { ignoring: above.ignoring.and(folder, rules.join("\n")), lines: above.lines + rules.length };
  } catch {
    return above;
  }
}

/** A part of the path is a file, or may not be entered, so it contains no rules. */
function noFile(): undefined {
  return undefined;
}
