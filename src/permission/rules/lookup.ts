// The paths that one decision looks up: each folder and each path is looked at once.

import { lstatSync, realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Work } from "../command/decision-work.js";
import { resolvePath, type Links, type ResolvedPath } from "./place.js";

/** The steps of a look at a file, of a path that is resolved or asked for, and of each character of the path. */
const stepsOfLook = 12;
const stepsOfResolution = 4;
const stepsOfPath = 1;
const stepsOfCharacter = 0.01;

type Found = { readonly real: string } | { readonly thrown: unknown };

/** The paths of one decision. A path is followed from the top, so nothing is looked for in a folder that is not there. */
export class Lookup implements Links {
  readonly #root: string;
  readonly #work: Work;
  readonly #found = new Map<string, Found>();
  readonly #resolved = new Map<string, ResolvedPath>();

  constructor(root: string, work: Work) {
    this.#root = root;
    this.#work = work;
  }

  /** Resolves a path, seen from the root. */
  async resolve(path: string): Promise<ResolvedPath> {
    this.#spend(path);
    const known = this.#resolved.get(path);
    if (known !== undefined) return known;
    const resolved = await resolvePath(this.#root, path, this);
    // What was swallowed on the way is thrown now.
    this.#work.spend(stepsOfResolution);
    this.#resolved.set(path, resolved);
    return resolved;
  }

  /** As `realpath`. */
  async follow(path: string): Promise<string> {
    const found = this.#find(path);
    if ("real" in found) return found.real;
    throw found.thrown;
  }

  /** As `lstat`; undefined if nothing is there. */
  async look(path: string): Promise<unknown> {
    if ("thrown" in this.#find(dirname(path))) return undefined;
    this.#work.spend(stepsOfLook);
    return Promise.resolve(lstatSync(path, { throwIfNoEntry: false }));
  }

  /** The real path of an absolute path; the path itself if nothing is there. */
  real(path: string): string {
    const found = this.#find(path);
    return "real" in found ? found.real : path;
  }

  #find(path: string): Found {
    const below: string[] = [];
    let at = path;
    let found = this.#known(at);
    for (; found === undefined && dirname(at) !== at; found = this.#known(at)) {
      below.push(at);
      at = dirname(at);
    }
    found ??= this.#note(at, lookUp(at));
    for (let next = below.pop(); next !== undefined; next = below.pop()) {
      if ("real" in found) this.#work.spend(stepsOfLook);
      found = this.#note(next, "real" in found ? lookUp(join(found.real, basename(next))) : found);
    }
    return found;
  }

  #known(path: string): Found | undefined {
    this.#spend(path);
    return this.#found.get(path);
  }

  #note(path: string, found: Found): Found {
    this.#found.set(path, found);
    return found;
  }

  #spend(path: string): void {
    this.#work.spend(stepsOfPath + path.length * stepsOfCharacter);
  }
}

function lookUp(place: string): Found {
  try {
    return { real: realpathSync.native(place) };
  } catch (thrown) {
    return { thrown };
  }
}
