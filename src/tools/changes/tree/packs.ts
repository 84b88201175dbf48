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

/** The bytes of new contents that are written at once. A first look has thousands of small files, and a write each would take longest. */
const atOnce = 2 ** 20;

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
  /** Contents of the own pack that are not written yet, one after the other, and their digests. */
  readonly #unwritten = { bytes: Buffer.alloc(0), length: 0, digests: new Array<string>() };

  constructor(folder: string) {
    this.#folder = folder;
  }

  /**
   * Keeps the content of a file with this many bytes, unless it is there, and returns its digest. New contents are on the disk after
   * `write`.
   * @throws Error if the file can't be read.
   */
  putFile(path: string, size: number): string {
    if (this.#places.size === 0) this.#look();
    const bytes = readInto(this.#roomFor(size), path);
    const digest = digestOf(bytes);
    const place = this.#places.get(digest);
    if (place === undefined || !existsSync(join(this.#folder, `${place.pack}.pack`))) this.#append(digest, bytes);
    return digest;
  }

  /**
   * Writes the new contents.
   * @throws Error if the disk is full. Nothing is kept then.
   */
  write(): void {
    const { bytes, length, digests } = this.#unwritten;
    if (this.#own === undefined || digests.length === 0) return;
    Object.assign(this.#unwritten, { length: 0, digests: [], bytes: length > atOnce ? Buffer.alloc(0) : bytes });
    try {
      writeAll(this.#own.pack, bytes.subarray(0, length));
      writeAll(this.#own.index, Buffer.from(digests.map((digest) => this.#lineOf(digest)).join("")));
    } catch (thrown) {
      // Nobody knows how much of it was written, so nothing more goes into this pack.
      for (const digest of digests) this.#places.delete(digest);
      this.close();
      throw thrown;
    }
  }

  /** The content with this digest; undefined if it is missing or damaged. */
  get(digest: string): Buffer | undefined {
    this.write();
    if (!this.#places.has(digest)) this.#look();
    const place = this.#places.get(digest);
    const bytes = place && readAt(join(this.#folder, `${place.pack}.pack`), place);
    return bytes !== undefined && digestOf(bytes) === digest ? bytes : undefined;
  }

  /** Closes the files of this process. */
  close(): void {
    if (this.#own === undefined) return;
    this.write();
    closeSync(this.#own.pack);
    closeSync(this.#own.index);
    this.#own = undefined;
  }

  /** Room for a content, after the contents that are not written yet. */
  #roomFor(size: number): Buffer {
    const unwritten = this.#unwritten;
    if (unwritten.length + size > unwritten.bytes.length) {
      this.write();
      if (size > unwritten.bytes.length) unwritten.bytes = Buffer.allocUnsafe(Math.max(size, atOnce));
    }
    return unwritten.bytes.subarray(unwritten.length, unwritten.length + size);
  }

  /** Takes the content, which stands in its room already. */
  #append(digest: string, { length }: Buffer): void {
    const own = (this.#own ??= this.#begin());
    const place = { pack: own.name, offset: own.size, length };
    this.#unwritten.length += length;
    this.#unwritten.digests.push(digest);
    own.size += length;
    this.#places.set(digest, place);
  }

  #lineOf(digest: string): string {
    const place = this.#places.get(digest);
    return place === undefined ? "" : `${digest} ${String(place.offset)} ${String(place.length)}\n`;
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

function writeAll(file: number, bytes: Uint8Array): void {
  for (let written = 0; written < bytes.length;) written += writeSync(file, bytes, written);
}

function readAt(path: string, { offset, length }: Place): Buffer | undefined {
  try {
    const bytes = readInto(Buffer.allocUnsafe(length), path, offset);
    return bytes.length === length ? bytes : undefined;
  } catch {
    return undefined;
  }
}

/** Reads what is in the file from the offset on, as far as there is room. */
function readInto(room: Buffer, path: string, offset = 0): Buffer {
  const file = openSync(path, "r");
  try {
    let read = 0;
    for (let more = 1; read < room.length && more > 0; read += more)
      more = readSync(file, room, read, room.length - read, offset + read);
    return room.subarray(0, read);
  } finally {
    closeSync(file);
  }
}
