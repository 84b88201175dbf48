// Writes bodies whose first key holds a list that grows at its end. The bytes of earlier items are written once and shared by all bodies.

import type { RequestBody } from "../data/request-body.js";
import { GrowingBytes } from "./growing-bytes.js";

/** The bytes of a list that grows: `{"key":[item,item`. It grows by entries, each of which holds any number of items. */
export class ListBytes {
  readonly #bytes: GrowingBytes;
  /** The number of bytes before the first item. */
  readonly #start: number;
  /** The number of bytes up to the end of each entry. */
  readonly #ends: number[];

  private constructor(bytes: GrowingBytes, start: number, ends: number[]) {
    this.#bytes = bytes;
    this.#start = start;
    this.#ends = ends;
  }

  /** An empty list under a key. */
  static under(key: string): ListBytes {
    const bytes = new GrowingBytes();
    bytes.append(`{${JSON.stringify(key)}:[`);
    return new ListBytes(bytes, bytes.length, []);
  }

  /** The number of entries. */
  get length(): number {
    return this.#ends.length;
  }

  /** Appends an entry. */
  push(items: readonly object[]): void {
    for (const item of items) {
      if (this.#bytes.length > this.#start) this.#bytes.append(",");
      this.#bytes.append(JSON.stringify(item));
    }
    this.#ends.push(this.#bytes.length);
  }

  /** A list that begins with the first entries of this list, as many as given. This list stays as it is. */
  startingWith(entries: number): ListBytes {
    const end = this.#ends[entries - 1] ?? this.#start;
    return new ListBytes(new GrowingBytes(this.#bytes.view(end)), this.#start, this.#ends.slice(0, entries));
  }

  /** The body with the list so far and the keys after it: the bytes that `JSON.stringify` gives. */
  body(rest: Uint8Array): RequestBody {
    return [this.#bytes.view(), rest];
  }
}

/** Makes the bytes of a body after its list: the end of the list, and more keys. */
export function restBytes(keys: object): Uint8Array {
  const text = JSON.stringify(keys);
  return Buffer.from(text === "{}" ? "]}" : `],${text.slice(1)}`);
}

/** Makes a `restBytes` of parts that are mostly the same objects as the last time. The parts must never change. */
export function restWriter<const Parts extends readonly unknown[]>(
  keysOf: (...parts: Parts) => object,
): (...parts: Parts) => Uint8Array {
  let last: { readonly parts: Parts; readonly bytes: Uint8Array } | undefined;
  return (...parts) => {
    if (last?.parts.every((part, index) => part === parts[index]) !== true)
      last = { parts, bytes: restBytes(keysOf(...parts)) };
    return last.bytes;
  };
}

/** Makes a writer of lists. A list that begins with the same objects as an earlier list shares their bytes. The items must never change. */
export function listWriter(key: string): (items: readonly object[]) => ListBytes {
  /** The lists written so far, by their first item. */
  const lists = new WeakMap<object, { readonly items: readonly object[]; readonly bytes: ListBytes }>();

  return (items) => {
    const [first] = items;
    const known = first && lists.get(first);
    const shared = known === undefined ? 0 : sharedLength(known.items, items);
    let bytes = known?.bytes ?? ListBytes.under(key);
    if (shared < bytes.length) bytes = bytes.startingWith(shared);
    for (const item of items.slice(shared)) bytes.push([item]);
    if (first !== undefined) lists.set(first, { items, bytes });
    return bytes;
  };
}

/** The number of items that two lists share at their start. */
export function sharedLength(one: readonly object[], other: readonly object[]): number {
  const length = Math.min(one.length, other.length);
  for (let index = 0; index < length; index += 1) if (one[index] !== other[index]) return index;
  return length;
}
