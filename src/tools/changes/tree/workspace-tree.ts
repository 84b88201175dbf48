// The tree of a workspace: what was at each path when it was looked at last, with the contents of its files.

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { isSecretFile, isSecretFolder } from "../../../files/index.js";
import { isSame, lookedAt, nothing, statsAt, type Entry, type Stamp } from "./workspace-entry.js";
import type { Packs } from "./packs.js";
import type { TreeLimits } from "./tree-limits.js";
import type { Folder, Place } from "./walk-folders.js";
import { ThreadEnded, walkHere, walkInThreads, type Walker } from "./walkers.js";

/** The largest file whose content is kept, in bytes. */
const largest = 64 * 2 ** 20;

const usualLimits: TreeLimits = { entries: 100_000, bytes: 256 * 2 ** 20 };

/** The workspace has more than the recorder looks at. */
export class TooLarge extends Error {}

/** A path whose entry has changed. */
export interface Difference {
  /** From the root, with slashes. */
  readonly path: string;
  readonly before: Entry;
  readonly after: Entry;
  /** The time of the change, in milliseconds since 1970; 0 for a path that is gone, whose time nothing tells. */
  readonly at: number;
}

/** An entry that was seen, with its stamp: an entry with the same stamp is the same. */
export interface Known extends Stamp {
  readonly entry: Entry;
}

/** Milliseconds of work between two turns of the event loop. */
const slice = 10;

/** The folders that are walked through before their entries are counted. */
const foldersAtOnce = 1000;

/** The entries of a workspace by path, without the data of git. */
export class Tree {
  readonly #place: Place;
  readonly #packs: Packs;
  readonly #limits: TreeLimits;
  readonly #known: Map<string, Known>;
  /** Walks through the folders. It is undefined if its stamps may differ from `known`. */
  #walker: Walker | undefined;
  #hasThreads = false;
  /** Paths that were looked at since the last walk, which the walker has not seen. */
  readonly #noted = new Set<string>();

  /**
   * `leftOut` are folders that are no part of the workspace: real paths. `known` are entries of another look: files that have their stamps
   * are not read again.
   */
  constructor(
    root: string,
    packs: Packs,
    {
      leftOut = [],
      known = new Map(),
      limits = usualLimits,
    }: {
      readonly leftOut?: readonly string[];
      readonly known?: ReadonlyMap<string, Known>;
      readonly limits?: TreeLimits | undefined;
    } = {},
  ) {
    this.#limits = limits;
    this.#place = { root, leftOut: new Set(leftOut), largest };
    this.#packs = packs;
    this.#known = new Map(known);
  }

  /** All entries by path. */
  get known(): ReadonlyMap<string, Known> {
    return this.#known;
  }

  /**
   * Looks at the whole workspace. Returns what has changed since the last time.
   * @throws TooLarge if the workspace has more than the limits allow. Nothing was read then.
   */
  async refresh(): Promise<readonly Difference[]> {
    const changed: Difference[] = [];
    const walker = this.#walker ?? walkHere(this.#place, this.#known);
    // A finding that nobody notes would never be found again.
    this.#walker = undefined;
    try {
      let since = performance.now();
      for (const path of await this.#findIn(walker)) {
        this.#note(path, changed);
        if (performance.now() - since <= slice) continue;
        await turn();
        since = performance.now();
      }
      this.#packs.write();
      this.#noted.clear();
      this.#walker = walker;
      return changed;
    } catch (thrown) {
      walker.stop();
      // A thread that failed is of no use, and this thread can do without.
      if (thrown instanceof ThreadEnded) return this.refresh();
      throw thrown;
    }
  }

