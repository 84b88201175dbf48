// Who may write a session in files: a folder `lock` with exactly one file in it, whose name is the holder.
//
// To take the lock is to rename that file from the name of the holder before (or from `free`) to one's own. The name of a holder is
// unique, so it never comes back once it was renamed away, and of all who try to rename it exactly one succeeds: whoever looked
// long ago and acts late finds the name gone, and looks again. There is no moment without a lock, none with two, and nothing
// to clean up after a taker that is killed. The folder itself is born by a rename with `free` in it, for the same reason; what is left of
// one that was not born is removed by whoever makes the next.
//
// The time of the file says when its holder was last seen at work. A taker sets it before it renames, so that no lock is ever seen
// under a new name with an old time.

import { statSync } from "node:fs";
import { mkdir, readdir, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { LastcallError } from "../../core/index.js";
import { makeFolder } from "./flush-folders.js";
import { isGone } from "./session-id.js";
import { codeOf, unlessMissing } from "./store-fault.js";
import { stale, type Holder } from "./store.js";

const free = "free";

/** How often the lock is looked at anew, where others change it at the same time. */
const attempts = 200;

/** Takes the lock in this folder, or says who has it. The folder and those above it are made where they are missing. */
export async function takeLock(folder: string, holder: Holder, now: () => number): Promise<Holder | undefined> {
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    try {
      const names = (await unlessMissing(readdir(folder))) ?? [];
      const name = names.find((one) => one === free || holderIn(one) !== undefined);
      // None may also be seen while one is being renamed; then there is no room for another.
      if (name === undefined) await makeLock(folder);
      else {
        const other = holderIn(name);
        if (other !== undefined && !isGone(other) && (await ageOf(join(folder, name), now)) < stale) return other;
        await setTime(join(folder, name), now());
        await rename(join(folder, name), join(folder, nameOf(holder)));
        return undefined;
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

/** Whether the holder still has the lock. */
export function hasLock(folder: string, holder: Holder): boolean {
  return statSync(join(folder, nameOf(holder)), { throwIfNoEntry: false }) !== undefined;
}

/** Says that the holder is at work; false where it has lost the lock. */
export async function renewLock(folder: string, holder: Holder, now: () => number): Promise<boolean> {
  return isDone(setTime(join(folder, nameOf(holder)), now()));
}

/** Gives the lock back; false where it was lost. */
export async function freeLock(folder: string, holder: Holder): Promise<boolean> {
  return isDone(rename(join(folder, nameOf(holder)), join(folder, free)));
}

async function isDone(work: Promise<void>): Promise<boolean> {
  return (await unlessMissing(work.then(() => true))) ?? false;
}

/** What a lock is called before it is one. */
const unborn = ".lock-";

/** Makes a lock that is free, unless there is one: a folder is renamed onto another only where that is missing or empty. */
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
  // Now there is a lock. Whoever was killed while it made another left that; whoever still makes one finds this one instead.
  for (const name of await readdir(dirname(folder))) {
    if (name.startsWith(unborn)) await rm(join(dirname(folder), name), { recursive: true, force: true });
  }
}

async function ageOf(file: string, now: () => number): Promise<number> {
  // Times go through seconds with a fraction, which may lose less than a millisecond.
  return now() - Math.round((await stat(file)).mtimeMs);
}

async function setTime(file: string, time: number): Promise<void> {
  await utimes(file, time / 1000, time / 1000);
}

/** The name of the file for a holder: `4711@host@id`. */
function nameOf({ id, host, pid }: Holder): string {
  return [String(pid), host, id].map((part) => encodeURIComponent(part).replaceAll("*", "%2A")).join("@");
}

function holderIn(name: string): Holder | undefined {
  const [, pid, host, id] = /^(\d+)@([^@]*)@([^@]+)$/.exec(name) ?? [];
  if (pid === undefined || host === undefined || id === undefined) return undefined;
  return { id: decodeURIComponent(id), host: decodeURIComponent(host), pid: Number(pid) };
}
