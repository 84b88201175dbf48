// Grants: calls that were approved for the rest of a session, identified by tool, arguments and open walls.

import { createHash } from "node:crypto";
import type { FrozenCall, OpenableWall } from "../core/index.js";
import { isPlainObject } from "../core/internal.js";

/** The calls that need no further approval. Only this process holds them: a resumed session starts without them. */
export class Grants {
  readonly #granted = new Set<string>();

  /** True if the call was approved with exactly these walls open. A link may have made the same words need another wall. */
  has(session: string, call: FrozenCall, opens: readonly OpenableWall[]): boolean {
    return this.#granted.has(keyOf(session, call, opens));
  }

  add(session: string, call: FrozenCall, opens: readonly OpenableWall[]): void {
    this.#granted.add(keyOf(session, call, opens));
  }
}

/**
 * The key of a call: the same for the same tool, in the same definition, and arguments, whatever the order of their fields, and the same
 * walls. The call's id does not count.
 */
function keyOf(session: string, { name, input, definition = "" }: FrozenCall, opens: readonly OpenableWall[]): string {
  const text = JSON.stringify([session, name, input, definition, [...opens].sort()], (_key, value: unknown) =>
    isPlainObject(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value,
  );
  return createHash("sha256").update(text).digest("hex");
}
