// Groups: processes that are asked to end together, and forced to.

import { readdir, readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";

/** From being asked to end to being forced, in milliseconds. */
const grace = 500;
/** How often to look whether a group has ended, in milliseconds. */
const glance = 20;

/** Asks the group to end, forces what is still there after the grace, and returns when none of it lives. */
export async function endGroup(group: number): Promise<void> {
  if (!signalGroup(group, "SIGTERM")) return;
  const end = performance.now() + grace;
  while (performance.now() < end) {
    if (!(await lives(group))) return;
    await sleep(glance);
  }
  signalGroup(group, "SIGKILL");
  while (performance.now() < end + grace && (await lives(group))) await sleep(1);
}

/** Sends a signal to the group; false where there is no such group any more. */
export function signalGroup(group: number, signal: NodeJS.Signals | 0): boolean {
  if (group === 0) return false;
  try {
    return process.kill(-group, signal);
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

/**
 * A signal also reaches the dead whom nobody has reaped, as the first process of many containers does late or never: they would be
 * waited for. Where there is no `/proc` (not Linux) the signal alone says it.
 */
async function lives(group: number): Promise<boolean> {
  if (!signalGroup(group, 0)) return false;
  const processes = await readdir("/proc").catch((): string[] => []);
  const ids = processes.filter((name) => /^\d+$/.test(name));
  const members = await Promise.all(ids.map((id) => stateIn(group, id)));
  return ids.length === 0 || members.some((state) => state !== undefined && !/[ZX]/.test(state));
}

/** The state of a process, a letter; undefined where it is not of the group. */
async function stateIn(group: number, id: string): Promise<string | undefined> {
  // One that is gone in the meantime is of no group.
  const line = await readFile(`/proc/${id}/stat`, "latin1").catch(() => "");
  // Behind its name, which may hold anything: its state, its parent, its group.
  const [, state, of] = /^ (\S) \d+ (\d+)/.exec(line.slice(line.lastIndexOf(")") + 1)) ?? [];
  return Number(of) === group ? state : undefined;
}
