// Groups: processes that are asked to end together, and forced to.

import { readdir, readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";

/** A process group. */
export interface Group {
  /** That of its leader; 0 where nothing was started. */
  readonly id: number;
  /** True: its leader is the first process of a sandbox, with which all others of it die, and after which none is left. */
  readonly isSandbox: boolean;
}

/** From being asked to end to being forced, in milliseconds. */
const grace = 500;
/** How often to look whether a group has ended, in milliseconds, at most; at first more often. */
const glance = 20;

/** Asks the group to end, forces what is still there after the grace, and returns when none of it lives. */
export async function endGroup(group: Group): Promise<void> {
  if (!signalGroup(group, "SIGTERM")) return;
  if (await endsWithin(grace, group)) return;
  signalGroup(group, "SIGKILL");
  await endsWithin(grace, group);
}

/** Sends a signal to the group; false where there is no such group any more. */
export function signalGroup({ id }: Group, signal: NodeJS.Signals | 0): boolean {
  if (id === 0) return false;
  try {
    return process.kill(-id, signal);
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

async function endsWithin(time: number, group: Group): Promise<boolean> {
  const end = performance.now() + time;
  for (let pause = 1; performance.now() < end; pause = Math.min(2 * pause, glance)) {
    if (!(await lives(group))) return true;
    await sleep(pause);
  }
  return false;
}

/**
 * A signal also reaches the dead whom nobody has reaped, as the first process of many containers does late or never: they would be
 * waited for. Where there is no `/proc` (not Linux) the signal alone says it.
 */
async function lives(group: Group): Promise<boolean> {
  if (!signalGroup(group, 0)) return false;
  const processes = group.isSandbox ? [String(group.id)] : await readdir("/proc").catch((): string[] => []);
  const ids = processes.filter((name) => /^\d+$/.test(name));
  const members = await Promise.all(ids.map((id) => stateIn(group, id)));
  return ids.length === 0 || members.some((state) => state !== undefined && !/[ZX]/.test(state));
}

/** The state of a process, a letter; undefined where it is not of the group. */
async function stateIn(group: Group, id: string): Promise<string | undefined> {
  // One that is gone in the meantime is of no group.
  const line = await readFile(`/proc/${id}/stat`, "latin1").catch(() => "");
  // Behind its name, which may hold anything: its state, its parent, its group.
  const [, state, of] = /^ (\S) \d+ (\d+)/.exec(line.slice(line.lastIndexOf(")") + 1)) ?? [];
  return Number(of) === group.id ? state : undefined;
}
