// Turns: one command at a time begins or ends in a project, over processes. Each command tells the next commands what they must not move
// out of sight.

import { lstatSync, mkdirSync } from "node:fs";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { codeOf, contains } from "../../files/index.js";
import { freeLock, giveBack, holderIn, isGone, nameOf, newHolder, waitForLock, type Holder } from "../../lock/index.js";
import { MovedMeanwhile } from "../process/report.js";
import { heldAt, numberOf } from "./walk.js";

/** A place that a running command can't replace, and whose folders it may move. */
export interface Known {
  readonly path: string;
  readonly number: string;
  readonly folder: string;
}

/** The right to begin or to end a command in a project. */
export interface Turn {
  /** The places that the running commands of the project know. */
  readonly known: readonly Known[];
  /** Says that a command runs from now on, with these places, and gives the turn back. Returns the function that says that it has ended. */
  begin(places: readonly Known[]): Promise<() => Promise<void>>;
  /** Gives the turn back, unless that has happened. */
  end(): Promise<void>;
}

/** Milliseconds for which a turn is waited for. Commands hold it while they begin and end, not while they run. */
const longestWait = 30_000;

/**
 * Waits for the turn in the project. The lock is in the folder for temporary files, so processes that share that folder share the turns.
 * @throws Error for the model if other processes hold it for too long, or the lock can't be made; the signal's reason if it aborts.
 */
export async function takeTurn(project: string, signal?: AbortSignal): Promise<Turn> {
  const place = placeOf(project);
  const holder = newHolder();
  const other = await waitForLock(join(place, "turn"), holder, { longest: longestWait, signal });
  if (other !== undefined) throw tooLong(other);
  return turnOf(place, holder);
}

/**
 * Does the work in the turn of the project. If other processes hold that for too long, the work is done without it: its steps need none.
 */
export async function inTurn<Made>(project: string, work: () => Promise<Made>): Promise<Made> {
  const turn = await takeTurn(project).catch(() => undefined);
  try {
    return await work();
  } finally {
    await turn?.end();
  }
}

async function turnOf(place: string, holder: Holder): Promise<Turn> {
  const folder = join(place, "running");
  const file = join(folder, nameOf(holder));
  const end = async (): Promise<void> => {
    await giveBack(holder, () => freeLock(join(place, "turn"), holder));
  };
  return {
    known: await knownIn(folder),
    async begin(places) {
      if (places.length > 0) {
        await makeFolder(folder);
        await writeFile(file, JSON.stringify(places), { mode: 0o600 });
      }
      await end();
      return () => rm(file, { force: true });
    },
    end,
  };
}

/** The places of the commands that run. What a process that is gone left is removed. */
async function knownIn(folder: string): Promise<readonly Known[]> {
  const names = await readdir(folder).catch((): string[] => []);
  const known = names.map(async (name): Promise<readonly Known[]> => {
    const holder = holderIn(name);
    if (holder === undefined || isGone(holder)) {
      await rm(join(folder, name), { force: true });
      return [];
    }
    // The command has ended by now.
    const text = await readFile(join(folder, name), "utf8").catch(() => "[]");
    return JSON.parse(text) as readonly Known[];
  });
  return (await Promise.all(known)).flat();
}

/**
 * The first place that the running commands know, and that is not among these places. `folders` are the folders that the walk has looked
 * through: a place is gone if its folder was looked through without it. A command can't remove or rename such places, but it can move the
 * folders above them, past a walk.
 */
export function unseen(
  root: string,
  known: readonly Known[],
  { places, folders }: { readonly places: readonly Known[]; readonly folders: ReadonlySet<string> },
): string | undefined {
  const seen = new Set(places.map(({ number }) => number));
  return known.find(({ path, number, folder }) => contains(root, path) && !seen.has(number) && !folders.has(folder))
    ?.path;
}

/** The folder of the project's turns, outside of every workspace: nobody else may write there. */
function placeOf(project: string): string {
  const own = join(tmpdir(), `lastcall-${String(process.getuid?.() ?? userInfo().username)}`);
  try {
    mkdirSync(own, { mode: 0o700 });
  } catch (thrown) {
    if (codeOf(thrown) !== "EEXIST") throw thrown;
  }
  const stats = lstatSync(own);
  const isOwn = process.getuid === undefined || stats.uid === process.getuid();
  if (!stats.isDirectory() || !isOwn || (process.platform !== "win32" && (stats.mode & 0o022) !== 0))
    throw new Error(
      `${own} is not a folder that only this user can write to. Ask the user to remove it, or to set TMPDIR.`,
    );
  const held = heldAt(project);
  if (held === undefined) throw new MovedMeanwhile(project);
  try {
    return join(own, "turns", numberOf(lstatSync(held.at("."))).replace(":", "-"));
  } finally {
    held.release();
  }
}

async function makeFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
}

function tooLong({ pid, host }: Holder): Error {
  const who = `Process ${String(pid)} on ${host}`;
  return new Error(
    `${who} has been beginning or ending a command in this project for ${String(longestWait / 1000)} s, so nothing was run. Try again, or ask the user to look at it.`,
  );
}
