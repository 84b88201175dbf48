// The files that a trial begins with: a folder, a commit of a git repository, or a function that writes them.

import { execFile } from "node:child_process";
import { cp, mkdir, rm, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { LastcallError } from "../../core/index.js";
import { explain } from "../../core/internal.js";

/** The files that a trial begins with, laid into an empty folder. */
export interface WorkspaceSource {
  /** A text that tells one source from another. It is part of the plan's digest. */
  readonly id: string;
  /** The places on this machine that an agent should not see, as absolute paths. */
  hidden(base: string): readonly string[];
  /**
   * Writes the files into the empty folder `root`. Relative paths start at `base`.
   * @throws LastcallError `configuration` if the source can't be used.
   */
  layOut(root: string, base: string): Promise<void>;
}

/** A function that writes the files into an empty folder, whose absolute path it gets. */
export type WriteFiles = (root: string) => void | Promise<void>;

/** The files of a folder. A relative path starts at the folder of the eval's file, or at the option `base` of `evaluate`. */
export function folder(path: string): WorkspaceSource {
  return {
    id: `folder ${path}`,
    hidden: (base) => [resolve(base, path)],
    async layOut(root, base) {
      const from = resolve(base, path);
      const found = await stat(from).catch(() => undefined);
      if (found?.isDirectory() !== true)
        throw new LastcallError("configuration", `folder(${JSON.stringify(path)}): there is no folder ${from}.`);
      await cp(from, root, { recursive: true, verbatimSymlinks: true });
    },
  };
}

/**
 * The files of a commit: a branch, a tag or a hash of the repository that holds `base`, or the folder `path` in it. It needs git. The
 * trial's folder is no repository.
 */
export function gitRef(ref: string, path = "."): WorkspaceSource {
  return {
    id: `git ${ref}:${path}`,
    hidden: () => [],
    async layOut(root, base) {
      const archive = join(root, "..", `${process.pid.toString()}-${Math.random().toString(36).slice(2)}.tar`);
      const run = promisify(execFile);
      try {
        if (ref.startsWith("-")) throw new Error("a ref does not begin with a hyphen");
        const tree = path === "." ? ref : `${ref}:${path}`;
        const { stdout } = await run("git", ["rev-parse", "--show-toplevel"], { cwd: base });
        await run("git", ["archive", "--format=tar", "-o", archive, tree], { cwd: stdout.trim() });
        await run("tar", ["-xf", archive, "-C", root]);
      } catch (thrown) {
        const message = `gitRef(${JSON.stringify(ref)}): its files can't be read: ${explain(thrown).trim()}`;
        throw new LastcallError("configuration", message, { cause: thrown });
      } finally {
        await rm(archive, { force: true });
      }
    },
  };
}

/** The source that a task states; a function becomes a source. */
export function sourceOf(given: WorkspaceSource | WriteFiles): WorkspaceSource {
  if (typeof given !== "function") return given;
  return {
    id: `function ${given.toString()}`,
    hidden: () => [],
    async layOut(root) {
      await given(root);
    },
  };
}

/** Makes the folder new and lays the files into it. */
export async function layOutNew(source: WorkspaceSource | undefined, root: string, base: string): Promise<void> {
  await rm(root, { recursive: true, force: true });
  await mkdir(root, { recursive: true });
  await source?.layOut(root, base);
}
