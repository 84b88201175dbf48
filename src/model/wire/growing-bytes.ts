// Bytes that only grow at their end. Earlier views of the bytes stay as they were.

const firstCapacity = 4 * 1024;

/**
 * Bytes that only grow. A byte is written once and never changed, so a view of the bytes so far can be sent while more are appended. When
 * the memory is full, it is copied to one of twice the size: n bytes cost at most 2n copied bytes in all.
 */
export class GrowingBytes {
  #memory: Buffer;
  #length = 0;

  /** `start`: the first bytes, which are copied. */
  constructor(start: Uint8Array = new Uint8Array()) {
    this.#memory = Buffer.allocUnsafeSlow(Math.max(firstCapacity, start.length));
    this.#memory.set(start);
    this.#length = start.length;
  }

  get length(): number {
    return this.#length;
  }

  /** Appends a text as UTF-8. */
  append(text: string): void {
    // A UTF-16 unit takes at most 3 bytes, so short texts need not be measured.
    const needed = text.length * 3 <= this.#free ? 0 : Buffer.byteLength(text);
    if (needed > this.#free) this.#grow(needed);
    this.#length += this.#memory.write(text, this.#length);
  }

  /** The first so many bytes, all by default. The view shares the memory. */
  view(length: number = this.#length): Uint8Array {
    return this.#memory.subarray(0, length);
  }

  get #free(): number {
    return this.#memory.length - this.#length;
  }

  #grow(needed: number): void {
    const memory = Buffer.allocUnsafeSlow(Math.max(this.#memory.length * 2, this.#length + needed));
    this.#memory.copy(memory, 0, 0, this.#length);
    this.#memory = memory;
  }
}
