// The tree of a workspace: what was at each path when it was looked at last, with the contents of its files.

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { isSecretFile, isSecretFolder } from "../../files/index.js";
import { isSame, lookedAt, nothing, statsAt, type Entry, type Stamp } from "./workspace-entry.js";
import type { TreeLimits } from "./changes-options.js";
import type { Packs } from "./packs.js";

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

/** An entry of a tree, with the number of the last look at all files that met it: each look marks what is there. */
interface Met extends Known {
  look: number;
}

/** Milliseconds of work between two turns of the event loop. */
const slice = 10;

/** The entries of a workspace by path, without the data of git. */
export class Tree {
  readonly #root: string;
  readonly #packs: Packs;
  readonly #leftOut: ReadonlySet<string>;
  readonly #limits: TreeLimits;
  readonly #known = new Map<string, Met>();
  /** The number of looks at all files. */
  #look = 0;

  /**
   * `leftOut` are folders that are no part of the workspace: real paths. `known` are entries of another look: files that have their stamps
   * are not read again.
   */
  constructor(
    root: string,
    packs: Packs,
    {
      leftOut = [],
      known,
      limits = usualLimits,
    }: {
      readonly leftOut?: readonly string[];
      readonly known?: ReadonlyMap<string, Known>;
      readonly limits?: TreeLimits | undefined;
    } = {},
  ) {
    this.#limits = limits;
    this.#root = root;
    this.#packs = packs;
    this.#leftOut = new Set(leftOut);
    for (const [path, one] of known ?? []) this.#known.set(path, { ...one, look: 0 });
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
    const fresh: string[] = [];
    this.#look += 1;
    let [entries, met, bytes] = [0, 0, 0];
    let since = performance.now();
    const pause = async (): Promise<void> => {
      if (performance.now() - since <= slice) return;
      await turn();
      since = performance.now();
    };
    // Nothing is read before it is known that all of it is to be read.
    for (const open = [""]; open.length > 0;) {
      const folder = open.pop() ?? "";
      await pause();
      const below = folder === "" ? "" : `${folder}/`;
      const at = `${this.#root}/${below}`;
      for (const name of childrenOf(at)) {
        if (name === ".git") continue;
        const stats = statsAt(at + name);
        if (stats === undefined) continue;
        const path = below + name;
        if (stats.isDirectory()) {
          if (this.#leftOut.has(at + name)) continue;
          open.push(path);
        }
        entries += 1;
        const known = this.#known.get(path);
        if (known !== undefined) {
          known.look = this.#look;
          met += 1;
          if (hasStamp(known, stats)) continue;
        }
        fresh.push(path);
        if (stats.isFile() && stats.size <= largest) bytes += stats.size;
        if (entries > this.#limits.entries || bytes > this.#limits.bytes) throw new TooLarge();
      }
    }
    const isGone = met < this.#known.size;
    for (const path of fresh) {
      this.#note(path, changed);
      await pause();
    }
    this.#packs.write();
    // Most looks find everything that was there.
    if (isGone)
      for (const [path, { entry, look }] of this.#known)
        if (look !== this.#look) {
          this.#known.delete(path);
          changed.push({ path, before: entry, after: nothing, at: 0 });
        }
    return changed;
  }

  /** Looks at these paths alone, at the folders above them and at everything below them. Returns what has changed since the last time. */
  refreshAt(paths: readonly string[]): readonly Difference[] {
    const changed: Difference[] = [];
    const wanted = new Set(paths.flatMap((path) => [...foldersAbove(path), path]));
    for (const path of [...wanted].flatMap((path) => (paths.includes(path) ? this.#below(path) : [path])))
      this.#note(path, changed);
    this.#packs.write();
    return changed;
  }

  /** The path, and the paths below it: as they were, and as they are. */
  #below(path: string): readonly string[] {
    const found = new Set([path, ...[...this.#known.keys()].filter((known) => known.startsWith(`${path}/`))]);
    const walk = (one: string): void => {
      if (statsAt(join(this.#root, one))?.isDirectory() !== true) return;
      for (const name of childrenOf(join(this.#root, one))) {
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
    const stats = statsAt(`${this.#root}/${path}`);
    const known = this.#known.get(path);
    if (stats === undefined) {
      if (known === undefined) return;
      this.#known.delete(path);
      changed.push({ path, before: known.entry, after: nothing, at: 0 });
      return;
    }
    if (known !== undefined && hasStamp(known, stats)) return;
    const { ino, size, ctimeMs } = stats;
    const looked = lookedAt(join(this.#root, path), stats);
    const { entry } = looked;
    const after = entry.kind === "file" ? { ...entry, digest: this.#contentOf(path, size) } : entry;
    const before = known?.entry ?? nothing;
    this.#known.set(path, { ino, size, ctimeMs, entry: after, look: this.#look });
    if (isSame(before, after) || (before.kind === "other" && after.kind === "other")) return;
    // A file that somebody puts into a new folder later changes the folder, too.
    const at = after.kind === "folder" && before.kind === "none" ? looked.bornAt : ctimeMs;
    changed.push({ path, before, after, at });
  }

  /** The digest of a file's content, which is kept; undefined for a content that is not kept. */
  #contentOf(path: string, size: number): string | undefined {
    if (size > largest || isSecretFile(path) || isInSecretFolder(path)) return undefined;
    try {
      return this.#packs.putFile(`${this.#root}/${path}`, size);
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
