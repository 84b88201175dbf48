// The plan of an undo or a redo: which paths go from which entry to which, and which can't.

import type { Change, Ended, Begun, Line, Turned } from "./change-file.js";
import { isSame } from "./tree/workspace-entry.js";

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
  const log = new CallLog();
  for (const line of lines) log.take(line);
  return log.calls();
}

/** The calls of a session, from the lines of its file as they come. */
export class CallLog {
  readonly #begun = new Map<string, Begun>();
  readonly #calls = new Map<string, ChangedCall>();
  readonly #turned = new Map<string, Turned>();

  /** The calls in the order of their ends. */
  calls(): readonly ChangedCall[] {
    return [...this.#calls.values()];
  }

  /** Takes the next line. Returns the call that it ends, with the changes of this line alone; undefined if it ends none. */
  take(line: Line): ChangedCall | undefined {
    if (line.type === "begun") this.#begun.set(line.call, line);
    else if (line.type === "ended") return this.#end(line);
    else if (isTurned(line)) {
      this.#turned.set(line.id, line);
      this.#turn(line, line.type === "undo", line.changes.map(pathOf));
    } else if (line.type === "done") {
      // The paths that were left are as they had been.
      const turned = this.#turned.get(line.id);
      if (turned !== undefined) this.#mark(turned, turned.type !== "undo", line.left ?? []);
    }
    return undefined;
  }

  #end(line: Ended): ChangedCall | undefined {
    const start = this.#begun.get(line.call);
    if (start === undefined) return undefined;
    this.#calls.set(line.call, changedCall(start, line, this.#calls.get(line.call)));
    return changedCall(start, line, undefined);
  }

  #turn({ calls }: Turned, isUndone: boolean, paths: readonly string[]): void {
    for (const call of calls) {
      const known = this.#calls.get(call);
      if (known !== undefined) this.#calls.set(call, { ...known, isUndone });
    }
    this.#mark({ calls }, isUndone, paths);
  }

  /** Says of these paths whether they are taken back. */
  #mark({ calls }: Pick<Turned, "calls">, isUndone: boolean, paths: readonly string[]): void {
    for (const call of calls) {
      const known = this.#calls.get(call);
      if (known === undefined) continue;
      const undone = new Set(isUndone ? [...known.undone, ...paths] : known.undone);
      if (!isUndone) for (const path of paths) undone.delete(path);
      this.#calls.set(call, { ...known, undone });
    }
  }
}

function pathOf({ path }: Change): string {
  return path;
}

/** True for an undo and a redo. */
export function isTurned(line: Line): line is Turned {
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
  for (const { changes } of calls) addChanges(paths, changes);
  return changedIn(paths);
}

/** Joins later changes with the changes by path. */
export function addChanges(paths: Map<string, Composed>, changes: readonly Change[]): void {
  for (const change of changes) {
    const known = paths.get(change.path);
    const isBroken = known !== undefined && (known.isBroken || !isSame(known.after, change.before));
    paths.set(change.path, { ...change, before: known?.before ?? change.before, isBroken });
  }
}

/** The paths that are not as they were before, and the paths that somebody else changed in between. */
export function changedIn(paths: ReadonlyMap<string, Composed>): readonly Composed[] {
  return [...paths.values()].filter(({ before, after, isBroken }) => isBroken || !isSame(before, after));
}
