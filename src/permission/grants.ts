// Grants: calls that were approved for the rest of a session, identified by tool and arguments.

import { createHash } from "node:crypto";
import type { FrozenCall } from "../core/index.js";
import { isPlainObject } from "../core/internal.js";

/** The calls that need no further approval. Only this process holds them: a resumed session starts without them. */
export class Grants {
  readonly #granted = new Set<string>();

  has(session: string, call: FrozenCall): boolean {
    return this.#granted.has(keyOf(session, call));
  }

  add(session: string, call: FrozenCall): void {
    this.#granted.add(keyOf(session, call));
  }
}

/**
 * The key of a call: the same for the same tool, in the same definition, and arguments, whatever the order of their fields. The call's id
 * does not count.
 */
function keyOf(session: string, { name, input, definition = "" }: FrozenCall): string {
  const text = JSON.stringify([session, name, input, definition], (_key, value: unknown) =>
    isPlainObject(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value,
  );
  return createHash("sha256").update(text).digest("hex");
}
