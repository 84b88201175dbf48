// Tells the changes of a run from changes of other sessions at the same time, and from what nobody means by a change.

import { readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { ignoringNothing, type Ignoring } from "../../files/index.js";
import { GrowingLines, linesIn, type Change } from "./change-file.js";
import {
  addChanges,
  CallLog,
  callsIn,
  changedIn,
  checkWord,
  isTurned,
  notUndone,
  openCallsIn,
  type ChangedCall,
  type Composed,
} from "./plan.js";
import { lastSignIn, type Recorder } from "./recorder.js";
import type { KeptFile, SessionFiles } from "./undone.js";
import { isSame, nothing, type Entry } from "./tree/workspace-entry.js";

/** The changes of some calls. */
export interface OwnChanges {
  /** The changes that are surely of these calls. */
  readonly own: readonly Composed[];
  /** The paths that a command of another session may have changed at the same time. */
  readonly shared: readonly string[];
}

/** The calls of the other sessions of the workspace since then, with the calls that are at work. `since` is in milliseconds since 1970. */
export function othersIn(recorder: Recorder, session: string, since = 0): readonly ChangedCall[] {
  const own = recorder.fileOf(session);
  return filesIn(join(recorder.folder, "sessions"))
    .filter((file) => file !== own && lastSignIn(file) >= since)
    .flatMap((file) => {
      const lines = linesIn(file);
      return [...callsIn(lines), ...openCallsIn(lines, lastSignIn(file))];
    });
}

function filesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).flatMap((name) => (name.endsWith(".jsonl") ? [join(folder, name)] : []));
  } catch {
    return [];
  }
}

/**
 * Tells the calls' own changes from the changes of other sessions at the same time. What another session says of a path by its name is
 * that session's. Of what two commands may have changed at once, nobody knows whose it is.
 */
export function withoutOthers(
  composed: readonly Composed[],
  calls: readonly ChangedCall[],
  others: readonly ChangedCall[],
): OwnChanges {
  if (others.length === 0) return { own: composed, shared: [] };
  const commands = calls.filter(({ isExact }) => !isExact);
  const beside = others.filter((other) => commands.some(({ from, to }) => other.from <= to && other.to >= from));
  const named = new Set(beside.filter(({ isExact }) => isExact).flatMap(pathsOf));
  const either = new Set(beside.filter(({ isExact }) => !isExact).flatMap(pathsOf));
  const exactly = new Set(calls.filter(({ isExact }) => isExact).flatMap(pathsOf));
  const isBeside = beside.some(({ isExact }) => !isExact);
  const own: Composed[] = [];
  const shared: string[] = [];
  for (const change of composed) {
    const isOwn = exactly.has(change.path);
    if (!isOwn && named.has(change.path)) continue;
    if (!isOwn && isBeside) shared.push(change.path);
    else own.push(change);
  }
  const known = new Set(composed.map(({ path }) => path));
  return { own, shared: [...shared, ...[...either].filter((path) => !known.has(path))] };
}

function pathsOf({ changes }: ChangedCall): readonly string[] {
  return changes.map(({ path }) => path);
}

/** A path that a run has changed. */
export interface ChangedPath extends Change {
  /** The changes of the run's own calls: more than one if somebody else changed the path in between. */
  readonly pieces: readonly Change[];
  /** The path with the same content that is gone. Absent if the content is new, or was changed. */
  readonly movedFrom?: string;
}

/** The changes of a run so far. */
export interface RunChanges {
  /** In alphabetical order. */
  readonly paths: readonly ChangedPath[];
  readonly shared: readonly string[];
  /** The number of commands whose changes are not known. */
  readonly unseen: number;
  /** The number of commands. */
  readonly commands: number;
}

/**
 * The changes of the run of a check's key, without the work of its checks. Files that commands changed and that the ignore files of the
 * beginning leave out do not count.
 * @throws Error if the run is not recorded.
 */
export async function runChanges(recorder: Recorder, key: string): Promise<RunChanges> {
  const recording = await recorder.current(key);
  const log = logs.get(recording) ?? new RunLog(recording);
  logs.set(recording, log);
  log.update();
  const { calls, exact, unseen, ran } = log;
  const composed = changedIn(log.paths).filter(({ before, after }) => !isSame(before, after));
  const { own, shared } = withoutOthers(composed, calls, othersIn(recorder, recording.session, calls[0]?.from));
  const isIgnored = ignoredAtFirst(recorder, composed);
  const meant = own.filter((change) => exact.has(change.path) || !isIgnored(change));
  return {
    paths: withMoves(meant)
      .map((change) => ({ ...change, pieces: piecesOf(change, calls) }))
      .toSorted((a, b) => (a.path < b.path ? -1 : 1)),
    shared: shared.filter((path) => composed.some((change) => change.path === path && !isIgnored(change))),
    unseen,
    commands: ran.size,
  };
}

type OwnRun = Awaited<ReturnType<Recorder["current"]>>;

/** The logs of the runs that record. */
const logs = new WeakMap<OwnRun, RunLog>();

/** The calls of a run without its checks, and their changes by path. Each line of the session's file is read once. */
class RunLog {
  readonly #run: string;
  readonly #lines: GrowingLines;
  readonly #log = new CallLog();
  readonly paths = new Map<string, Composed>();
  /** The paths of calls that named them. */
  readonly exact = new Set<string>();
  /** The commands. */
  readonly ran = new Set<string>();
  calls: ChangedCall[] = [];
  /** The number of commands whose changes are not known. */
  unseen = 0;

  constructor({ run, file }: OwnRun) {
    this.#run = run;
    this.#lines = new GrowingLines(file);
  }

