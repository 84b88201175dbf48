// Looks at a workspace, one after the other, and keeps what they saw in a file: if the process dies, another process reads it there.

import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Begun } from "./change-file.js";
import { appendEntries, entriesIn, makeNewest, newestEntries, removeOld } from "./tree/kept-tree.js";
import type { Packs } from "./tree/packs.js";
import type { TreeLimits } from "./tree/tree-limits.js";
import { TooLarge, Tree, type Difference } from "./tree/workspace-tree.js";

/** The workspace, and the folder of its changes. */
export interface LooksOptions {
  readonly root: string;
  readonly folder: string;
  readonly packs: Packs;
  readonly limits: TreeLimits | undefined;
}

/** The milliseconds for which the tree of a dead process stays, for whoever goes on with its session. */
const longestLeft = 30 * 24 * 60 * 60 * 1000;

/**
 * The milliseconds for which a long look holds back while nobody waits for it. The request to the model leaves in that time: the look
 * would hold it up.
 */
const headStart = 50;

/** The milliseconds from which on a look is long. */
const long = 10;

/** The looks of one process at a workspace. */
export class Looks {
  readonly #options: LooksOptions;
  readonly #trees: string;
  /** The name of the file with the tree of this process. */
  readonly #name = `${randomUUID()}.jsonl`;
  #tree: Tree | undefined;
  /** The paths whose entries the file has not got yet; `all` before the first write. */
  #unsaved: Set<string> | "all" = "all";
  #isTooLarge = false;
  /** The milliseconds that the last look at all files took. */
  #lastTook = 0;
  #queue: Promise<unknown> = Promise.resolve();
  /** Ends the wait of the looks that hold back. */
  #hurry = new AbortController();

  constructor(options: LooksOptions) {
    this.#options = options;
    this.#trees = join(options.folder, "trees");
  }

  /** Does the work when all work before is done. */
  async next<Made>(work: () => Promise<Made>): Promise<Made> {
    this.#hurryUp();
    return this.#add(work);
  }

  /**
   * Does the work when all work before is done. A long look waits a little, or until somebody waits for what comes next. From then on,
   * threads of their own do the looks at all files.
   */
  async later<Made>(work: () => Promise<Made>): Promise<Made> {
    if (this.#lastTook < long) return this.#add(work);
    const over = sleep(headStart, undefined, { signal: this.#hurry.signal }).catch(() => undefined);
    return this.#add(async () => {
      await over;
      const made = await work();
      if (!this.#isTooLarge) this.#tree?.useThreads();
      return made;
    });
  }

  /** Waits until all work is done. */
  async settled(): Promise<void> {
    this.#hurryUp();
    await this.#queue;
  }

  #add<Made>(work: () => Promise<Made>): Promise<Made> {
    const done = this.#queue.then(work);
    this.#queue = done.catch(() => undefined);
    return done;
  }

  /** Lets the looks begin that hold back. */
  #hurryUp(): void {
    this.#hurry.abort();
    this.#hurry = new AbortController();
  }

  /**
   * Looks at these paths, or without paths at all files. Returns what has changed since the last look; undefined if there are too many
   * files. Nobody waits for a second look at too many files.
   */
  async look(paths: readonly string[] | undefined): Promise<readonly Difference[] | undefined> {
    this.#tree ??= this.#treeOf(newestEntries(this.#trees));
    if (paths === undefined && this.#isTooLarge) return undefined;
    const began = performance.now();
    const found = await changedIn(this.#tree, paths);
    if (paths === undefined) this.#lastTook = performance.now() - began;
    this.#isTooLarge ||= found === undefined;
    if (this.#unsaved !== "all") for (const { path } of found ?? []) this.#unsaved.add(path);
    return found;
  }

  /** Writes the entries that have changed into the file. Returns the file's name, and the number of entries in it. */
  save(): Pick<Begun, "tree" | "entries"> {
    const known = this.#tree?.known ?? new Map<string, never>();
    const unsaved =
      this.#unsaved === "all" ? known : [...this.#unsaved].map((path) => [path, known.get(path)] as const);
    appendEntries(join(this.#trees, this.#name), unsaved);
    this.#unsaved = new Set();
    return { tree: this.#name, entries: known.size };
  }

  /** Looks for what has changed since a process died in this call; undefined if there are too many files, or its file is not whole. */
  async lookSince({ tree, entries, paths }: Begun): Promise<readonly Difference[] | undefined> {
    const known = entriesIn(join(this.#trees, tree));
    // Without all entries, older files would look like the call's work.
    return known.size === entries ? changedIn(this.#treeOf(known), paths) : undefined;
  }

  /** Makes the tree the start of later processes: they read only files that have changed since. */
  close(): void {
    this.#unsaved = "all";
    if (this.#tree === undefined) return;
    this.#tree.rest();
    try {
      makeNewest(join(this.#trees, this.#name), this.#tree.known);
      removeOld(this.#trees, longestLeft);
    } catch {
      // The disk is full, say: the next run reads more files than it would have to.
    }
  }

  #treeOf(known: Tree["known"]): Tree {
    const { root, folder, packs, limits } = this.#options;
    return new Tree(root, packs, { leftOut: [folder], known, limits });
  }
}

/** Looks once more; undefined if there are too many files. */
async function changedIn(tree: Tree, paths: readonly string[] | undefined): Promise<readonly Difference[] | undefined> {
  try {
    return paths === undefined ? await tree.refresh() : tree.refreshAt(paths);
  } catch (thrown) {
    if (!(thrown instanceof TooLarge)) throw thrown;
    return undefined;
  }
}
