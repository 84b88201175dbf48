// Sealing: a text of a vault as it is stored, encrypted if there is a key, and bound to its name.

import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { LastcallError } from "../core/index.js";
import { isPlainObject } from "../core/internal.js";

/** The name of a text, the key that seals it, and whose option that key is. */
export interface Seal {
  readonly name: string;
  /** 32 bytes. Undefined if the text is stored as it is. */
  readonly key: Uint8Array | undefined;
  /** The function that was given the key, for words. */
  readonly of: string;
}

/** A text as JSON keeps it. */
export type Stored = Readonly<Record<string, unknown>>;

const cipher = "aes-256-gcm";

/** @throws LastcallError `configuration` for a key that is not 32 bytes. */
export function readKey(of: string, text: string | undefined): Uint8Array | undefined {
  if (text === undefined) return undefined;
  const bytes = Buffer.from(text, /^[0-9a-f]{64}$/i.test(text) ? "hex" : "base64");
  if (bytes.length === 32) return bytes;
  throw new LastcallError(
    "configuration",
    `The key of ${of} is not 32 bytes: give 64 hexadecimal digits, for example of \`openssl rand -hex 32\`.`,
  );
}

/** Reads what is stored; undefined if it is damaged. */
export function storedIn(text: string): Stored | undefined {
  try {
    const held: unknown = JSON.parse(text);
    return isPlainObject(held) ? held : undefined;
  } catch {
    return undefined;
  }
}

/** The text as it is stored. */
export function sealed(text: string, { name, key }: Seal): Stored {
  if (key === undefined) return { text };
  const iv = randomBytes(12);
  const sealer = createCipheriv(cipher, key, iv, { authTagLength: 16 }).setAAD(Buffer.from(name));
  const bytes = Buffer.concat([sealer.update(text, "utf8"), sealer.final()]);
  return { sealed: bytes.toString("base64"), iv: iv.toString("base64"), tag: sealer.getAuthTag().toString("base64") };
}

/**
 * The text that is stored at a place.
 * @throws LastcallError `configuration` if it was stored with another key, or with none; `store` if it is damaged.
 */
export function opened(stored: Stored | undefined, place: string, seal: Seal): string {
  const text = stored && openedText(stored, place, seal);
  if (text !== undefined) return text;
  throw new LastcallError("store", `${place} is damaged: remove it, and people sign in again.`);
}

function openedText(
  { text, sealed: bytes, iv, tag }: Stored,
  place: string,
  { name, key, of }: Seal,
): string | undefined {
  if (typeof bytes !== "string") {
    if (key !== undefined && typeof text === "string")
      throw new LastcallError("configuration", `${place} is not encrypted: remove it, or leave the key of ${of} out.`);
    return typeof text === "string" ? text : undefined;
  }
  if (key === undefined)
    throw new LastcallError("configuration", `${place} is encrypted: give ${of} the key that it was written with.`);
  try {
    const decipher = createDecipheriv(cipher, key, Buffer.from(String(iv), "base64"), { authTagLength: 16 });
    // The name is bound to the text: a text that somebody copied over another opens nothing.
    decipher.setAAD(Buffer.from(name)).setAuthTag(Buffer.from(String(tag), "base64"));
    return Buffer.concat([decipher.update(Buffer.from(bytes, "base64")), decipher.final()]).toString("utf8");
  } catch {
    throw new LastcallError("configuration", `${place} can't be opened with this key of ${of}: it has another.`);
  }
}
