// Makes ids, names and arguments of calls in the history that every server accepts.

import type { Call, Reply } from "../../core/index.js";
import { isPlainObject } from "../../core/internal.js";

/** True if the receiver of a request takes this id of a call of this reply. */
export type TakesId = (id: string, reply: Pick<Reply, "from">) => boolean;

/** The names of models and addresses of Mistral, which take no id but their own kind. */
const mistral = /mistral|ministral|mixtral|devstral|codestral|magistral|pixtral|voxtral/i;

/**
 * The ids that a receiver takes. `from` names its model and address: it takes back whatever it gave, and of the ids of others letters,
 * digits, `_` and `-`, at most `longest` of them. Models of Mistral take nine letters and digits, and no other id of their servers.
 */
export function idsOf(from: string, longest: 40 | 64): TakesId {
  if (mistral.test(from)) return (id) => /^[A-Za-z0-9]{9}$/.test(id);
  return (id, reply) => reply.from === from || (id.length <= longest && /^[\w-]+$/.test(id));
}

/**
 * The provider's own id if the receiver takes it and it is free, else an id derived from lastcall's id, the same each time. The id is added
 * to `taken`.
 */
export function wireId({ id, providerId = "" }: Call, reply: Reply, taken: Set<string>, takes: TakesId): string {
  let wire = takes(providerId, reply) ? providerId : "";
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
