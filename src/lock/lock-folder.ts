// A lock over processes, in files: a folder with exactly one file in it, whose name is the holder.
//
// A process takes the lock by renaming that file from the name of the previous holder (or from `free`) to its own name. A holder's
// name is unique and never reused, so exactly one of several concurrent renames succeeds. A process that acts on an old listing finds
// the name gone, and reads the folder again. So there is always exactly one lock, and nothing to clean up after a process that is
// killed while it takes the lock. The folder itself is also created by a rename, with `free` already in it. If a process is killed
// before that rename, the next process that creates a lock removes the leftover.
//
// A process that was stopped may wake up after its lock was taken over, immediately before it writes. So a new holder that takes the
// lock from a process that may still run fences it off: it replaces the log by a copy, and the late write goes to the old file.
//
// The modification time of the file says when its holder last renewed the lock. A new holder sets it before the rename, so that no
// lock ever has a new name with an old time.

import { lstat, mkdir, readdir, rename, rm, utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { LastcallError } from "../core/index.js";
import { isGone, type Holder, type LockJudge } from "./holder.js";

const free = "free";
/** The end of the name of a holder that has not fenced the earlier holder off yet. If it is killed, the next holder has to do it. */
const unfenced = "@unfenced";

/** The number of attempts to take the lock while other processes change it. */
const attempts = 200;

/** The clock of locks, and the way to keep an earlier holder from writing. */
export interface Taking {
  readonly judge: LockJudge;
  readonly now: () => number;
  /** Called if the process of the earlier holder may still run. After it, that process can't change the session any more. */
  readonly fence: () => Promise<void>;
  /** Makes the folder around the lock, with its parents. */
  readonly makeFolder: (folder: string) => Promise<void>;
}

/** The result of a try: the other holder if the lock is held, or the holder from whom it was taken over. Both are absent if it was free. */
export interface Tried {
  readonly other?: Holder;
  readonly takenFrom?: Holder;
}

/** Takes the lock in this folder, unless it is held. Missing folders are created. */
export async function takeLock(
  folder: string,
  holder: Holder,
  { judge, now, fence, makeFolder }: Taking,
): Promise<Tried> {
  if ((await unlessMissing(lstat(folder)))?.isSymbolicLink() === true)
    throw new LastcallError("store", `${folder} is a link, which is not followed. Remove it if nobody writes there.`);
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    try {
      const names = (await unlessMissing(readdir(folder))) ?? [];
      const name = names.find((one) => one === free || holderIn(one) !== undefined);
      // A listing during a rename may also show no file. Then the new folder can't replace this folder, because it is not
      // empty.
      if (name === undefined) await makeLock(folder);
      else {
        const other = holderIn(name);
        if (other !== undefined && judge.counts(folder, other, await timeOf(join(folder, name)))) return { other };
        await setTime(join(folder, name), now());
        const own = lockFile(folder, holder);
        if (other === undefined || (isGone(other) && !name.endsWith(unfenced))) await rename(join(folder, name), own);
        else {
          await rename(join(folder, name), own + unfenced);
          await fence();
          await rename(own + unfenced, own);
        }
        return other === undefined ? {} : { takenFrom: other };
      }
    } catch (thrown) {
      if (codeOf(thrown) !== "ENOENT") throw thrown;
      await makeFolder(dirname(folder));
    }
  }
  throw new LastcallError(
    "store",
    `The lock in ${folder} could not be taken. Delete that folder if nobody writes there.`,
  );
}

/** The holder of the lock in this folder, whose lock counts; undefined if nobody holds it. Nothing is changed. */
export async function holderOf(folder: string, judge: LockJudge): Promise<Holder | undefined> {
  for (const name of (await unlessMissing(readdir(folder))) ?? []) {
    const holder = holderIn(name);
    const renewed = holder && (await unlessMissing(timeOf(join(folder, name))));
    if (holder !== undefined && renewed !== undefined && judge.counts(folder, holder, renewed)) return holder;
  }
  return undefined;
}

/** The file that is there as long as the holder has the lock. */
export function lockFile(folder: string, holder: Holder): string {
  return join(folder, nameOf(holder));
}

/** Renews the lock. Returns false if the holder has lost it. */
export async function renewLock(folder: string, holder: Holder, now: () => number): Promise<boolean> {
  return isDone(setTime(join(folder, nameOf(holder)), now()));
}

/** Releases the lock. Returns false if the holder had lost it. */
export async function freeLock(folder: string, holder: Holder): Promise<boolean> {
  return isDone(rename(join(folder, nameOf(holder)), join(folder, free)));
}

async function isDone(work: Promise<void>): Promise<boolean> {
  return (await unlessMissing(work.then(() => true))) ?? false;
}

/** The name prefix of a lock folder that is not in place yet. */
const unborn = ".lock-";

/** Creates a free lock unless one exists: a folder can replace another by a rename only if that is missing or empty. */
async function makeLock(folder: string): Promise<void> {
  const born = join(dirname(folder), `${unborn}${crypto.randomUUID()}`);
  await mkdir(born, { mode: 0o700 });
  try {
    await writeFile(join(born, free), "", { mode: 0o600 });
    await rename(born, folder);
  } catch (thrown) {
    await rm(born, { recursive: true, force: true });
    if (!["ENOTEMPTY", "EEXIST", "EPERM"].includes(codeOf(thrown) ?? "")) throw thrown;
  }
  // The lock exists now. The other unborn folders are leftovers of killed processes, or of processes that will find this lock.
  for (const name of await readdir(dirname(folder))) {
    if (name.startsWith(unborn)) await rm(join(dirname(folder), name), { recursive: true, force: true });
  }
}

async function timeOf(file: string): Promise<number> {
  // File times are set as seconds with a fraction, which may lose less than a millisecond.
  return Math.round((await lstat(file)).mtimeMs);
}

async function setTime(file: string, time: number): Promise<void> {
  await utimes(file, time / 1000, time / 1000);
}

/**
 * The name of the file for a holder: `4711@host@id`, or `4711@host@id+birth`. An older lastcall takes the birth for a part of the id,
 * and judges the lock by host, pid and time.
 */
export function nameOf({ id, host, pid, birth }: Holder): string {
  const name = [String(pid), host, id].map(encoded).join("@");
  return birth === undefined ? name : `${name}+${encoded(birth)}`;
}

/** The holder with this name; undefined for another name. */
export function holderIn(name: string): Holder | undefined {
  const [, pid, host, id, birth] = /^(\d+)@([^@]*)@([^@+]+)(?:\+([^@+]+))?(?:@unfenced)?$/.exec(name) ?? [];
  if (pid === undefined || host === undefined || id === undefined) return undefined;
  const holder = { id: decodeURIComponent(id), host: decodeURIComponent(host), pid: Number(pid) };
  return birth === undefined ? holder : { ...holder, birth: decodeURIComponent(birth) };
}

function encoded(part: string): string {
  return encodeURIComponent(part).replaceAll("*", "%2A");
}

function codeOf(thrown: unknown): string | undefined {
  return (thrown as Partial<NodeJS.ErrnoException> | null | undefined)?.code;
}

/** The result of the work; undefined if a file or folder is missing. */
async function unlessMissing<Made>(work: Promise<Made>): Promise<Made | undefined> {
  try {
    return await work;
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT") return undefined;
    throw thrown;
  }
}
