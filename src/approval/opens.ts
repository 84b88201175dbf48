// The walls that are open for a command that somebody allowed.

import type { FrozenCall, OpenableWall, Wall } from "../core/index.js";
import { openableWalls } from "../core/internal.js";

/**
 * The walls that are open for an allowed command: the walls that it needs, and, since the person who allowed it knows the command, the
 * secrets of the workspace and the data of git. With the network open, secrets stay hidden unless they are needed as well, because then
 * they could be sent. `expected` are needs that its words tell. Default: none.
 */
export function opensIfAllowed({ reach }: FrozenCall, expected: readonly OpenableWall[] = []): readonly OpenableWall[] {
  const walls: readonly Wall[] = reach?.walls ?? [];
  const needs = [...expected, ...(reach?.needs ?? [])];
  const usual: readonly OpenableWall[] = needs.includes("network") ? [] : ["secrets", "protected"];
  return openableWalls.filter((wall) => walls.includes(wall) && (needs.includes(wall) || usual.includes(wall)));
}

/** The field of a decision that names open walls; absent if there are none. */
export function opening(opens: readonly OpenableWall[] = []): { readonly opens?: readonly OpenableWall[] } {
  return opens.length === 0 ? {} : { opens };
}