  update(): void {
    const fresh = this.#lines.next();
    for (const line of fresh) {
      const ended = this.#log.take(line);
      if (ended !== undefined) this.#add(ended);
      if (line.type === "ran" && line.run === this.#run) this.ran.add(line.call);
      if (line.type === "unseen" && line.run === this.#run && !line.tool.startsWith(checkWord)) this.unseen += 1;
    }
    // An undo comes between the runs of a session: the run goes on after it.
    if (fresh.some(isTurned)) this.#addAnew();
  }

  #addAnew(): void {
    this.calls = [];
    this.paths.clear();
    this.exact.clear();
    for (const call of notUndone(this.#log.calls())) this.#add(call);
  }

  #add(call: ChangedCall): void {
    if (call.run !== this.#run || call.tool.startsWith(checkWord)) return;
    this.calls.push(call);
    addChanges(this.paths, call.changes);
    if (call.isExact) for (const path of pathsOf(call)) this.exact.add(path);
  }
}

function piecesOf({ path, before, after, isBroken }: Composed, calls: readonly ChangedCall[]): readonly Change[] {
  return isBroken
    ? calls.flatMap(({ changes }) => changes.filter((one) => one.path === path))
    : [{ path, before, after }];
}

/** Joins files that are new with files of the same content that are gone. */
function withMoves(changes: readonly Composed[]): readonly (Composed & Pick<ChangedPath, "movedFrom">)[] {
  const gone = new Map<string, string[]>();
  for (const { path, before, after } of changes)
    if (before.kind === "file" && before.digest !== undefined && after.kind === "none")
      gone.set(before.digest, [...(gone.get(before.digest) ?? []), path]);
  return changes.map((change) => {
    const { before, after } = change;
    const from = before.kind === "none" && after.kind === "file" ? gone.get(after.digest ?? "")?.shift() : undefined;
    return from === undefined ? change : { ...change, movedFrom: from };
  });
}

/** Tells whether the ignore files leave a path out, as they were before these changes. */
function ignoredAtFirst(recorder: Recorder, changes: readonly Change[]): (change: Change) => boolean {
  const before = new Map(changes.map((change) => [change.path, change.before]));
  const known = new Map<string, Ignoring>();
  const rulesIn = (folder: string): Ignoring => {
    const made = known.get(folder) ?? readRules(folder);
    known.set(folder, made);
    return made;
  };
  const readRules = (folder: string): Ignoring => {
    const above = folder === "" ? ignoringNothing : rulesIn(parentOf(folder));
    const path = posix.join(folder, ".gitignore");
    try {
      const entry = before.get(path);
      const text = entry === undefined ? readFileSync(join(recorder.root, path), "utf8") : textOf(recorder, entry);
      return above.and(folder, text);
    } catch {
      // No file, or no ignore file: nothing more is left out.
      return above;
    }
  };
  return ({ path, before: then, after }) => {
    const isFolder = then.kind === "folder" || after.kind === "folder";
    return rulesIn(parentOf(path)).ignores(isFolder ? `${path}/` : path);
  };
}

/** The files that a session has changed, without what was taken back. */
export function sessionFiles(recorder: Recorder, session: string): SessionFiles {
  const lines = linesIn(recorder.fileOf(session));
  const calls = notUndone(callsIn(lines));
  const paths = new Map<string, Composed>();
  for (const { changes } of calls) addChanges(paths, changes);
  const { own, shared } = withoutOthers([...paths.values()], calls, othersIn(recorder, session, calls[0]?.from));
  const meant = new Set(calls.filter(({ tool }) => !tool.startsWith(checkWord)).flatMap(pathsOf));
  const files = own.filter(({ path, before, after }) => meant.has(path) && !(isNoFile(before) && isNoFile(after)));
  return {
    files: files
      .map(({ path, after }) => ({ path, before: befores(recorder, path, calls), after: keptFile(recorder, after) }))
      .toSorted((a, b) => (a.path < b.path ? -1 : 1)),
    shared,
    unseen: lines.flatMap((line) =>
      line.type === "unseen" && !line.tool.startsWith(checkWord)
        ? [{ tool: line.tool, iteration: line.iteration }]
        : [],
    ),
  };
}

function befores(recorder: Recorder, path: string, calls: readonly ChangedCall[]): readonly KeptFile[] {
  let entries: Entry[] = [];
  let last: Entry | undefined;
  for (const change of calls.flatMap(({ changes }) => changes.filter((one) => one.path === path))) {
    if (last !== undefined && !isSame(last, change.before)) entries = [];
    entries.push(change.before);
    last = change.after;
  }
  return entries.map((entry) => keptFile(recorder, entry));
}

function keptFile({ packs }: Recorder, entry: Entry): KeptFile {
  if (isNoFile(entry)) return { kind: "none", content: () => undefined };
  if (entry.kind === "link") return { kind: "link", content: () => Buffer.from(entry.target) };
  if (entry.kind !== "file" || entry.digest === undefined) return { kind: "unknown", content: () => undefined };
  const { mode, digest } = entry;
  return { kind: (mode & 0o100) === 0 ? "file" : "program", content: () => packs.get(digest) };
}

function parentOf(path: string): string {
  return posix.dirname(path) === "." ? "" : posix.dirname(path);
}

function textOf({ packs }: Recorder, entry: Entry): string {
  return (entry.kind === "file" ? packs.get(entry.digest ?? "") : undefined)?.toString() ?? "";
}

/** True for a folder, and for nothing. */
export function isNoFile(entry: Entry): boolean {
  return entry.kind === "folder" || entry.kind === nothing.kind;
}
