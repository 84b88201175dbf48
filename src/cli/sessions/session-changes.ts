// The changes of a session in its folder: shown, taken back, made again.

import { accessSync, constants, existsSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { LastcallError, type Check, type JsonObject } from "../../core/index.js";
import { openSession } from "../../memory/index.js";
import { forgetChanges, workspaceChanges, type Undone, type WorkspaceChanges } from "../../tools/index.js";
import type { Settings } from "../args/args.js";
import type { Order } from "../args/order.js";
import { count } from "../display/quantities.js";
import { visible } from "../display/visible.js";
import { sayer, type Surroundings } from "../person/surface.js";
import { findId, storeFolder, storeFor } from "./sessions.js";

/** The folder of the changes: in the folder of the sessions on this machine, wherever the sessions are, because the workspace is here. */
function changesFolder(
  { sessions }: Pick<Settings, "sessions">,
  env: Readonly<Record<string, string | undefined>>,
): string {
  return join(storeFolder(sessions, env), ".changes");
}

/** Forgets what these sessions have changed. */
export function forget(
  sessions: readonly string[],
  settings: Pick<Settings, "sessions">,
  { env }: Pick<Surroundings, "env">,
): void {
  forgetChanges(changesFolder(settings, env), sessions);
}

/**
 * Finds the changes of sessions: in the folder that the session keeps, or else in the folder of the settings. It finds none if that folder
 * is gone.
 */
export function changesOfSessions(
  settings: Pick<Settings, "sessions" | "workdir">,
  { env }: Pick<Surroundings, "env">,
): (session: { readonly about: JsonObject }) => WorkspaceChanges | undefined {
  /** By folder: each looks into the packs of contents once. */
  const known = new Map<string, WorkspaceChanges>();
  return ({ about }) => {
    const folder = folderOf(about, settings);
    if (!existsSync(folder)) return undefined;
    const changes = known.get(folder) ?? changesIn(folder, settings, { env });
    known.set(folder, changes);
    return changes;
  };
}

/** The folder in which the runs of a session work. */
function folderOf(about: JsonObject, { workdir }: Pick<Settings, "workdir">): string {
  return typeof about["workdir"] === "string" ? about["workdir"] : resolve(workdir);
}

/** The changes in this folder. */
function changesIn(
  workdir: string,
  settings: Pick<Settings, "sessions">,
  { env }: Pick<Surroundings, "env">,
): WorkspaceChanges {
  return workspaceChanges({ root: resolve(workdir), folder: changesFolder(settings, env) });
}

/**
 * The place in which a run records its changes; undefined if nobody can write there, which is said. Sessions may be in a database, so a
 * run goes on without it.
 */
export function changesFor(
  workdir: string,
  settings: Pick<Settings, "sessions">,
  { env, say }: Pick<Surroundings, "env"> & { readonly say: (line: string) => void },
): WorkspaceChanges | undefined {
  const folder = changesFolder(settings, env);
  if (isWritable(folder)) return changesIn(workdir, settings, { env });
  say(`What this run changes can't be taken back later: nobody can write to ${visible(folder)}.`);
  return undefined;
}

/**
 * The checks for the caps of the settings. A replay has them too, and records nothing.
 * @throws LastcallError `configuration` for a cap that can't be used, or if a run with caps could not record its changes.
 */
export function capChecks(
  { cap, softCap, workdir, sessions, order }: Pick<Settings, "cap" | "softCap" | "workdir" | "sessions" | "order">,
  recorded: WorkspaceChanges | undefined,
  { env }: Pick<Surroundings, "env">,
): readonly Check[] {
  if (cap.length + softCap.length === 0) return [];
  if (recorded === undefined && order.do !== "replay" && order.do !== "bisect")
    throw new LastcallError(
      "configuration",
      "--cap and --soft-cap count what the session records of its changes, and it can't record any. Leave them out, or name another folder: --sessions DIR.",
    );
  const changes = recorded ?? changesIn(workdir, { sessions }, { env });
  return [
    ...cap.flatMap((one) => changes.caps(one)),
    ...softCap.flatMap((one) => changes.caps({ ...one, advisory: true })),
  ];
}

/** True if the folder, or the nearest folder above it that is there, can be written to. */
function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return statSync(folder).isDirectory();
  } catch (thrown) {
    const isMissing = (thrown as Partial<NodeJS.ErrnoException>).code === "ENOENT";
    return isMissing && dirname(folder) !== folder && isWritable(dirname(folder));
  }
}

/** Obeys an order that shows or turns back what a session has changed. Returns the exit code. */
export async function turnBack(
  order: Extract<Order, { readonly do: "diff" | "undo" | "redo" }>,
  settings: Settings,
  around: Surroundings,
): Promise<number> {
  const { id, workdir, changes } = await changesOf(order.id, settings, around);
  const { dryRun } = settings.rights;
  const terms = { after: order.after, signal: around.signal, dryRun };
  if (order.do === "diff") {
    const diff = changes.diff(id, terms);
    if (diff !== "") around.stdout.write(`${diff}\n`);
    else if (!settings.quiet) (await sayer(around))(`The session ${id} has changed nothing in ${visible(workdir)}.`);
    return 0;
  }
  const undone = order.do === "undo" ? await changes.undo(id, terms) : await changes.redo(id, terms);
  const lines = settings.json ? [JSON.stringify(undone)] : undoneLines(undone, order.do, dryRun);
  for (const line of lines) around.stdout.write(`${line}\n`);
  return undone.conflicts.length + undone.unseen.length === 0 ? 0 : 2;
}

/** The session with this id, or the beginning of it: its folder, and what it has changed there. */
export async function changesOf(
  given: string,
  settings: Pick<Settings, "sessions" | "store" | "workdir">,
  around: Pick<Surroundings, "env">,
): Promise<{ readonly id: string; readonly workdir: string; readonly changes: WorkspaceChanges }> {
  const store = await storeFor(settings, around.env);
  const id = await findId(store, given);
  const workdir = folderOf((await openSession({ store, id }).about()) ?? {}, settings);
  return { id, workdir, changes: changesIn(workdir, settings, around) };
}

/** The first words about what was done, and what a dry run foresees. */
const headings = {
  undo: ["Taken back", "Would be taken back"],
  redo: ["Made again", "Would be made again"],
} as const;

/** An undo or a redo in lines for people. */
export function undoneLines(
  { changed, conflicts, unseen }: Omit<Undone, "plan">,
  what: "undo" | "redo",
  isDry = false,
): readonly string[] {
  const left = `${isDry ? "Would be left" : "Left"} as ${conflicts.length === 1 ? "it is" : "they are"}:`;
  return [
    `${headings[what][isDry ? 1 : 0]}: ${count(changed.length, "path")}`,
    ...changed.map((path) => `  ${visible(path)}`),
    ...(conflicts.length === 0 ? [] : [left]),
    ...conflicts.map(({ path, why }) => `  ${visible(path)}: ${why}`),
    ...unseen.map(
      ({ tool, iteration }) =>
        `What ${visible(tool)} changed in iteration ${String(iteration)} is not known: the folder has too many files.`,
    ),
  ];
}
