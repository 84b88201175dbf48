// Protected files: programs run them or obey them later, outside of the run that wrote them. The gate and the sandbox share these lists.

import { matcher } from "./matcher.js";
import { protectedKinds, type ProtectedKind } from "./protected-kinds.js";

const named = (how: ProtectedKind["how"]): readonly string[] =>
  protectedKinds.flatMap((kind) => (kind.how === how ? kind.names : []));

/**
 * Files that other programs run by themselves, or take permissions from. No approver is asked: a person can write them
 * by hand.
 */
export const neverWritten: readonly string[] = named("never");

/**
 * Files that are read as instructions, or run when somebody enters the folder, installs or commits. An approver is
 * asked.
 */
export const askedFor: readonly string[] = named("asked");

let isNever: ((path: string) => boolean) | undefined;
let isAsked: ((path: string) => boolean) | undefined;

/**
 * The list that a file is on: `never` is written by nobody, `asked` by tools that were allowed to; undefined for neither. The path
 * is relative, with slashes; case is ignored.
 */
export function protectionOf(path: string): "never" | "asked" | undefined {
  isNever ??= matcher(neverWritten.map(inAnyFolder));
  isAsked ??= matcher(askedFor.map(inAnyFolder));
  const folded = path.toLowerCase();
  if (isNever(folded)) return "never";
  return isAsked(folded) ? "asked" : undefined;
}

/** A pattern with a slash matches in any folder, as a pattern without a slash does. */
function inAnyFolder(pattern: string): string {
  const folded = pattern.toLowerCase();
  return folded.includes("/") ? `**/${folded}` : folded;
}
