// Compares the files that a check depends on with their state when the task began.

import { LastcallError, type Json } from "../core/index.js";
import { isPlainObject } from "../core/internal.js";
import { digestFiles, matcher, type Digests } from "../files/index.js";

/** The files that a check depends on, as patterns relative to a folder. */
export interface Guard {
  readonly folder: string;
  /** Files that must not change. */
  readonly protect: readonly string[];
  /** Files whose changes are reported. */
  readonly watch: readonly string[];
}

/** The digests to compare with later: plain data, for the journal. */
export type Begun = Readonly<Record<"protect" | "watch", Digests>>;

/** The files that have changed. */
export interface Touched {
  /** The changes to protected files, for the model to read; undefined if there are none. */
  readonly objection: string | undefined;
  /** The paths of all changed, added and missing files, sorted. */
  readonly changed: readonly string[];
}

/** Paths of each kind of change that the model is told. */
const maxToldPaths = 20;

/**
 * Digests the files as they are now.
 * @throws LastcallError `configuration` if a pattern of `protect` matches no file, because it would protect nothing.
 */
export async function rememberFiles({ folder, protect, watch }: Guard, signal: AbortSignal): Promise<Begun> {
  const digests = await digestFiles(folder, protect, signal);
  const unmatched = protect.find((pattern) => !Object.keys(digests).some(matcher([pattern])));
  if (unmatched !== undefined) {
    const message = `protect: the pattern ${JSON.stringify(unmatched)} means no file in ${folder}. Give one that does, or leave it out.`;
    throw new LastcallError("configuration", message);
  }
  return { protect: digests, watch: await digestFiles(folder, watch, signal) };
}

/** Compares the files with their digests. Fails closed: without digests of the protected files, they count as changed. */
export async function compareFiles(guard: Guard, begun: Json | undefined, signal: AbortSignal): Promise<Touched> {
  if (!isBegun(begun)) return { objection: guard.protect.length > 0 ? forgotten : undefined, changed: [] };
  const compare = async (kind: "protect" | "watch"): Promise<readonly FileChange[]> =>
    guard[kind].length > 0 ? changes(begun[kind], await digestFiles(guard.folder, guard[kind], signal)) : [];
  const [guarded, watched] = [await compare("protect"), await compare("watch")];
  const changed = [...new Set([...guarded, ...watched].map(({ path }) => path))].sort();
  return { objection: guarded.length > 0 ? describeChanges(guarded) : undefined, changed };
}

const forgotten =
  "Nobody knows what the protected files were like when the task began (`begin` was not called), so this can't pass.";

function isBegun(begun: Json | undefined): begun is Begun {
  return isPlainObject(begun) && isPlainObject(begun["protect"]) && isPlainObject(begun["watch"]);
}

interface FileChange {
  readonly path: string;
  readonly how: "Changed" | "Added" | "Missing";
}

/** Uses maps, because a file may be named `__proto__`. */
function changes(before: Digests, after: Digests): readonly FileChange[] {
  const [old, now] = [new Map(Object.entries(before)), new Map(Object.entries(after))];
  return [...new Set([...old.keys(), ...now.keys()])]
    .filter((path) => old.get(path) !== now.get(path))
    .map((path) => ({ path, how: !old.has(path) ? "Added" : !now.has(path) ? "Missing" : "Changed" }));
}

function describeChanges(changes: readonly FileChange[]): string {
  const sentences = (["Changed", "Added", "Missing"] as const).flatMap((kind) => {
    const paths = changes.filter(({ how }) => how === kind).map(({ path }) => path);
    if (paths.length === 0) return [];
    const rest = paths.length > maxToldPaths ? ` and ${String(paths.length - maxToldPaths)} more` : "";
    return [`${kind}: ${paths.slice(0, maxToldPaths).join(", ")}${rest}.`];
  });
  return `${sentences.join(" ")} These files are protected: put them back as they were.`;
}
