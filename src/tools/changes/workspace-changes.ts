// The changes of a workspace: recorded by run, shown as a diff, taken back and made again.

import { isUtf8 } from "node:buffer";
import { randomUUID } from "node:crypto";
import { LastcallError, type Check, type Hook, type Tool } from "../../core/index.js";
import { unifiedDiff } from "../../core/internal.js";
import { append, linesIn, type Change, type Line } from "./change-file.js";
import { digestOf, type Entry } from "./tree/workspace-entry.js";
import { capChecks } from "./caps.js";
import { othersIn, sessionFiles, withoutOthers, type OwnChanges } from "./own-changes.js";
import { callsIn, compose, lastUndone, notUndone, type ChangedCall, type Composed } from "./plan.js";
import type { ChangeCaps, ChangesOptions } from "./changes-options.js";
import { appendDone, Recorder } from "./recorder.js";
import { foreseen, makeChanges } from "./turn-back.js";
import { type SessionFiles, conflictAt, type Conflict, type Made, type Undone, type UnseenCall } from "./undone.js";

/** The changes that runs make in one workspace. */
export interface WorkspaceChanges {
  /** The hook for agents whose changes are recorded. It fits any agent: `hooks: [changes.hook]`. */
  readonly hook: Hook;
  /** The tools, recorded. Tools that change no files stay as they are. */
  recorded<const Tools extends readonly Tool[]>(tools: Tools): Tools;
  /**
   * The source, with its tools recorded as commands are, also tools with the effect `network`: for an MCP server that runs on this
   * machine, `toolSources: [changes.recordedSource(server)]`. What it changes between two calls is not recorded.
   */
  recordedSource<const Tools extends readonly Tool[]>(source: { readonly tools: Tools }): { readonly tools: Tools };
  /** Does work that is no run, and records what it changes at these paths, from the root, as the session's. */
  record<Made>(session: string, paths: readonly string[], work: () => Promise<Made>): Promise<Made>;
  /** The paths that the session has changed, from the root, in alphabetical order. `after` as in `undo`. */
  changed(session: string, terms?: UndoTerms): readonly string[];
  /** The files that the session has changed, with their contents: the stuff of a commit. */
  files(session: string): SessionFiles;
  /**
   * The diff of what the session has changed, also after other work: unified, with one line for a file that is no text. `after` as in
   * `undo`. With `path`, of this path alone; empty for a path that it has not changed.
   */
  diff(session: string, terms?: Pick<UndoTerms, "after"> & { readonly path?: string | undefined }): string;
  /** The paths that `redo` would make again: the work of the last undo, from the root, in alphabetical order. */
  undone(session: string): readonly string[];
  /** True while a run of the session that has changed something, or an undo, is at work, in any process: `undo` refuses then. */
  isAtWork(session: string): Promise<boolean>;
  /**
   * Takes back what the session has changed, and only that. A path that somebody else has changed since is a conflict: it stays as it is.
   * The next undo of the session tries it again.
   * An undo that is killed is finished by whoever comes next. What the changes of the system itself were (packages, services, the network,
   * git's own data) stays.
   * @throws LastcallError `configuration` if a run of the session is at work, or has changed nothing, or `plan` is another.
   */
  undo(session: string, terms?: UndoTerms): Promise<Undone>;
  /**
   * Makes again what the last undo of the session took back.
   * @throws LastcallError `configuration` if a run of the session is at work, or nothing was taken back, or `plan` is another.
   */
  redo(session: string, terms?: Omit<UndoTerms, "after">): Promise<Undone>;
  /**
   * Checks that bound what a run changes, one for each cap: `checks: [command("npm test"), ...changes.caps({ files: 5 })]`. They run after
   * each iteration that changed something and at claims, and are no evidence that a task is done.
   * @throws LastcallError `configuration` for a cap that can't be used, or if there is none.
   */
  caps(caps: ChangeCaps): readonly Check[];
}

/** The terms of an undo. */
export interface UndoTerms {
  /**
   * Only the last run is meant, and of that run what came after this iteration: 0 for all of the run. Default: all runs of the session are
   * meant.
   */
  readonly after?: number | undefined;
  /**
   * True: no path is changed, and the paths that would be changed or left are returned. An undo that was killed is finished before.
   * Default false.
   */
  readonly dryRun?: boolean | undefined;
  /** The `plan` that a dry run returned. If there is something else to do by now, nothing is changed. Default: whatever there is to do. */
  readonly plan?: string | undefined;
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

