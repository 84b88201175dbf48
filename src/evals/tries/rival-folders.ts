// The folders of rivals: the files as they were, a worktree or a copy for each rival, and the way back into the work folder.

import { execFile } from "node:child_process";
import { constants, existsSync } from "node:fs";
import { chmod, cp, lstat, mkdir, realpath, rename, rm, rmdir, symlink, writeFile } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import { promisify } from "node:util";
import { LastcallError } from "../../core/index.js";
import { explain } from "../../core/internal.js";
import { matcher } from "../../files/index.js";
import { differing, isSame, stateOf, type FileState } from "./compare-folders.js";

/** The place of rivals on the disk. */
export interface RivalFolders {
  /** The work folder as it was at the beginning. */
  readonly base: string;
  /** The work folder of a rival, absolute. */
  rootOf(number: number): string;
  /** Copies the work folder as it is now. A copy that was not finished is made anew. */
  copyBase(): Promise<void>;
  /** Lays out the folder of a rival, anew. */
  layOut(number: number): Promise<void>;
  /** The protected paths that a rival has changed. */
  protectedChanges(number: number, protect: readonly string[], signal: AbortSignal): Promise<readonly string[]>;
  /** Puts these paths of a rival back as they were. */
  putBack(number: number, paths: readonly string[]): Promise<void>;
  /** The paths that a rival has changed, without files that git ignores. */
  changesOf(number: number, signal: AbortSignal): Promise<readonly string[]>;
  /** Keeps the rival's files at these paths as they are now. */
  keep(number: number, paths: readonly string[]): Promise<void>;
  /** Brings the kept files into the work folder. Returns the paths that somebody has changed meanwhile: then nothing is brought. */
  bring(number: number, paths: readonly string[]): Promise<readonly string[]>;
  /** Removes all of it. */
  clear(): Promise<void>;
}

const run = promisify(execFile);

/** Runs git in a folder, without hooks. */
async function git(folder: string, ...args: readonly string[]): Promise<string> {
  const { stdout } = await run("git", ["-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", ...args], {
    cwd: folder,
    maxBuffer: 256 * 1024 * 1024,
  });
  return stdout;
}

/** The top of the repository that holds the folder and has a commit; undefined if there is none, or no git. */
async function repositoryOf(root: string): Promise<string | undefined> {
  try {
    await git(root, "rev-parse", "--verify", "--quiet", "HEAD^{commit}");
    return await realpath((await git(root, "rev-parse", "--show-toplevel")).trim());
  } catch {
    return undefined;
  }
}

/**
 * The folders of rivals at the work folder, below the place.
 * @throws LastcallError `configuration` if the work folder can't be read, or holds the place.
 */
