// Protected paths: files that are run or trusted outside of this run once they are written. They need not exist yet.

import { askedFor, isSecretFile, matcher, neverWritten } from "../../files/index.js";
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
 * Makes a protector. The caller's own patterns are added to the files that are never written, and to those that are asked about.
 * @throws LastcallError `configuration` for an invalid pattern.
 */
export function protector(added: readonly string[], askedAbout: readonly string[] = []): Protector {
  matcher([...added, ...askedAbout]);
  const never = firstMatch([...neverWritten, ...added].map((pattern) => [pattern, anywhere(spellingOf(pattern))]));
  const asked = firstMatch([
    ...askedFor.map((pattern) => [pattern, anywhere(spellingOf(pattern))] as const),
    ...askedAbout.map((pattern) => [pattern, atTop(spellingOf(pattern))] as const),
  ]);
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
    isSecret: (root, target) => namesOf(root, target).some(isSecretFile),
  };
}

/** The first pattern that matches a path, by its form for the matcher; undefined if none does. */
function firstMatch(
  patterns: readonly (readonly [pattern: string, form: string])[],
): (path: string) => string | undefined {
  const any = matcher(patterns.map(([, form]) => form));
  let singly: readonly (readonly [string, (path: string) => boolean])[] | undefined;
  return (path) => {
    if (!any(path)) return undefined;
    singly ??= patterns.map(([pattern, form]) => [pattern, matcher([form])]);
    return singly.find(([, matches]) => matches(path))?.[0];
  };
}

/** A pattern that begins with `./` keeps its place. */
function atTop(pattern: string): string {
  return pattern.startsWith("./") ? pattern : anywhere(pattern);
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
