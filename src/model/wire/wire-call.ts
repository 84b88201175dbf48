// Makes ids, names and arguments of calls in the history that every server accepts.

import type { Call } from "../../core/index.js";
import { isPlainObject } from "../../core/internal.js";

/** The provider's own id if it is free, else an id derived from lastcall's id. The id is added to `taken`. */
export function wireId({ id, providerId = "" }: Call, taken: Set<string>): string {
  let wire = providerId;
  for (let salt = 0; wire === "" || taken.has(wire); salt += 1) wire = shortId(`${id}#${String(salt)}`);
  taken.add(wire);
  return wire;
}

/** A hash of the text as nine characters [A-Za-z0-9], the format of the strictest known servers. */
function shortId(text: string): string {
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
  let hash = 0xcbf29ce484222325n;
  for (let index = 0; index < text.length; index += 1) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(text.charCodeAt(index))) * 0x100000001b3n);
  }
  let id = "";
  for (let digit = 0; digit < 9; digit += 1) {
    id += alphabet.charAt(Number(hash % 62n));
    hash /= 62n;
  }
  return id;
}

/** The tool's name, limited to 64 characters that every server accepts. */
export function wireName({ name }: Call): string {
  return name.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, 64) || "unreadable";
}

/**
 * The arguments of a call in the history: the model's own text, or the repaired input if it needed repairs. Arguments that are
 * not a JSON object become an empty object, because servers refuse any other value.
 */
export function wireArguments(call: Call): string {
  if (call.type !== "call" || !isPlainObject(call.input)) return "{}";
  const { source, repairs, input } = call;
  return source === undefined || repairs !== undefined ? JSON.stringify(input) : source;
}