export async function rivalFolders(given: string, placed: string): Promise<RivalFolders> {
  const root = await realpath(given).catch((thrown: unknown) => {
    throw new LastcallError("configuration", `rivals: the folder ${given} can't be used: ${explain(thrown)}`);
  });
  await mkdir(dirname(placed), { recursive: true, mode: 0o700 });
  // Git lists worktrees by their real paths.
  const place = join(await realpath(dirname(placed)), basename(placed));
  const repository = await repositoryOf(root);
  const top = repository ?? root;
  const inside = relative(top, root);
  const whole = join(place, "base");
  const base = join(whole, inside);
  const topOf = (number: number): string => join(place, String(number), basename(top));
  const rootOf = (number: number): string => join(topOf(number), inside);
  let turn: Promise<unknown> = Promise.resolve();
  /** Runs git on the list of worktrees, one call at a time: two at once may choose the same name. */
  const gitInTurn = (...args: readonly string[]): Promise<string> => {
    const made = turn.then(() => git(top, ...args));
    turn = made.catch(() => undefined);
    return made;
  };
  const keptOf = (number: number): string => join(place, `${String(number)}.kept`);
  const drop = async (number: number): Promise<void> => {
    // Twice forced: a worktree that was being made is locked. Git may know nothing of it.
    if (repository !== undefined)
      await gitInTurn("worktree", "remove", "--force", "--force", topOf(number)).catch(() => undefined);
    await rm(join(place, String(number)), { recursive: true, force: true });
  };

  return {
    base,
    rootOf,
    async copyBase() {
      if (!relative(top, place).startsWith("..")) throw new LastcallError("configuration", inTheWay(place, top));
      await rm(`${whole}.new`, { recursive: true, force: true });
      await rm(whole, { recursive: true, force: true });
      await mkdir(place, { recursive: true, mode: 0o700 });
      await copyFiles(top, `${whole}.new`);
      await rename(`${whole}.new`, whole);
    },
    async layOut(number) {
      await drop(number);
      const to = topOf(number);
      await mkdir(dirname(to), { recursive: true });
      if (repository !== undefined)
        await gitInTurn("worktree", "add", "--quiet", "--detach", "--no-checkout", to, "HEAD");
      await copyFiles(whole, to);
      if (repository !== undefined) await git(to, "reset", "--quiet");
    },
    protectedChanges: async (number, protect, signal) =>
      (await differing(base, rootOf(number), signal)).filter(matcher(protect)),
    async putBack(number, paths) {
      for (const path of paths) await put(join(rootOf(number), path), await stateOf(join(base, path)));
    },
    async changesOf(number, signal) {
      const paths = await differing(base, rootOf(number), signal);
      return repository === undefined ? paths : withoutIgnored(rootOf(number), paths);
    },
    async keep(number, paths) {
      await rm(keptOf(number), { recursive: true, force: true });
      await mkdir(keptOf(number));
      for (const path of paths) await put(join(keptOf(number), path), await stateOf(join(rootOf(number), path)));
    },
    async bring(number, paths) {
      if (!existsSync(keptOf(number)))
        throw new LastcallError("store", `rivals: the files of rival ${String(number)} are gone from ${place}.`);
      const states = await Promise.all(
        paths.map(async (path) => ({
          path,
          was: await stateOf(join(base, path)),
          is: await stateOf(join(root, path)),
          next: await stateOf(join(keptOf(number), path)),
        })),
      );
      const others = states.filter(({ was, is, next }) => !isSame(is, was) && !isSame(is, next));
      if (others.length > 0) return others.map(({ path }) => path);
      // First what goes away, since a file may stand in the way of a folder.
      for (const { path, next } of states) if (next === undefined) await put(join(root, path), undefined, root);
      for (const { path, next } of states) if (next !== undefined) await put(join(root, path), next);
      return [];
    },
    async clear() {
      // Git knows a worktree whose folder somebody has removed, too.
      const listed = repository === undefined ? "" : await git(top, "worktree", "list", "--porcelain");
      const mine = listed.split("\n").filter((line) => line.startsWith(`worktree ${place}/`));
      for (const line of mine)
        await gitInTurn("worktree", "remove", "--force", "--force", line.slice("worktree ".length)).catch(
          () => undefined,
        );
      await rm(place, { recursive: true, force: true });
    },
  };
}

function inTheWay(place: string, top: string): string {
  return `rivals: the folder for copies, ${place}, lies in ${top}, which is copied. Give a folder elsewhere.`;
}

/** Copies all files but git's data. Sockets, pipes and devices are left out. */
async function copyFiles(from: string, to: string): Promise<void> {
  await cp(from, to, {
    recursive: true,
    verbatimSymlinks: true,
    preserveTimestamps: true,
    mode: constants.COPYFILE_FICLONE,
    async filter(path) {
      if (basename(path) === ".git") return false;
      const stat = await lstat(path);
      return stat.isDirectory() || stat.isFile() || stat.isSymbolicLink();
    },
  });
}

/** Makes the path what the state says. Nobody sees a file that is half written. Empty folders up to `upTo` go with the last file. */
async function put(path: string, state: FileState | undefined, upTo?: string): Promise<void> {
  if (state === undefined) {
    await rm(path, { force: true, recursive: true });
    for (let folder = dirname(path); upTo !== undefined && folder !== upTo; folder = dirname(folder))
      if (
        !(await rmdir(folder).then(
          () => true,
          () => false,
        ))
      )
        return;
    return;
  }
  await mkdir(dirname(path), { recursive: true });
  const isFolder = (await lstat(path).catch(() => undefined))?.isDirectory() === true;
  if (isFolder) await rm(path, { recursive: true });
  const next = `${path}.lastcall-new`;
  await rm(next, { force: true });
  if (state.kind === "link") await symlink(state.bytes.toString(), next);
  else {
    await writeFile(next, state.bytes, { mode: state.mode });
    await chmod(next, state.mode);
  }
  await rename(next, path);
}

/** The paths that git does not ignore. */
async function withoutIgnored(root: string, paths: readonly string[]): Promise<readonly string[]> {
  if (paths.length === 0 || !existsSync(root)) return paths;
  const ignored = new Set(await ignoredAmong(root, paths));
  return paths.filter((path) => !ignored.has(path));
}

function ignoredAmong(root: string, paths: readonly string[]): Promise<readonly string[]> {
  return new Promise((resolve, reject) => {
    const child = execFile(
      "git",
      ["-c", "core.fsmonitor=false", "check-ignore", "-z", "--stdin"],
      { cwd: root, maxBuffer: 256 * 1024 * 1024 },
      (error, stdout) => {
        // Exit code 1: no path is ignored.
        if (error !== null && error.code !== 1) reject(new Error(error.message, { cause: error }));
        else resolve(stdout.split("\0").filter((path) => path !== ""));
      },
    );
    child.stdin?.end(paths.join("\0"));
  });
}
