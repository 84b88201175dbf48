// Public keys of Ed25519, read from the texts that people keep them in.

import { isPlainObject } from "../data/json.js";
import type { ApprovalKey } from "./proof.js";

/** The bytes with which each public key of Ed25519 begins in PEM (RFC 8410). Some runtimes take other bytes, too. */
const beginning = [0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00];

/**
 * Reads a public key of Ed25519: PEM (`BEGIN PUBLIC KEY`) or a JSON Web Key.
 * @throws Error with words for people if it is none.
 */
export async function publicKeyOf(text: string): Promise<ApprovalKey> {
  if (text.trimStart().startsWith("{")) return ofJwk(JSON.parse(text));
  if (text.includes("PRIVATE KEY")) throw isPrivate();
  const [, base64] = /-----BEGIN PUBLIC KEY-----([\s\w+/=]*)-----END PUBLIC KEY-----/.exec(text) ?? [];
  if (base64 === undefined) throw new Error("it has no line BEGIN PUBLIC KEY");
  return imported(async () => {
    const bytes = Uint8Array.from(atob(base64.replaceAll(/\s/g, "")), (character) => character.charCodeAt(0));
    if (beginning.some((byte, index) => bytes[index] !== byte)) throw new Error("it does not begin as such a key does");
    return crypto.subtle.importKey("spki", bytes, "Ed25519", false, ["verify"]);
  });
}

function ofJwk(jwk: unknown): Promise<ApprovalKey> {
  const { kty, crv, x, d } = isPlainObject(jwk) ? jwk : {};
  if (d !== undefined) throw isPrivate();
  if (kty !== "OKP" || crv !== "Ed25519" || typeof x !== "string")
    throw new Error("it is a key of another kind than Ed25519");
  return imported(() => crypto.subtle.importKey("jwk", { kty, crv, x }, "Ed25519", false, ["verify"]));
}

async function imported(read: () => Promise<ApprovalKey>): Promise<ApprovalKey> {
  try {
    return await read();
  } catch (thrown) {
    throw new Error("it is damaged, or a key of another kind than Ed25519", { cause: thrown });
  }
}

function isPrivate(): Error {
  return new Error("it is a private key, which no verifier needs");
}
