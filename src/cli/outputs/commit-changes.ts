// The commit of a session's changes: from the record of its changes, through a separate index.

import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { ChangedFile, KeptFile, SessionFiles } from "../../tools/index.js";
import { fields, found, type Git } from "./git.js";
import type { Repository } from "./repository.js";

/** A file of a commit. */
export interface CommittedFile {
  /** From the top of the repository. */
  readonly path: string;
  readonly change: "new" | "changed" | "removed";
  /** The lines that the commit adds and removes; undefined for a file that is no text. */
  readonly lines: { readonly added: number; readonly removed: number } | undefined;
}

/** A commit that was made, or the reasons why none was made. */
export interface Committed {
  /** The hash of the commit; undefined if there is none, because nothing differs or because of `against`. */
  readonly commit: string | undefined;
  readonly files: readonly CommittedFile[];
  /** Changed files that are not in it, with the reasons. Files that git ignores are left out silently. */
  readonly leftOut: readonly string[];
  /** Paths with changes of other people or sessions. They are not in the commit. */
  readonly others: readonly string[];
  /** The reasons why nothing is committed; empty if something is, or could be. */
  readonly against: readonly string[];
}

/** A file as git keeps it. */
interface GitEntry {
  readonly mode: string;
  readonly object: string;
}

/** A path whose entry the commit changes. */
interface Step {
  readonly path: string;
  readonly before: GitEntry | undefined;
  readonly after: GitEntry | undefined;
}

const modes = { file: "100644", program: "100755", link: "120000" } as const;
const empty: Omit<Committed, "commit"> = { files: [], leftOut: [], others: [], against: [] };

/**
 * Commits the session's changes, and nothing else. If one change can't be committed, none is. The files in the folder stay as they are.
 * In the index, only the entries of committed paths change, and no entry that somebody has staged.
 * @throws GitError if git fails.
 */
export async function commitChanges(
  repository: Repository,
  { files, shared, unseen }: SessionFiles,
  message: string,
): Promise<Committed> {
  const { git, inside, checkedOut } = repository;
  const head = await found(git(["rev-parse", "--verify", "--quiet", "HEAD"]));
  const tree = head === undefined ? new Map<string, GitEntry>() : await entriesOf(git);
  const known = files.map((file) => ({ ...file, path: inside + file.path }));
  const either = shared.map((path) => inside + path);
  const isIgnored = await ignoring(
    git,
    [...known.map(({ path }) => path), ...either].filter((path) => !tree.has(path)),
  );
  const leftOut: string[] = [];
  const against = [
    ...((await found(git(["symbolic-ref", "--quiet", "HEAD"]))) === checkedOut
      ? []
      : ["Another branch was checked out meanwhile."]),
    ...unseen.map(
      ({ tool, iteration }) =>
        `What ${tool} changed in iteration ${String(iteration)} is not known: the folder has too many files.`,
    ),
    ...either
      .filter((path) => !isIgnored(path))
      .map((path) => `${path}: a command of another session ran at the same time, and either may have changed it.`),
  ];
  const steps: Step[] = [];
  for (const file of known) {
    if (isIgnored(file.path)) continue;
    const taken = await stepFor(file, tree.get(file.path), repository);
    if ("leftOut" in taken) leftOut.push(`${file.path}: ${taken.leftOut}`);
    else if ("against" in taken) against.push(`${file.path}: ${taken.against}`);
    else if ("step" in taken) steps.push(taken.step);
  }
  if (against.length > 0) return { ...empty, commit: undefined, against };
  if (steps.length === 0) return { ...empty, commit: undefined, leftOut };
  const commit = await commitOf(repository, head, steps, message);
  await checkOut(repository, { commit, head, message, steps });
  return { ...empty, commit, leftOut, files: await countedFiles(git, commit, steps), others: await changedIn(git) };
}

type Taken =
  { readonly step: Step } | { readonly same: true } | { readonly leftOut: string } | { readonly against: string };

/** The step for a file, or the reason why there is none. */
async function stepFor(file: ChangedFile, before: GitEntry | undefined, repository: Repository): Promise<Taken> {
  const { path } = file;
  if (isWithinAnother(path, repository)) return { leftOut: "it is in another repository" };
  const after = await entryOf(file.after, path, repository, before);
  if (after === "unknown") return { leftOut: "no content is kept of files that may hold secrets, or are over 64 MB" };
  if (isSame(after, before)) return { same: true };
  for (const one of file.before) {
    const then = await entryOf(one, path, repository, before);
    if (then !== "unknown" && isSame(then, before)) return { step: { path, before, after } };
  }
  return { against: "it had other changes before, which nobody had committed" };
}

/** The entry that git would make of the file. The modes of `like` are taken if git does not look at modes. */
async function entryOf(
  file: KeptFile,
  path: string,
  { git, ignoresModes }: Repository,
  like: GitEntry | undefined,
): Promise<GitEntry | undefined | "unknown"> {
  const { kind } = file;
  if (kind === "none") return undefined;
  const content = file.content();
  if (kind === "unknown" || content === undefined) return "unknown";
  const way = kind === "link" ? "--no-filters" : `--path=${path}`;
  const object = (await git(["hash-object", "-w", "--stdin", way], content)).trim();
  const isFile = kind !== "link" && (like?.mode === modes.file || like?.mode === modes.program);
  return { mode: ignoresModes && isFile ? like.mode : modes[kind], object };
}

