// Protected paths: files that are run or trusted outside of this run once they are written. They need not exist yet.

import { askedFor, isSecretAt, isSecretFile, matcher, neverWritten, type OtherNames } from "../../files/index.js";
import { spellingOf, pathSpellingOf } from "./same-spelling.js";
import { home, within, type ResolvedPath } from "./place.js";

/** The protection of a path. */
export interface Protection {
  /** The pattern that protects it, as written in the list. */
  readonly name: string;
  readonly how: "never" | "asked";
}

/** Says how a path is protected against writing, and whether a read needs approval. */
export interface Protector {
  written(root: string, target: Pick<ResolvedPath, "absolute">): Protection | undefined;
  isSecret(root: string, target: Pick<ResolvedPath, "absolute">): boolean;
  /** True if a link whose name is the name of a secret leads to `path`. `path` is a real path. */
  isLinkedSecret(root: string, path: string): boolean;
  /** A copy that also knows the links of a workspace: the target of a link with a protected name is protected too. */
  withNames(others: OtherNames): Protector;
}

const noNames: OtherNames = { of: () => [] };

/**
 * Makes a protector. `added` joins the files that are never written, and `askedAbout` the files that need an approval.
 * @throws LastcallError `configuration` for an invalid pattern.
 */
export function protector(added: readonly string[], askedAbout: readonly string[] = []): Protector {
  return added.length + askedAbout.length > 0 ? makeProtector(added, askedAbout) : (usual ??= makeProtector([], []));
}

/** The protector without patterns of a caller. To read the usual patterns takes most of the time that a gate takes to make. */
let usual: Protector | undefined;

function makeProtector(added: readonly string[], askedAbout: readonly string[]): Protector {
  // An error about an invalid pattern shows the pattern as the caller wrote it.
  matcher([...added, ...askedAbout]);
  const never = firstMatch([...neverWritten, ...added].map((pattern) => [pattern, anywhere(spellingOf(pattern))]));
  const asked = firstMatch([
    ...askedFor.map((pattern) => [pattern, anywhere(spellingOf(pattern))] as const),
    ...askedAbout.map((pattern) => [pattern, topOrAnywhere(spellingOf(pattern))] as const),
  ]);
  return protectorOf(never, asked, noNames);
}

type Match = (path: string) => string | undefined;

function protectorOf(never: Match, asked: Match, others: OtherNames): Protector {
  return {
    written(root, target) {
      const names = namesOf(root, target, others);
      for (const path of names) {
        const name = never(path);
        if (name !== undefined) return { name, how: "never" };
      }
      for (const path of names) {
        const name = asked(path);
        if (name !== undefined) return { name, how: "asked" };
      }
      return undefined;
    },
    isSecret(root, target) {
      // The last path is the real path.
      const place = target.absolute.at(-1) ?? root;
      return namesOf(root, target, others).some((path) => isSecretAt(path, place));
    },
    isLinkedSecret: (root, path) => others.of(path).some((name) => isSecretFile(within(root, name) ?? name)),
    withNames: (known) => protectorOf(never, asked, known),
  };
}

/** Makes the function that returns the first pattern that matches a path, as written. `form` is the pattern for the matcher. */
function firstMatch(patterns: readonly (readonly [pattern: string, form: string])[]): Match {
  const any = matcher(patterns.map(([, form]) => form));
  let matchers: readonly (readonly [string, (path: string) => boolean])[] | undefined;
  return (path) => {
    if (!any(path)) return undefined;
    matchers ??= patterns.map(([pattern, form]) => [pattern, matcher([form])]);
    return matchers.find(([, matches]) => matches(path))?.[0];
  };
}

/** A pattern with `./` matches at the top only. Other patterns match anywhere. */
function topOrAnywhere(pattern: string): string {
  return pattern.startsWith("./") ? pattern : anywhere(pattern);
}

/** Makes a pattern match in any folder. A pattern without a slash does so already. */
function anywhere(pattern: string): string {
  return pattern.includes("/") ? `**/${pattern}` : pattern;
}

/**
 * The names of a path in the form that patterns match: relative to the root, to the home folder or to the top of the
 * file system.
 */
function namesOf(root: string, { absolute }: Pick<ResolvedPath, "absolute">, others: OtherNames): readonly string[] {
  const paths = new Set([...absolute, ...absolute.flatMap((path) => others.of(path))]);
  const names = [...paths].flatMap((path) => {
    const name = within(root, path) ?? within(home(), path) ?? within("/", path) ?? path;
    return [pathSpellingOf(name), spellingOf(name)];
  });
  return [...new Set(names)];
}
