// The changes of a workspace: recorded by run, shown as a diff, taken back and made again.

import { isUtf8 } from "node:buffer";
import { randomUUID } from "node:crypto";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { LastcallError, type Hook, type Tool } from "../../core/index.js";
import { unifiedDiff } from "../../core/internal.js";
import { append, linesIn, type Change, type Line } from "./change-file.js";
import type { Entry } from "./workspace-entry.js";
import { callsIn, compose, lastUndone, openCallsIn, type ChangedCall, type Composed } from "./plan.js";
import type { ChangesOptions } from "./changes-options.js";
import { lastSignIn, Recorder } from "./recorder.js";
import { makeChanges } from "./turn-back.js";
import type { Conflict, Undone, UnseenCall } from "./undone.js";

/** The changes that runs make in one workspace. */
export interface WorkspaceChanges {
  /** The hook for agents whose changes are recorded. It fits any agent: `hooks: [changes.hook]`. */
  readonly hook: Hook;
  /** The tools, recorded. Tools that change no files stay as they are. */
  recorded<const Tools extends readonly Tool[]>(tools: Tools): Tools;
  /** Does work that is no run, and records what it changes at these paths, from the root, as the session's. */
  record<Made>(session: string, paths: readonly string[], work: () => Promise<Made>): Promise<Made>;
  /** The paths that the session has changed, from the root, in alphabetical order. `after` as in `undo`. */
  changed(session: string, terms?: UndoTerms): readonly string[];
  /**
   * The diff of what the session has changed, also after other work: unified, with one line for a file that is no text. `after` as in
   * `undo`.
   */
  diff(session: string, terms?: UndoTerms): string;
  /**
   * Takes back what the session has changed, and only that. A path that somebody else has changed since is a conflict: it stays as it is.
   * An undo that is killed is finished by whoever comes next. What the changes of the system itself were (packages, services, the network,
   * git's own data) stays.
   * @throws LastcallError `configuration` if a run of the session is at work, or has changed nothing.
   */
  undo(session: string, terms?: UndoTerms): Promise<Undone>;
  /**
   * Makes again what the last undo of the session took back.
   * @throws LastcallError `configuration` if a run of the session is at work, or nothing was taken back.
   */
  redo(session: string, terms?: Pick<UndoTerms, "signal">): Promise<Undone>;
}

