// The changes that git knows of in a folder, as a unified diff, without files that are likely to hold secrets.

import { execFile } from "node:child_process";
import { isUtf8 } from "node:buffer";
import { lstat, readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { LastcallError } from "../../core/index.js";
import { explain, unifiedDiff } from "../../core/internal.js";
import { isSecretFile } from "../../files/index.js";
import { visible } from "../display/visible.js";

/** A diff for a review. */
export interface FoundDiff {
  /** The unified diff; empty if nothing has changed. */
  readonly text: string;
  /** The changes in words, such as "the working tree against HEAD". */
  readonly about: string;
  /** The files that are likely to hold secrets, which the diff leaves out. */
  readonly leftOut: readonly string[];
}

/** Bytes of a new file up to which the diff shows its text. */
const longest = 128 * 1024;

/** Characters of new files after which no further file is read: no review takes that much. */
const enough = 1024 * 1024;

/**
 * The changes in this folder: of a revision or a range of git, or else of the working tree against the last commit. A revision is compared
 * with the working tree, new files that git does not ignore included. No program that the repository's own settings name is run.
 * @throws LastcallError `configuration` if there is no git, no repository, or no such revision.
 */
export async function gitDiff(root: string, what: string | undefined): Promise<FoundDiff> {
  const git = await gitIn(root);
  const from = what ?? ((await hasCommit(git)) ? "HEAD" : await emptyTree(git));
  const problem = `${visible(JSON.stringify(from))} is no session, and no revision or range of git`;
  const changed = named(await git(["diff", ...plainly, "--name-only", "-z", from, "--"], problem));
  const isRange = from.includes("..");
  const fresh = isRange ? [] : named(await git(["ls-files", "--others", "--exclude-standard", "-z"], problem));
  const leftOut = [...changed, ...fresh].filter(isSecretFile);
  const others = leftOut.map((path) => `:(exclude,literal)${path}`);
  const known = await git(["diff", ...plainly, from, "--", ".", ...others], problem);
  const added = await newFiles(
    root,
    fresh.filter((path) => !isSecretFile(path)),
  );
  const text = [known.trimEnd(), ...added].filter((part) => part !== "").join("\n");
  const tree = what ?? "the last commit";
  return { text, about: isRange ? from : `the working tree against ${tree}`, leftOut };
}

/** Options with which git itself makes the diff, in this folder, with paths from the folder. */
const plainly = [
  "--no-color",
  "--no-ext-diff",
  "--no-textconv",
  "--ignore-submodules=dirty",
  "--relative",
  "--src-prefix=a/",
  "--dst-prefix=b/",
];

/** Runs git in a folder. @throws LastcallError `configuration` with the problem, and what git says. */
type Git = (args: readonly string[], problem: string) => Promise<string>;

/** Git in this folder, without the programs that the repository's settings name: hooks, filters, watchers. */
async function gitIn(root: string): Promise<Git> {
  const settings = ["core.hooksPath=/dev/null", "core.fsmonitor=false", "core.quotePath=false"];
  const env = { ...process.env, GIT_OPTIONAL_LOCKS: "0", GIT_NO_LAZY_FETCH: "1" };
  const git: Git = async (args, problem) => {
    const options = settings.flatMap((one) => ["-c", one]);
    try {
      const run = promisify(execFile);
      const { stdout } = await run("git", [...options, ...args], { cwd: root, env, maxBuffer: 64 * 1024 * 1024 });
      return stdout;
    } catch (thrown) {
      const { stderr = "" } = thrown as { readonly stderr?: string };
      const [said = ""] = (stderr === "" ? explain(thrown) : stderr).trim().split("\n");
      throw new LastcallError("configuration", `${problem}: ${visible(said)}`, { cause: thrown });
    }
  };
  await git(["rev-parse", "--is-inside-work-tree"], "A review needs a folder of git, or the id of a session");
  settings.push(...(await ownFilters(git)));
  return git;
}

/** Settings that turn off the filters which the repository itself names. Filters of the user stay. */
async function ownFilters(git: Git): Promise<readonly string[]> {
  const args = ["config", "--show-scope", "--includes", "--name-only", "--get-regexp", "^filter\\."];
  const all = await git(args, "").catch(() => "");
  const own = all.split("\n").flatMap((line) => /^(?:local|worktree)\t(filter\..*)\.[^.]+$/.exec(line)?.[1] ?? []);
  const odd = own.find((name) => name.includes("="));
  if (odd !== undefined)
    throw new LastcallError("configuration", `The repository has a filter that can't be left out: ${visible(odd)}.`);
  return [...new Set(own)].flatMap((name) => [`${name}.clean=`, `${name}.process=`, `${name}.required=false`]);
}

function named(list: string): readonly string[] {
  return list.split("\0").filter((path) => path !== "");
}

async function hasCommit(git: Git): Promise<boolean> {
  return git(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"], "").then(
    () => true,
    () => false,
  );
}

/** The tree without files, for a repository without commits. */
async function emptyTree(git: Git): Promise<string> {
  return (await git(["hash-object", "-t", "tree", "/dev/null"], "git can't be asked")).trim();
}

/** New files as diffs. */
async function newFiles(root: string, paths: readonly string[]): Promise<readonly string[]> {
  const diffs: string[] = [];
  let size = 0;
  for (const path of paths) {
    if (size > enough) break;
    const diff = await newFile(root, path);
    size += diff.length;
    diffs.push(diff);
  }
  return diffs;
}

/** A new file as a diff. A file without text, and a large file, has no lines. */
async function newFile(root: string, path: string): Promise<string> {
  const found = await lstat(join(root, path)).catch(() => undefined);
  if (found === undefined) return "";
  if (!found.isFile() || found.size > longest) return withoutLines(path);
  const bytes = await readFile(join(root, path));
  return isUtf8(bytes) && !bytes.includes(0) ? unifiedDiff(path, undefined, bytes.toString()) : withoutLines(path);
}

function withoutLines(path: string): string {
  return `Binary files /dev/null and b/${path} differ`;
}
