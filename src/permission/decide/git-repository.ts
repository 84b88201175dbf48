// Finds out whether a repository could make git run a program, or print files that nobody sees, while it reads.

import { closeSync, fstatSync, lstatSync, openSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { TooMuchWork, Work } from "../command/decision-work.js";
import { readGitIndex, type GitIndex } from "./git-index.js";
import { strangeEntry } from "./git-links.js";

/** The largest config and index that are read, in bytes. */
const maxConfig = 64 * 1024;
const maxIndex = 16 * 1024 * 1024;
/** The steps of a look at a repository without its entries, and of a byte of its index. */
const stepsOfRepository = 300;
const stepsOfByte = 0.004;

/** The keys of a config that run nothing, and lead nowhere else, when git reads. */
const harmlessKeys: readonly RegExp[] = [
  /^core\.(?:repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|autocrlf|eol|safecrlf|quotepath|abbrev|compression|longpaths|untrackedcache|sharedrepository|trustctime|preloadindex|sparsecheckout|sparsecheckoutcone|commentchar)$/,
  /^extensions\.worktreeconfig$/,
  /^init\.defaultbranch$/,
  /^user\.(?:name|email|signingkey)$/,
  /^remote\..+\.(?:url|pushurl|fetch|push|tagopt|prune|gh-resolved)$/,
  /^remote\.pushdefault$/,
  /^branch\..+\.(?:remote|merge|rebase|pushremote|description|vscode-merge-base|gh-merge-base|github-pr-owner-number|base)$/,
  /^branch\.(?:autosetuprebase|autosetupmerge|sort)$/,
  /^submodule\..+\.(?:url|active)$/,
  /^(?:pull\.(?:rebase|ff)|push\.(?:default|autosetupremote|followtags)|merge\.(?:ff|conflictstyle|renames)|rebase\.(?:autosquash|autostash)|rerere\.enabled)$/,
  /^(?:commit\.gpgsign|tag\.(?:gpgsign|sort)|fetch\.(?:prune|prunetags)|gc\.auto|color\.[a-z.]+|advice\.[a-z]+)$/,
  /^(?:diff\.(?:algorithm|renames|colormoved|mnemonicprefix|noprefix)|status\.showuntrackedfiles|log\.(?:date|decorate|abbrevcommit))$/,
  /^(?:lfs\.repositoryformatversion|http\..+\.extraheader)$/,
];

const nothing: GitIndex = { names: [], hasSubmodules: false };

/** What is known of a repository that nothing can be said against; or the reason against it. */
export type Repository =
  { readonly is: "harmless"; readonly index: GitIndex } | { readonly is: "refused"; readonly reason: string };

/**
 * Looks at the repository of the root, as git finds it from a folder of the root.
 * @throws TooMuchWork if the work that is left does not suffice.
 */
export function lookAtRepository(root: string, folder: string, work: Work = new Work()): Repository {
  try {
    work.spend(stepsOfRepository);
    const reason = strangeIn(root, folder) ?? strangeConfig(root) ?? strangeEntry(join(root, ".git"), work);
    if (reason !== undefined) return { is: "refused", reason };
    const path = join(root, ".git/index");
    const content = kindOf(path) === undefined ? undefined : readUpTo(path, maxIndex);
    work.spend((content?.length ?? 0) * stepsOfByte);
    const index = kindOf(path) === undefined ? nothing : readGitIndex(content);
    return index.hasSubmodules ? { is: "refused", reason: "the repository has submodules" } : { is: "harmless", index };
  } catch (thrown) {
    if (thrown instanceof TooMuchWork) throw thrown;
    return { is: "refused", reason: "its .git can't be read" };
  }
}

type Kind = "file" | "folder" | "other" | undefined;

function kindOf(path: string): Kind {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return undefined;
  return found.isFile() ? "file" : found.isDirectory() ? "folder" : "other";
}

function strangeIn(root: string, folder: string): string | undefined {
  for (let at = folder; at !== root; at = dirname(at)) {
    if (dirname(at) === at || at === join(root, ".git")) return "it does not run in the root's own repository";
    // A folder with a .git is another repository, and so is a folder that looks like one.
    if (kindOf(join(at, ".git")) !== undefined || kindOf(join(at, "HEAD")) !== undefined)
      return "it runs in a repository within the workspace";
  }
  const git = join(root, ".git");
  const parts = ["", "objects", "refs"].map((name) => kindOf(join(git, name)));
  if (parts.some((kind) => kind !== "folder") || kindOf(join(git, "HEAD")) !== "file")
    return "the workspace is not the root of a repository";
  for (const name of ["commondir", "objects/info/alternates", "hooks/post-index-change", "shallow.lock"])
    if (kindOf(join(git, name)) !== undefined) return `the repository has .git/${name}`;
  const hooks = kindOf(join(git, "hooks"));
  if (hooks !== undefined && hooks !== "folder") return "its .git/hooks is no folder";
  if (readdirSync(git).some((name) => name.startsWith("sharedindex."))) return "its index is split";
  return undefined;
}

function strangeConfig(root: string): string | undefined {
  for (const name of ["config", "config.worktree"]) {
    const path = join(root, ".git", name);
    const kind = kindOf(path);
    if (kind === undefined && name !== "config") continue;
    if (kind !== "file") return `.git/${name} is no ordinary file`;
    const content = readUpTo(path, maxConfig);
    if (content === undefined) return `.git/${name} is too large`;
    const strange = strangeKey(content.toString("latin1"));
    if (strange !== undefined) return `.git/${name} has ${strange}`;
  }
  return undefined;
}

/** Words for the first key that is not known to be harmless. */
export function strangeKey(text: string): string | undefined {
  let section = "";
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (/^\s*(?:[#;].*)?$/.test(line)) continue;
    const [header, name = "", inner] = /^\s*\[([A-Za-z0-9-]+)(?:\s+"([^"\\]*)")?\]\s*$/.exec(line) ?? [];
    if (header !== undefined) {
      section = `${name.toLowerCase()}.${inner === undefined ? "" : `${inner}.`}`;
      continue;
    }
    const key = /^\s*([A-Za-z][A-Za-z0-9-]*)\s*(?:=.*)?$/.exec(line)?.[1];
    // A value that goes on in the next line may hide another key.
    if (key === undefined || section === "" || line.endsWith("\\"))
      return `line ${String(index + 1)} that can't be read`;
    const full = section + key.toLowerCase();
    if (!harmlessKeys.some((known) => known.test(full))) return `the key ${full}, which is not known to be harmless`;
  }
  return undefined;
}

/** The content of a file; undefined if it is missing or larger. */
function readUpTo(path: string, limit: number): Buffer | undefined {
  if (kindOf(path) !== "file") return undefined;
  const descriptor = openSync(path, "r");
  try {
    // A read may return less than there is, so this one goes on until the end: a key that was left out would count as harmless.
    return fstatSync(descriptor).size > limit ? undefined : readFileSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