  /** From now on, threads of their own look at the whole workspace. `rest` ends them. */
  useThreads(): void {
    if (this.#hasThreads) return;
    this.#hasThreads = true;
    this.#walker = walkInThreads(this.#place, this.#known) ?? this.#walker;
  }

  /** Ends the threads. */
  rest(): void {
    this.#walker?.stop();
    this.#walker = undefined;
    this.#hasThreads = false;
  }

  /** Walks through all folders, and returns the paths that may have changed. */
  async #findIn(walker: Walker): Promise<Iterable<string>> {
    const paths = new Set(this.#noted);
    const gone = new Set<string>();
    let [entries, bytes] = [0, 0];
    // Nothing is read before it is known that all of it is to be read.
    for (const open: Folder[] = [{ path: "", isNew: false }]; open.length > 0;)
      for (const found of await walker.walk(open.splice(0, foldersAtOnce))) {
        for (const folder of found.folders) open.push(folder);
        for (const path of found.fresh) paths.add(path);
        for (const path of found.gone) gone.add(path);
        entries += found.entries;
        bytes += found.bytes;
        if (entries > this.#limits.entries || bytes > this.#limits.bytes) throw new TooLarge();
      }
    if (gone.size > 0)
      for (const path of this.#known.keys())
        if ([...foldersAbove(path), path].some((one) => gone.has(one))) paths.add(path);
    return paths;
  }

  /** Looks at these paths alone, at the folders above them and at everything below them. Returns what has changed since the last time. */
  refreshAt(paths: readonly string[]): readonly Difference[] {
    const changed: Difference[] = [];
    const wanted = new Set(paths.flatMap((path) => [...foldersAbove(path), path]));
    for (const path of [...wanted].flatMap((path) => (paths.includes(path) ? this.#below(path) : [path]))) {
      this.#noted.add(path);
      this.#note(path, changed);
    }
    this.#packs.write();
    return changed;
  }

  /** The path, and the paths below it: as they were, and as they are. */
  #below(path: string): readonly string[] {
    const found = new Set([path, ...[...this.#known.keys()].filter((known) => known.startsWith(`${path}/`))]);
    const walk = (one: string): void => {
      if (statsAt(join(this.#place.root, one))?.isDirectory() !== true) return;
      for (const name of childrenOf(join(this.#place.root, one))) {
        if (name === ".git") continue;
        found.add(`${one}/${name}`);
        walk(`${one}/${name}`);
      }
    };
    walk(path);
    return [...found];
  }

  /** Looks at a path, and adds what has changed. */
  #note(path: string, changed: Difference[]): void {
    const stats = statsAt(`${this.#place.root}/${path}`);
    const known = this.#known.get(path);
    if (stats === undefined) {
      if (known === undefined) return;
      this.#known.delete(path);
      changed.push({ path, before: known.entry, after: nothing, at: 0 });
      return;
    }
    if (known !== undefined && hasStamp(known, stats)) return;
    const { ino, size, ctimeMs } = stats;
    const looked = lookedAt(join(this.#place.root, path), stats);
    const { entry } = looked;
    const after = entry.kind === "file" ? { ...entry, digest: this.#contentOf(path, size) } : entry;
    const before = known?.entry ?? nothing;
    this.#known.set(path, { ino, size, ctimeMs, entry: after });
    if (isSame(before, after) || (before.kind === "other" && after.kind === "other")) return;
    // A file that somebody puts into a new folder later changes the folder, too.
    const at = after.kind === "folder" && before.kind === "none" ? looked.bornAt : ctimeMs;
    changed.push({ path, before, after, at });
  }

  /** The digest of a file's content, which is kept; undefined for a content that is not kept. */
  #contentOf(path: string, size: number): string | undefined {
    if (size > largest || isSecretFile(path) || isInSecretFolder(path)) return undefined;
    try {
      return this.#packs.putFile(`${this.#place.root}/${path}`, size);
    } catch {
      // It is gone by now, or nobody may read it.
      return undefined;
    }
  }
}

/** True if what is there is the same as at the last look. Nothing is made for it: a look has many thousands. */
function hasStamp(known: Stamp, { ino, size, ctimeMs }: Stamp): boolean {
  return known.ctimeMs === ctimeMs && known.ino === ino && known.size === size;
}

function childrenOf(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** The folders above a path without the root, the outermost first. */
function foldersAbove(path: string): readonly string[] {
  const parts = path.split("/");
  return parts.slice(1).map((_part, index) => parts.slice(0, index + 1).join("/"));
}

function isInSecretFolder(path: string): boolean {
  return foldersAbove(path).some(isSecretFolder);
}