  // With `after`, a run that was taken back gives way to the run before, also if it left a path as it is.
  const calls = (lines: readonly Line[], after: number | undefined): readonly ChangedCall[] => {
    const all = callsIn(lines);
    return after === undefined
      ? notUndone(all)
      : lastRun(
          all.filter(({ isUndone }) => !isUndone),
          after,
        );
  };
  const composed = (session: string, { after }: UndoTerms = {}): readonly Composed[] =>
    compose(calls(linesIn(recorder.fileOf(session)), after)).toSorted(byPath);

  const toUndo = (session: string, lines: readonly Line[], after: number | undefined) => {
    const chosen = calls(lines, after);
    const unseen = unseenIn(lines, after, chosen.at(-1)?.run);
    if (chosen.length + unseen.length === 0)
      throw new LastcallError("configuration", nothingTo("undo", session, after));
    const { sure, conflicts } = turnable(withoutOthers(compose(chosen), chosen, othersIn(recorder, session)));
    return { calls: chosen.map(({ call }) => call), changes: sure.map(turnedBack), conflicts, unseen };
  };

  const toRedo = (session: string, lines: readonly Line[]) => {
    const last = lastUndone(lines);
    if (last === undefined) throw new LastcallError("configuration", nothingTo("redo", session, undefined));
    return { calls: last.calls, changes: last.changes.map(turnedBack) };
  };

  const turn = (session: string, kind: "undo" | "redo", terms: UndoTerms): Promise<Undone> =>
    recorder.alone(session, async (lines) => {
      const file = recorder.fileOf(session);
      const { unseen, conflicts, ...turned } =
        kind === "undo"
          ? toUndo(session, lines, terms.after)
          : { ...toRedo(session, lines), unseen: [], conflicts: [] };
      const plan = digestOf(Buffer.from(JSON.stringify([kind, turned.calls, turned.changes])));
      if (terms.plan !== undefined && terms.plan !== plan)
        throw new LastcallError(
          "configuration",
          `The changes of the session ${session} are no longer what you looked at: look again.`,
        );
      const ended = (made: Made): Undone => ({
        changed: made.changed,
        conflicts: [...made.conflicts, ...conflicts].toSorted(byPath),
        unseen,
        plan,
      });
      if (terms.dryRun === true) return ended(await foreseen(root, packs, turned.changes));
      const id = randomUUID();
      append(file, { type: kind, id, at: Date.now(), ...turned });
      const signal = terms.signal ?? new AbortController().signal;
      const made = await makeChanges(root, packs, { id, changes: turned.changes }, { signal });
      appendDone(file, id, made);
      return ended(made);
    });

  return {
    hook: recorder.hook,
    recorded: (tools) => tools.map((tool) => recorder.recorded(tool)) as unknown as typeof tools,
    recordedSource: (source) => ({
      get tools() {
        return source.tools.map((tool) => recorder.sourced(tool)) as unknown as typeof source.tools;
      },
    }),
    record: (session, paths, work) => recorder.record(session, paths, work),
    changed: (session, terms) => composed(session, terms).map(({ path }) => path),
    files: (session) => sessionFiles(recorder, session),
    undone: (session) =>
      (lastUndone(linesIn(recorder.fileOf(session)))?.changes ?? []).map(({ path }) => path).toSorted(),
    isAtWork: (session) => recorder.isAtWork(session),
    diff: (session, { after, path } = {}) =>
      composed(session, { after })
        .filter((change) => path === undefined || change.path === path)
        .map((change) => diffOf(recorder, change))
        .join("\n"),
    undo: (session, terms = {}) => turn(session, "undo", terms),
    redo: (session, terms = {}) => turn(session, "redo", terms),
    caps: (caps) => capChecks(recorder, caps),
  };
}

function turnedBack({ path, before, after }: Change): Change {
  return { path, before: after, after: before };
}

/** The changes that can be turned back, and the conflicts. */
function turnable({ own, shared }: OwnChanges): {
  readonly sure: readonly Change[];
  readonly conflicts: readonly Conflict[];
} {
  const broken = own.filter(({ isBroken }) => isBroken);
  const conflicts = [
    ...broken.map(({ path }) => conflictAt(path, "changed between")),
    ...shared.map((path) => conflictAt(path, "two at once")),
  ];
  const sure = own.filter(({ isBroken }) => !isBroken);
  return { sure: sure.map(({ path, before, after }) => ({ path, before, after })), conflicts };
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
