// Protected paths: files that are run or trusted outside of this run once they are written. They need not exist yet.

import { askedFor, isSecretAt, matcher, neverWritten } from "../../files/index.js";
import { spellingOf, pathSpellingOf } from "./same-spelling.js";
import { home, within, type ResolvedPath } from "./place.js";

/** The protection of a path. */
export interface Protection {
  /** The pattern that protects it, as written in the list. */
  readonly name: string;
  readonly how: "never" | "asked";
}

/** Says how a path is protected against writing, and whether a read of it needs approval. */
export interface Protector {
  written(root: string, target: Pick<ResolvedPath, "absolute">): Protection | undefined;
  isSecret(root: string, target: Pick<ResolvedPath, "absolute">): boolean;
}

/**
 * Makes a protector. The caller's own patterns are added to the files that are never written.
 * @throws LastcallError `configuration` for an invalid pattern.
 */
export function protector(added: readonly string[]): Protector {
  matcher(added);
  const never = firstMatch([...neverWritten, ...added]);
  const asked = firstMatch(askedFor);
  return {
    written(root, target) {
      for (const path of namesOf(root, target)) {
        const name = never(path);
        if (name !== undefined) return { name, how: "never" };
      }
      for (const path of namesOf(root, target)) {
        const name = asked(path);
        if (name !== undefined) return { name, how: "asked" };
      }
      return undefined;
    },
    isSecret(root, target) {
      const place = target.absolute.at(-1) ?? root;
      return namesOf(root, target).some((path) => isSecretAt(path, place));
    },
  };
}

/** The first pattern that matches a path; undefined if none does. */
function firstMatch(patterns: readonly string[]): (path: string) => string | undefined {
  const any = matcher(patterns.map((pattern) => anywhere(spellingOf(pattern))));
  const singly = patterns.map((pattern) => [pattern, matcher([anywhere(spellingOf(pattern))])] as const);
  return (path) => (any(path) ? singly.find(([, matches]) => matches(path))?.[0] : undefined);
}

/** Makes a pattern match in any folder. */
function anywhere(pattern: string): string {
  return pattern.includes("/") ? `**/${pattern}` : pattern;
}

/**
 * The names of a path in the form that patterns match: relative to the root, to the home folder or to the top of the
 * file system.
 */
function namesOf(root: string, { absolute }: Pick<ResolvedPath, "absolute">): readonly string[] {
  return absolute.flatMap((path) => {
    const name = within(root, path) ?? within(home(), path) ?? within("/", path) ?? path;
    return [pathSpellingOf(name), spellingOf(name)];
  });
}
