// Calls as they go back over the wire: with ids, names and arguments that every server takes.

import type { Call } from "../../core/index.js";
import { isPlainObject } from "../../core/internal.js";

/** The provider's own id where it can stand, else one made from ours; it is then taken. */
export function wireId({ id, providerId = "" }: Call, taken: Set<string>): string {
  let wire = providerId;
  for (let salt = 0; wire === "" || taken.has(wire); salt += 1) wire = shortId(`${id}#${String(salt)}`);
  taken.add(wire);
  return wire;
}

/** Nine characters [A-Za-z0-9], the same for the same text: what the strictest known servers take. */
function shortId(text: string): string {
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
  let hash = 0xcbf29ce484222325n;
  for (let index = 0; index < text.length; index += 1) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(text.charCodeAt(index))) * 0x100000001b3n);
  }
  let id = "";
  for (let place = 0; place < 9; place += 1) {
    id += alphabet.charAt(Number(hash % 62n));
    hash /= 62n;
  }
  return id;
}

/** The name, as far as it can be sent. */
export function wireName({ name }: Call): string {
  return name.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, 64) || "unreadable";
}

/**
 * The arguments as the model wrote them where that is JSON: what was mended goes back mended. Those that are no JSON object
 * go back as an empty one: anything else in the history is refused by servers.
 */
export function wireArguments(call: Call): string {
  if (call.type !== "call" || !isPlainObject(call.input)) return "{}";
  const { source, repairs, input } = call;
  return source === undefined || repairs !== undefined ? JSON.stringify(input) : source;
}
