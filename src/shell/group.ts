// Groups: processes that are asked to end together, and forced to.

import { readFileSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";

/** A process group. */
export interface Group {
  /** That of its leader; 0 where nothing was started. */
  readonly id: number;
  /**
   * The process that watches over a sandbox; undefined for a group of the host. The leader is its child and the first process of the
   * sandbox, with which all others of it die, and after which none is left.
   */
  readonly watcher: number | undefined;
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

/**
 * Sends a signal to the group; false where there is no such group any more. A sandbox that is still being made leads no group yet, and
 * nothing in it could be asked to end: it is killed.
 */
export function signalGroup(group: Group, signal: NodeJS.Signals | 0): boolean {
  if (group.id === 0) return false;
  if (send(-group.id, signal)) return true;
  return isBeingMade(group) && send(group.id, signal === 0 ? 0 : "SIGKILL");
}

function send(to: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(to, signal);
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

/** True for the first process of a sandbox that leads no group yet. Its number alone could by now be that of any other. */
function isBeingMade(group: Group): boolean {
  if (group.watcher === undefined) return false;
  try {
    return stateIn(group, readFileSync(`/proc/${String(group.id)}/stat`, "latin1")) !== undefined;
  } catch {
    // It is gone, or there is no `/proc`, without which there is no sandbox either.
    return false;
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
  const isOfHost = group.watcher === undefined;
  const processes = isOfHost ? await readdir("/proc").catch((): string[] => []) : [String(group.id)];
  const ids = processes.filter((name) => /^\d+$/.test(name));
  // One that is gone in the meantime is of no group.
  const lines = await Promise.all(ids.map((id) => readFile(`/proc/${id}/stat`, "latin1").catch(() => "")));
  return ids.length === 0 || lines.some((line) => /^[^ZX]$/.test(stateIn(group, line) ?? ""));
}

/** The state of a process by its line in `/proc`, a letter; undefined where it is not of the group. */
function stateIn({ id, watcher }: Group, line: string): string | undefined {
  // Behind its name, which may hold anything: its state, its parent, its group.
  const [, state, parent, of] = /^ (\S) (\d+) (\d+)/.exec(line.slice(line.lastIndexOf(")") + 1)) ?? [];
  return Number(of) === id || (watcher !== undefined && Number(parent) === watcher) ? state : undefined;
}
