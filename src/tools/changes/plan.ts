// The plan of an undo or a redo: which paths go from which entry to which, and which can't.

import type { Change, Ended, Begun, Line, Turned } from "./change-file.js";
import { isSame } from "./workspace-entry.js";

/** The beginning of the name under which the work of a check is recorded. No tool has a name with a space. */
export const checkWord = "check ";

/** One call of a session that changed the workspace. */
export interface ChangedCall {
  /** The key of the run. */
  readonly run: string;
  readonly call: string;
  readonly tool: string;
  readonly iteration: number;
  /** The time of its start and of its end, in milliseconds since 1970. */
  readonly from: number;
  readonly to: number;
  /** True if it named its paths, so that its changes are surely its own. */
  readonly isExact: boolean;
  readonly changes: readonly Change[];
  /** True if it was taken back, and not made again since. Paths may have been left as they are. */
  readonly isUndone: boolean;
  /** The paths that are taken back. */
  readonly undone: ReadonlySet<string>;
}

/** The calls with the changes that are not taken back, if there are any. */
export function notUndone(calls: readonly ChangedCall[]): readonly ChangedCall[] {
  return calls.flatMap((call) => {
    const changes = call.changes.filter(({ path }) => !call.undone.has(path));
    return changes.length === 0 && call.isUndone ? [] : [{ ...call, changes }];
  });
}

/**
 * The calls that are at work, as if they ended now: at the last sign of life of their process. A process that died long ago is no longer
 * at work.
 */
export function openCallsIn(lines: readonly Line[], now: number): readonly ChangedCall[] {
  return openCalls(lines).map((begun) => changedCall(begun, { at: now, changes: [] }, undefined));
}

/** The calls that have begun and not ended. */
export function openCalls(lines: readonly Line[]): readonly Begun[] {
  const open = new Map<string, Begun>();
  for (const line of lines) {
    if (line.type === "begun") open.set(line.call, line);
    else if (line.type === "ended") open.delete(line.call);
  }
  return [...open.values()];
}

/** The calls in the order of their ends. */
export function callsIn(lines: readonly Line[]): readonly ChangedCall[] {
  const begun = new Map<string, Begun>();
  const calls = new Map<string, ChangedCall>();
  const left = leftIn(lines);
  for (const line of lines) {
    if (line.type === "begun") begun.set(line.call, line);
    else if (line.type === "ended") {
      const start = begun.get(line.call);
      if (start !== undefined) calls.set(line.call, changedCall(start, line, calls.get(line.call)));
    } else if (isTurned(line)) {
      const made = madeBy(line, left).map(({ path }) => path);
      for (const call of line.calls) {
        const known = calls.get(call);
        if (known === undefined) continue;
        const isUndone = line.type === "undo";
        const undone = new Set(isUndone ? [...known.undone, ...made] : known.undone);
        if (!isUndone) for (const path of made) undone.delete(path);
        calls.set(call, { ...known, isUndone, undone });
      }
    }
  }
  return [...calls.values()];
}

function isTurned(line: Line): line is Turned {
  return line.type === "undo" || line.type === "redo";
}

/** The paths that an undo or a redo left as they are, by its id. */
function leftIn(lines: readonly Line[]): ReadonlyMap<string, readonly string[]> {
  return new Map(lines.flatMap((line) => (line.type === "done" ? [[line.id, line.left ?? []]] : [])));
}

/** The changes that an undo or a redo made. */
function madeBy({ id, changes }: Turned, left: ReadonlyMap<string, readonly string[]>): readonly Change[] {
  const own = new Set(left.get(id));
  return changes.filter(({ path }) => !own.has(path));
}

/** A call that asks the user runs again with the same id, so the changes of all its runs are joined. */
function changedCall(
  start: Begun,
  { at, changes }: Pick<Ended, "at" | "changes">,
  before: ChangedCall | undefined,
): ChangedCall {
  const { run, call, tool, iteration, paths } = start;
  return {
    ...{
      run,
      call,
      tool,
      iteration,
      from: before?.from ?? start.at,
      to: at,
      isExact: paths !== undefined,
      isUndone: false,
      undone: new Set<string>(),
    },
    changes: [...(before?.changes ?? []), ...changes],
  };
}

/** The undo or redo that a dead process did not finish; undefined if there is none. */
export function unfinished(lines: readonly Line[]): Turned | undefined {
  const done = new Set(lines.flatMap((line) => (line.type === "done" ? [line.id] : [])));
  return lines.findLast((line): line is Turned => isTurned(line) && !done.has(line.id));
}

/** The changes of the last undo that was not made again, with its calls; undefined if there is none. */
export function lastUndone(lines: readonly Line[]): Pick<Turned, "calls" | "changes"> | undefined {
  const left = leftIn(lines);
  const undos: Pick<Turned, "calls" | "changes">[] = [];
  for (const line of lines) {
    if (line.type === "redo") undos.pop();
    if (line.type !== "undo") continue;
    const changes = madeBy(line, left);
    if (changes.length > 0) undos.push({ calls: line.calls, changes });
  }
  return undos.at(-1);
}

/** One path over several calls: what was there before the first, and after the last. */
export interface Composed extends Change {
  /** True if something else changed it between two of the calls. */
  readonly isBroken: boolean;
}

/** Joins the changes of the calls by path. */
export function compose(calls: readonly ChangedCall[]): readonly Composed[] {
  const paths = new Map<string, Composed>();
  for (const { changes } of calls)
    for (const change of changes) {
      const known = paths.get(change.path);
      const isBroken = known !== undefined && (known.isBroken || !isSame(known.after, change.before));
      paths.set(change.path, { ...change, before: known?.before ?? change.before, isBroken });
    }
  return [...paths.values()].filter(({ before, after, isBroken }) => isBroken || !isSame(before, after));
}