/** The terms of an undo. */
export interface UndoTerms {
  /**
   * Only the last run is meant, and of that run what came after this iteration: 0 for all of the run. Default: all runs of the session are
   * meant.
   */
  readonly after?: number | undefined;
  /** Stops between two paths. Default: nothing stops it. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Records what the calls of runs change in a workspace: edits exactly, and for a command whatever has changed when it ends. It looks at
 * all files before each command and after it, and keeps the contents. Without git, and git's data is no part of it.
 *
 * @example
 * ```ts
 * const changes = workspaceChanges({ root, folder: join(homedir(), ".local/state/my-agent") });
 * const agent = createAgent({ model, tools: [...changes.recorded(workspaceTools({ root })), taskCompletion()], hooks: [changes.hook] });
 * await agent.run("Do it.", { session });
 * console.log(changes.diff(session.id));
 * await changes.undo(session.id);
 * ```
 * @throws LastcallError `configuration` if the root can't be used.
 */
export function workspaceChanges(options: ChangesOptions): WorkspaceChanges {
  const recorder = new Recorder(options);
  const { root, packs } = recorder;

  const calls = (lines: readonly Line[], after: number | undefined): readonly ChangedCall[] =>
    lastRun(
      callsIn(lines).filter(({ isUndone }) => !isUndone),
      after,
    );
  const composed = (session: string, { after }: UndoTerms = {}): readonly Composed[] =>
    compose(calls(linesIn(recorder.fileOf(session)), after)).toSorted(byPath);

  const turn = (session: string, kind: "undo" | "redo", terms: UndoTerms): Promise<Undone> =>
    recorder.alone(session, async (lines) => {
      const chosen = kind === "undo" ? calls(lines, terms.after) : (lastUndone(lines) ?? []);
      const unseen = kind === "undo" ? unseenIn(lines, terms.after, chosen.at(-1)?.run) : [];
      if (chosen.length + unseen.length === 0)
        throw new LastcallError("configuration", nothingTo(kind, session, terms.after));
      const { sure, conflicts } = withoutOthers(compose(chosen), chosen, othersIn(recorder, session));
      const changes = sure.map(({ path, before, after }) =>
        kind === "undo" ? { path, before: after, after: before } : { path, before, after },
      );
      const [file, id] = [recorder.fileOf(session), randomUUID()];
      append(file, { type: kind, id, at: Date.now(), calls: chosen.map(({ call }) => call), changes });
      const made = await makeChanges(
        root,
        packs,
        { id, changes },
        { signal: terms.signal ?? new AbortController().signal },
      );
      append(file, { type: "done", id, at: Date.now() });
      return { ...made, conflicts: [...made.conflicts, ...conflicts].toSorted(byPath), unseen };
    });

  return {
    hook: recorder.hook,
    recorded: (tools) => tools.map((tool) => recorder.recorded(tool)) as unknown as typeof tools,
    record: (session, paths, work) => recorder.record(session, paths, work),
    changed: (session, terms) => composed(session, terms).map(({ path }) => path),
    diff: (session, terms) =>
      composed(session, terms)
        .map((change) => diffOf(recorder, change))
        .join("\n"),
    undo: (session, terms = {}) => turn(session, "undo", terms),
    redo: (session, terms = {}) => turn(session, "redo", terms),
  };
}

function byPath(a: { readonly path: string }, b: { readonly path: string }): number {
  return a.path < b.path ? -1 : 1;
}

/** The commands whose changes are not known. With `after`, only commands of the run whose changes are meant, or of the last run. */
function unseenIn(lines: readonly Line[], after: number | undefined, run: string | undefined): readonly UnseenCall[] {
  const unseen = lines.filter((line) => line.type === "unseen");
  return lastRun(unseen, after)
    .filter((line) => after === undefined || run === undefined || line.run === run)
    .map(({ tool, iteration }) => ({ tool, iteration }));
}

/** With `after`, the last run's part after that iteration. */
function lastRun<One extends { readonly run: string; readonly iteration: number }>(
  all: readonly One[],
  after: number | undefined,
): readonly One[] {
  if (after === undefined) return all;
  const last = all.at(-1)?.run;
  return all.filter(({ run, iteration }) => run === last && iteration > after);
}

function nothingTo(kind: "undo" | "redo", session: string, after: number | undefined): string {
  const since = after === undefined ? "" : ` after iteration ${String(after)}`;
  return kind === "undo"
    ? `The session ${session} has changed nothing in this workspace${since} that could be taken back.`
    : `Nothing of the session ${session} was taken back that could be made again.`;
}

/** The calls of the other sessions of the workspace, with the calls that are at work. */
function othersIn(recorder: Recorder, session: string): readonly ChangedCall[] {
  const own = recorder.fileOf(session);
  return filesIn(join(recorder.folder, "sessions"))
    .filter((file) => file !== own)
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
 * Tells the session's own changes from the changes of other sessions at the same time. What another session says of a path by its name is
 * that session's. What two commands may have changed at once is a conflict, for both.
 */
function withoutOthers(
  composed: readonly Composed[],
  own: readonly ChangedCall[],
  others: readonly ChangedCall[],
): { readonly sure: readonly Change[]; readonly conflicts: readonly Conflict[] } {
  const commands = own.filter(({ isExact }) => !isExact);
  const beside = others.filter((other) => commands.some(({ from, to }) => other.from <= to && other.to >= from));
  const named = new Set(beside.filter(({ isExact }) => isExact).flatMap(pathsOf));
  const either = new Set(beside.filter(({ isExact }) => !isExact).flatMap(pathsOf));
  const exactly = new Set(own.filter(({ isExact }) => isExact).flatMap(pathsOf));
  const isBeside = beside.some(({ isExact }) => !isExact);
  const sure: Change[] = [];
  const conflicts: Conflict[] = [];
  for (const { path, before, after, isBroken } of composed) {
    const isOwn = exactly.has(path);
    if (!isOwn && named.has(path)) continue;
    if (isBroken) conflicts.push({ path, reason: "changed between" });
    else if (!isOwn && isBeside) conflicts.push({ path, reason: "two at once" });
    else sure.push({ path, before, after });
  }
  const known = new Set(composed.map(({ path }) => path));
  for (const path of either) if (!known.has(path)) conflicts.push({ path, reason: "two at once" });
  return { sure, conflicts };
}

function pathsOf({ changes }: ChangedCall): readonly string[] {
  return changes.map(({ path }) => path);
}

function diffOf(recorder: Recorder, { path, before, after }: Change): string {
  const [then, now] = [textOf(recorder, before), textOf(recorder, after)];
  const text = then.isText && now.isText ? unifiedDiff(path, then.text, now.text) : "";
  return text === "" ? `${path}: ${inWords(before)} -> ${inWords(after)}` : text;
}

/** The text of an entry: undefined for nothing. */
function textOf(recorder: Recorder, entry: Entry): { readonly isText: boolean; readonly text?: string } {
  if (entry.kind === "none") return { isText: true };
  if (entry.kind !== "file" || entry.digest === undefined) return { isText: false };
  const bytes = recorder.packs.get(entry.digest);
  return bytes !== undefined && isUtf8(bytes) && !bytes.includes(0)
    ? { isText: true, text: bytes.toString() }
    : { isText: false };
}

function inWords(entry: Entry): string {
  switch (entry.kind) {
    case "none":
      return "nothing";
    case "file":
      return entry.digest === undefined
        ? "a file whose content was not kept"
        : `a file (mode ${entry.mode.toString(8)}, ${entry.digest.slice(0, 8)})`;
    case "link":
      return `a link to ${entry.target}`;
    case "folder":
      return `a folder (mode ${entry.mode.toString(8)})`;
    case "other":
      return "a pipe, a socket or a device";
  }
}