function isSame(one: GitEntry | undefined, other: GitEntry | undefined): boolean {
  return one?.mode === other?.mode && one?.object === other?.object;
}

/** True for a path in a submodule, or in a repository within this repository. */
function isWithinAnother(path: string, { top }: Repository): boolean {
  for (let folder = dirname(path); folder !== "."; folder = dirname(folder))
    if (existsSync(join(top, folder, ".git"))) return true;
  return false;
}

/** The entries of the commit that is checked out. */
async function entriesOf(git: Git): Promise<ReadonlyMap<string, GitEntry>> {
  const lines = fields(await git(["ls-tree", "-r", "-z", "--full-tree", "HEAD"]));
  return new Map(lines.map((line) => entryIn(line, /^(\d+) \w+ (\w+)\t(.*)$/s)));
}

function entryIn(line: string, form: RegExp): readonly [string, GitEntry] {
  const [, mode = "", object = "", path = ""] = form.exec(line) ?? [];
  return [path, { mode, object }];
}

/** Tells which of these paths the ignore files of the repository leave out. */
async function ignoring(git: Git, paths: readonly string[]): Promise<(path: string) => boolean> {
  const asked = paths.map((path) => `${path}\0`).join("");
  const printed = asked === "" ? undefined : await found(git(["check-ignore", "-z", "--stdin"], asked));
  const ignored = new Set(fields(printed ?? ""));
  return (path) => ignored.has(path);
}

/** Makes the commit, and nothing that leads to it. */
async function commitOf(
  { gitWith, git }: Repository,
  head: string | undefined,
  steps: readonly Step[],
  message: string,
): Promise<string> {
  const place = await mkdtemp(join(tmpdir(), "lastcall-index-"));
  try {
    const own = gitWith(join(place, "index"));
    await own(["read-tree", head ?? "--empty"]);
    await own(["update-index", "-z", "--index-info"], indexLines(steps));
    const tree = (await own(["write-tree"])).trim();
    return (await git(["commit-tree", tree, ...(head === undefined ? [] : ["-p", head])], message)).trim();
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}

/** The steps as `update-index` reads them. What goes comes first: a folder may come in the place of a file. */
function indexLines(steps: readonly Step[]): string {
  const gone = steps.filter(({ after }) => after === undefined);
  const there = steps.filter(({ after }) => after !== undefined);
  return [...gone, ...there]
    .map(({ path, before, after }) => `${after?.mode ?? "0"} ${(after ?? before)?.object ?? ""}\t${path}\0`)
    .join("");
}

/** A commit that is to be checked out. */
interface Next {
  readonly commit: string;
  readonly head: string | undefined;
  readonly message: string;
  readonly steps: readonly Step[];
}

/**
 * Makes the commit the tip of its branch, and checks the branch out. The new branch comes first, and HEAD moves last: a process that dies
 * in between leaves the changes in the index at most.
 */
async function checkOut({ git, newBranch }: Repository, { commit, head, message, steps }: Next): Promise<void> {
  const log = `lastcall: ${message.split("\n")[0] ?? ""}`;
  const none = "0".repeat(commit.length);
  // A branch that somebody has made meanwhile is not moved.
  if (newBranch !== undefined) await git(["update-ref", "-m", log, newBranch, commit, none]);
  const lines = fields(await git(["ls-files", "--stage", "-z"]));
  const staged = new Map(lines.map((line) => entryIn(line, /^(\d+) (\w+) \d\t(.*)$/s)));
  const unstaged = steps.filter(({ path, before }) => isSame(staged.get(path), before));
  await git(["update-index", "-z", "--index-info"], indexLines(unstaged));
  if (newBranch === undefined) await git(["update-ref", "-m", log, "HEAD", commit, head ?? none]);
  else await git(["symbolic-ref", "-m", log, "HEAD", newBranch]);
}

/** The files of the commit, with their lines. */
async function countedFiles(git: Git, commit: string, steps: readonly Step[]): Promise<readonly CommittedFile[]> {
  const how = ["--root", "-r", "--no-commit-id", "--numstat", "-z", "--no-renames", "--no-ext-diff"];
  const counts = new Map(
    fields(await git(["diff-tree", ...how, commit])).map((line) => {
      const [added = "", removed = "", path = ""] = line.split("\t");
      return [path, added === "-" ? undefined : { added: Number(added), removed: Number(removed) }];
    }),
  );
  return steps.map(({ path, before, after }) => ({
    path,
    change: before === undefined ? "new" : after === undefined ? "removed" : "changed",
    lines: counts.get(path),
  }));
}

/** The paths with changes that nobody has committed, by default with files that git does not know. */
export async function changedIn(git: Git, untracked: "normal" | "no" = "normal"): Promise<readonly string[]> {
  const how = ["--no-renames", "--ignore-submodules=all", `--untracked-files=${untracked}`];
  const lines = fields(await git(["status", "--porcelain", "-z", ...how]));
  return lines.map((line) => line.slice("XY ".length));
}
