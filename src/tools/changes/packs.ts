// Packs: contents of files, each once, by their digests. Each process appends to a pack of its own, and reads all.

import { randomUUID } from "node:crypto";
import { closeSync, existsSync, mkdirSync, openSync, readdirSync, readFileSync, readSync, writeSync } from "node:fs";
import { join } from "node:path";
import { digestOf } from "./workspace-entry.js";

/** The place of a content. */
interface Place {
  readonly pack: string;
  readonly offset: number;
  readonly length: number;
}

/**
 * The contents in a folder. `NAME.pack` has the bytes one after the other, and `NAME.index` a line for each: the digest, the offset, the
 * length. A line follows its bytes, so a process that is killed leaves no line without bytes.
 */
export class Packs {
  readonly #folder: string;
  readonly #places = new Map<string, Place>();
  /** The bytes of each index that were read. */
  readonly #read = new Map<string, number>();
  #own: { readonly name: string; readonly pack: number; readonly index: number; size: number } | undefined;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Keeps the content, unless it is there, and returns its digest. */
  put(bytes: Uint8Array): string {
    const digest = digestOf(bytes);
    if (this.#places.size === 0) this.#look();
    const place = this.#places.get(digest);
    if (place === undefined || !existsSync(join(this.#folder, `${place.pack}.pack`))) this.#append(digest, bytes);
    return digest;
  }

  /** The content with this digest; undefined if it is missing or damaged. */
  get(digest: string): Buffer | undefined {
    if (!this.#places.has(digest)) this.#look();
    const place = this.#places.get(digest);
    const bytes = place && readAt(join(this.#folder, `${place.pack}.pack`), place);
    return bytes !== undefined && digestOf(bytes) === digest ? bytes : undefined;
  }

  /** Closes the files of this process. */
  close(): void {
    if (this.#own === undefined) return;
    closeSync(this.#own.pack);
    closeSync(this.#own.index);
    this.#own = undefined;
  }

  #append(digest: string, bytes: Uint8Array): void {
    const own = (this.#own ??= this.#begin());
    for (let written = 0; written < bytes.length;) written += writeSync(own.pack, bytes, written);
    const place = { pack: own.name, offset: own.size, length: bytes.length };
    writeSync(own.index, `${digest} ${String(place.offset)} ${String(place.length)}\n`);
    own.size += bytes.length;
    this.#places.set(digest, place);
  }

  #begin(): { readonly name: string; readonly pack: number; readonly index: number; size: number } {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    const name = randomUUID();
    const open = (end: string): number => openSync(join(this.#folder, name + end), "wx", 0o600);
    return { name, pack: open(".pack"), index: open(".index"), size: 0 };
  }

  /** Reads what the indexes of all processes have gained. */
  #look(): void {
    for (const file of namesIn(this.#folder)) {
      if (!file.endsWith(".index")) continue;
      const text = readFileSync(join(this.#folder, file), "latin1");
      const from = this.#read.get(file) ?? 0;
      const end = text.lastIndexOf("\n") + 1;
      for (const line of text.slice(from, end).split("\n")) {
        const [digest = "", offset, length] = line.split(" ");
        if (length === undefined) continue;
        this.#places.set(digest, {
          pack: file.slice(0, -".index".length),
          offset: Number(offset),
          length: Number(length),
        });
      }
      this.#read.set(file, end);
    }
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function readAt(path: string, { offset, length }: Place): Buffer | undefined {
  let file: number;
  try {
    file = openSync(path, "r");
  } catch {
    return undefined;
  }
  try {
    const bytes = Buffer.allocUnsafe(length);
    for (let read = 0; read < length;) {
      const more = readSync(file, bytes, read, length - read, offset + read);
      if (more === 0) return undefined;
      read += more;
    }
    return bytes;
  } finally {
    closeSync(file);
  }
}
