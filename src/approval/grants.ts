// Grants: calls that were approved for the rest of a session, identified by tool, arguments and open walls.

import { createHash } from "node:crypto";
import type { FrozenCall, OpenableWall } from "../core/index.js";
import { canonical, isWhole } from "../core/internal.js";

/**
 * The calls that need no further approval. Grants are in the memory of one permission: another agent has none of these grants, nor has
 * another process that resumes the session. They count for the id of a session. A permission does not learn that a session was deleted, so
 * a new session that gets the same id has the grants of the old session. Grants are never forgotten: a grant takes some hundred bytes, and
 * each was somebody's answer. A call is never granted if JSON does not show all of its input: another input could look the same.
 */
export class Grants {
  readonly #granted = new Set<string>();

  /**
   * True if the call was approved with exactly these walls open. The walls count because the same arguments can need another wall later: a
   * symbolic link may have appeared.
   */
  has(session: string, call: FrozenCall, opens: readonly OpenableWall[]): boolean {
    const key = keyOf(session, call, opens);
    return key !== undefined && this.#granted.has(key);
  }

  add(session: string, call: FrozenCall, opens: readonly OpenableWall[]): void {
    const key = keyOf(session, call, opens);
    if (key !== undefined) this.#granted.add(key);
  }
}

/**
 * The key of a call in a session. Two calls have the same key if the tool, the tool's definition, the arguments and the open walls are the
 * same. The order of fields and the call's id do not matter. Undefined if JSON does not show all of the input, such as a `Set`.
 */
function keyOf(
  session: string,
  { name, input, definition = "" }: FrozenCall,
  opens: readonly OpenableWall[],
): string | undefined {
  if (!isWhole(input)) return undefined;
  const key = canonical([session, name, input, definition, [...opens].sort()]);
  return createHash("sha256").update(key).digest("hex");
}
