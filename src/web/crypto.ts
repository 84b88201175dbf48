// The part of node:crypto that the sources use. Web Crypto gives digests only later, and a key or a checksum is needed at once.

import { sha256 } from "@noble/hashes/sha2.js";
import { Buffer } from "./buffer.js";

interface Hash {
  update(data: string | Uint8Array): Hash;
  digest(): Buffer;
  digest(encoding: "hex" | "base64"): string;
}

/** A SHA-256 hash. The sources use no other. */
export function createHash(_algorithm: "sha256"): Hash {
  const state = sha256.create();
  function digest(): Buffer;
  function digest(encoding: "hex" | "base64"): string;
  function digest(encoding?: "hex" | "base64"): Buffer | string {
    const bytes = Buffer.from(state.digest());
    return encoding === undefined ? bytes : bytes.toString(encoding);
  }
  const hash: Hash = {
    update(data) {
      state.update(typeof data === "string" ? Buffer.from(data) : data);
      return hash;
    },
    digest,
  };
  return hash;
}

export function hash(algorithm: "sha256", data: string | Uint8Array, encoding: "hex" | "base64"): string {
  return createHash(algorithm).update(data).digest(encoding);
}

/** True if both have the same bytes. It takes as long for bytes that differ. */
export function timingSafeEqual(one: Uint8Array, other: Uint8Array): boolean {
  if (one.length !== other.length) throw new RangeError("Both must have the same length.");
  let difference = 0;
  for (const [index, byte] of one.entries()) difference |= byte ^ (other[index] ?? 0);
  return difference === 0;
}
