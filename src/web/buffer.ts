// The part of Node's Buffer that the sources use, over Uint8Array, TextEncoder and atob.

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

type Encoding = "utf8" | "base64" | "hex";

/** The number of bytes that become characters in one call. */
const piece = 8192;

/** Bytes with the methods of Node's Buffer that the sources use. */
export class Buffer extends Uint8Array<ArrayBuffer> {
  static override from(value: unknown, from?: unknown, length?: number): Buffer {
    if (typeof value === "string") return own(encoded(value, from as "utf8" | "base64" | undefined));
    if (value instanceof ArrayBuffer || isShared(value))
      return new Buffer(value as ArrayBuffer, from as number | undefined, length);
    return own(Uint8Array.from(value as ArrayLike<number>));
  }

  static alloc(length: number): Buffer {
    return new Buffer(new ArrayBuffer(length));
  }

  static allocUnsafeSlow(length: number): Buffer {
    return new Buffer(new ArrayBuffer(length));
  }

  static byteLength(text: string): number {
    let length = 0;
    for (let index = 0; index < text.length; index += 1) {
      const unit = text.charCodeAt(index);
      length += unit < 0x80 ? 1 : unit < 0x800 ? 2 : 3;
      // The two halves of a character take four bytes.
      if (unit >= 0xd800 && unit < 0xdc00 && isSecondHalf(text.charCodeAt(index + 1))) {
        length += 1;
        index += 1;
      }
    }
    return length;
  }

  static concat(pieces: readonly Uint8Array[], length = pieces.reduce((sum, { length }) => sum + length, 0)): Buffer {
    const all = Buffer.alloc(length);
    let at = 0;
    for (const bytes of pieces) {
      all.set(bytes, at);
      at += bytes.length;
    }
    return all;
  }

  override toString(encoding: Encoding = "utf8", from = 0, end = this.length): string {
    if (from > 0 || end < this.length) return own(this.subarray(from, end)).toString(encoding);
    if (encoding === "utf8") return decoder.decode(this);
    if (encoding === "hex") return Array.from(this, (byte) => byte.toString(16).padStart(2, "0")).join("");
    let text = "";
    for (let at = 0; at < this.length; at += piece) text += String.fromCharCode(...this.subarray(at, at + piece));
    return btoa(text);
  }

  /** Writes the text as UTF-8 from this place on. Returns the number of bytes. */
  write(text: string, at = 0): number {
    return encoder.encodeInto(text, this.subarray(at)).written;
  }

  /** Copies the bytes of this buffer from `from` up to `end` to the place `at` of another. */
  copy(target: Uint8Array, at = 0, from = 0, end = this.length): number {
    target.set(this.subarray(from, end), at);
    return end - from;
  }
}

function own(bytes: Uint8Array): Buffer {
  return new Buffer(bytes.buffer as ArrayBuffer, bytes.byteOffset, bytes.length);
}

function encoded(text: string, encoding: "utf8" | "base64" = "utf8"): Uint8Array {
  if (encoding === "utf8") return encoder.encode(text);
  const characters = atob(plainBase64(text));
  return Uint8Array.from({ length: characters.length }, (_none, index) => characters.charCodeAt(index));
}

/** Base64 as `atob` takes it. Like Node, it reads the letters of the web, and what comes up to the first end. */
function plainBase64(text: string): string {
  const [letters = ""] = text.split("=", 1);
  const plain = letters
    .replaceAll("-", "+")
    .replaceAll("_", "/")
    .replace(/[^A-Za-z0-9+/]/g, "");
  return plain.length % 4 === 1 ? plain.slice(0, -1) : plain;
}

function isSecondHalf(unit: number): boolean {
  return unit >= 0xdc00 && unit < 0xe000;
}

function isShared(value: unknown): boolean {
  return typeof SharedArrayBuffer !== "undefined" && value instanceof SharedArrayBuffer;
}
