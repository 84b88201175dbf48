// The repository that the work of a task is committed to, looked at before anything runs.

import { existsSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { relative, resolve } from "node:path";
import { LastcallError } from "../../core/index.js";
import type { Settings } from "../args/args.js";
import { visible } from "../display/visible.js";
import type { Surroundings } from "../person/surface.js";
import { fields, found, gitIn, GitError, type Git } from "./git.js";

/** The repository of a work folder. */
export interface Repository {
  /** Git at its top. */
  readonly git: Git;
  /** The same, with another index. */
  readonly gitWith: (index: string) => Git;
  /** The folder of its files. */
  readonly top: string;
  /** The way from there to the work folder, with a slash at its end; empty if they are the same. */
  readonly inside: string;
  /** The branch that is checked out, `refs/heads/NAME`; undefined if there is none. */
  readonly checkedOut: string | undefined;
  /** The branch to make, `refs/heads/NAME`; undefined to commit on whatever is checked out. */
  readonly newBranch: string | undefined;
  /** True if git does not look at the modes of files. */
  readonly ignoresModes: boolean;
}

const branches = "refs/heads/";

/** Files of git while a merge or the like is under way. */
const underWay = ["MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply"];

/**
 * Looks at the repository of the work folder, and at the branch.
 * @throws LastcallError `configuration` that says why the work could not be committed there.
 */
export async function repositoryFor(
  { workdir, branch, order }: Pick<Settings, "workdir" | "branch" | "order">,
  { env }: Pick<Surroundings, "env">,
): Promise<Repository> {
  const option = branch === undefined ? "--commit" : "--branch";
  const refuse = (why: string): LastcallError =>
    new LastcallError("configuration", `${option} ${visible(why, { multiline: true })} Nothing was done.`);
  const folder = await realpath(workdir);
  const top = await topOf(folder, env).catch((thrown: unknown) => {
    const words = thrown instanceof Error ? thrown.message : String(thrown);
    const noGit = thrown instanceof GitError && thrown.code === undefined;
    throw refuse(
      noGit ? "needs git, and there is no git on PATH." : `needs a repository of git at ${folder}: ${words}.`,
    );
  });
  const git = gitIn(top, env);
  try {
    const against = (await programIn(git)) ?? (await stateOf(git, top));
    if (against !== undefined) throw refuse(against);
    await expectName(git, refuse);
    const checkedOut = await found(git(["symbolic-ref", "--quiet", "HEAD"]));
    // A resumed session may be on its branch already.
    const isThere = order.do === "resume" && branch !== undefined && checkedOut === branches + branch;
    const newBranch = branch === undefined || isThere ? undefined : branches + branch;
    const taken = newBranch === undefined ? undefined : await whyNot(git, newBranch);
    if (taken !== undefined) throw refuse(taken);
    const modes = await git(["config", "--type=bool", "--default=true", "--get", "core.fileMode"]);
    const inside = relative(top, folder);
    return {
      git,
      gitWith: (index) => gitIn(top, env, index),
      top,
      inside: inside === "" ? "" : `${inside}/`,
      checkedOut,
      newBranch,
      ignoresModes: modes.trim() === "false",
    };
  } catch (thrown) {
    throw thrown instanceof GitError ? refuse(`can't use the repository at ${top}: ${thrown.message}.`) : thrown;
  }
}

async function topOf(folder: string, env: Surroundings["env"]): Promise<string> {
  return realpath((await gitIn(folder, env)(["rev-parse", "--show-toplevel"])).replace(/\n$/, ""));
}

/** A program that the repository's own settings make git run for a commit, in words; undefined if there is none. */
async function programIn(git: Git): Promise<string | undefined> {
  const settings = fields(await git(["config", "--list", "--show-scope", "--includes", "-z"]));
  for (let at = 0; at + 1 < settings.length; at += 2) {
    const [key = ""] = (settings[at + 1] ?? "").split("\n");
    const isOwn = settings[at] === "local" || settings[at] === "worktree";
    if (isOwn && /^filter\..*\.(?:clean|process)$/s.test(key))
      return `would run a program that the settings of this repository name, ${key}. If you know it, state it in your own settings instead: git config --global.`;
  }
  return undefined;
}

/** The work of somebody else that a commit would get in the way of, in words; undefined if there is none. */
async function stateOf(git: Git, top: string): Promise<string | undefined> {
  const paths = await Promise.all(underWay.map((name) => git(["rev-parse", "--git-path", name])));
  const at = paths.findIndex((path) => existsSync(resolve(top, path.replace(/\n$/, ""))));
  const unmerged = at < 0 && (await git(["ls-files", "--unmerged", "-z"])) !== "";
  return at < 0 && !unmerged ? undefined : `has to wait: a merge or a rebase is under way in ${top}. End it first.`;
}

/** Checks that a commit would have an author. */
async function expectName(git: Git, refuse: (why: string) => LastcallError): Promise<void> {
  try {
    for (const who of ["GIT_AUTHOR_IDENT", "GIT_COMMITTER_IDENT"]) await git(["var", who]);
  } catch {
    throw refuse("needs the name of who commits: git config user.name NAME, git config user.email ADDRESS.");
  }
}

/** The reason why the branch can't be made; undefined if it can. */
async function whyNot(git: Git, branch: string): Promise<string | undefined> {
  const name = branch.slice(branches.length);
  const isName = !name.startsWith("-") && name !== "HEAD";
  if (!isName || (await found(git(["check-ref-format", branch]))) === undefined)
    return `${JSON.stringify(name)} is no name of a branch.`;
  const all = (await git(["for-each-ref", "--format=%(refname)", branches])).split("\n");
  if (all.includes(branch)) return `${name}: there is such a branch already. Name another one.`;
  const other = all.find((one) => one !== "" && (branch.startsWith(`${one}/`) || one.startsWith(`${branch}/`)));
  return other && `${name} can't be beside the branch ${other.slice(branches.length)}. Name another one.`;
}
