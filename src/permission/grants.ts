// Grants: calls that were approved for the rest of a session, by what they are and not by what they are called.

import { createHash } from "node:crypto";
import type { FrozenCall } from "../core/index.js";
import { isPlainObject } from "../core/internal.js";

/** The calls that need not be asked about again. Held by this process alone: a session that is resumed starts without them. */
export class Grants {
  readonly #granted = new Set<string>();

  has(session: string, call: FrozenCall): boolean {
    return this.#granted.has(keyOf(session, call));
  }

  add(session: string, call: FrozenCall): void {
    this.#granted.add(keyOf(session, call));
  }
}

/** The same for the same tool and the same arguments, whatever their order; the call's id has no part in it. */
function keyOf(session: string, { name, input }: FrozenCall): string {
  const text = JSON.stringify([session, name, input], (_key, value: unknown) =>
    isPlainObject(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value,
  );
  return createHash("sha256").update(text).digest("hex");
}
