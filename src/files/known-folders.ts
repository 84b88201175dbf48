// Remembers what was found in folders, and reads a folder again only if it has changed.

import { lstatSync, readdirSync } from "node:fs";

/**
 * Milliseconds after a change within which a folder is read again: it can change twice within one tick of the clock. Some file systems keep
 * whole seconds.
 */
const settled = (changed: number): number => (changed % 1000 === 0 ? 3000 : 100);

/** An entry of a folder. */
export interface FolderEntry {
  readonly name: string;
  isFile(): boolean;
  isSocket(): boolean;
  isDirectory(): boolean;
  isSymbolicLink(): boolean;
}

/** What was found in folders, by their places. */
export class KnownFolders<Found> {
  readonly #find: (folder: string, entries: readonly FolderEntry[]) => Found;
  readonly #known = new Map<string, { readonly version: string; readonly found: Found }>();

  /** `find` gets the folder as it was named to `look`, and its entries. */
  constructor(find: (folder: string, entries: readonly FolderEntry[]) => Found) {
    this.#find = find;
  }

  /** What is in the folder at `place`, called `folder`; undefined if it is none, or can't be read. */
  look(folder: string, place: string): Found | undefined {
    try {
      const stats = lstatSync(place, { throwIfNoEntry: false });
      if (stats?.isDirectory() !== true) return undefined;
      const version = `${String(stats.dev)}:${String(stats.ino)}:${String(stats.ctimeMs)}`;
      const known = this.#known.get(place);
      if (known?.version === version) return known.found;
      const found = this.#find(folder, readdirSync(place, { withFileTypes: true }));
      if (this.#known.size >= maxFolders) this.#known.clear();
      if (Date.now() - stats.ctimeMs > settled(stats.ctimeMs)) this.#known.set(place, { version, found });
      return found;
    } catch {
      // A command of this user can't read it either.
      return undefined;
    }
  }
}

/** The most folders that are remembered. */
const maxFolders = 100_000;
