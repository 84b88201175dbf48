// Process groups: asks all processes of a group to end, and then forces them.

import { readFileSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";

/** A process group. */
export interface Group {
  /** The id of the leader; 0 if nothing was started. */
  readonly id: number;
  /**
   * The id of the process that watches over a sandbox; undefined for a group of the host. The leader is its child and
   * the first process of the sandbox. When the leader dies, all other processes of the sandbox die with it.
   */
  readonly watcher: number | undefined;
}

/** Milliseconds between asking a group to end and forcing it. */
const grace = 500;
/** The longest pause between two looks whether a group has ended, in milliseconds. The first pauses are shorter. */
const maxPause = 20;

/** Asks the group to end, forces the processes that remain after the grace, and waits until none is alive. */
export async function endGroup(group: Group): Promise<void> {
  if (!signalGroup(group, "SIGTERM")) return;
  if (await endsWithin(grace, group)) return;
  signalGroup(group, "SIGKILL");
  await endsWithin(grace, group);
}

/**
 * Sends a signal to the group; false if the group no longer exists. A sandbox that is still being made leads no group
 * yet, and nothing in it can be asked to end, so it is killed.
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

/**
 * True for the first process of a sandbox that leads no group yet. Its id alone does not prove it, because the system
 * may have reused the id.
 */
function isBeingMade(group: Group): boolean {
  if (group.watcher === undefined) return false;
  try {
    return stateIn(group, readFileSync(`/proc/${String(group.id)}/stat`, "latin1")) !== undefined;
  } catch {
    // It has ended. Or there is no `/proc`, and then there is no sandbox either.
    return false;
  }
}

async function endsWithin(time: number, group: Group): Promise<boolean> {
  const end = performance.now() + time;
  for (let pause = 1; performance.now() < end; pause = Math.min(2 * pause, maxPause)) {
    if (!(await lives(group))) return true;
    await sleep(pause);
  }
  return false;
}

/**
 * True if a process of the group is alive. A signal also reaches dead processes that were not reaped, and the first
 * process of many containers reaps late or never. Without looking at their state, they would be waited for. Without
 * `/proc` (not Linux), the signal alone decides.
 */
async function lives(group: Group): Promise<boolean> {
  if (!signalGroup(group, 0)) return false;
  const isHostGroup = group.watcher === undefined;
  const processes = isHostGroup ? await readdir("/proc").catch((): string[] => []) : [String(group.id)];
  const ids = processes.filter((name) => /^\d+$/.test(name));
  // A process that has ended meanwhile belongs to no group.
  const lines = await Promise.all(ids.map((id) => readFile(`/proc/${id}/stat`, "latin1").catch(() => "")));
  return ids.length === 0 || lines.some((line) => /^[^ZX]$/.test(stateIn(group, line) ?? ""));
}

/** The state of a process from its `stat` line in `/proc`, a letter; undefined if the process is not in the group. */
function stateIn({ id, watcher }: Group, line: string): string | undefined {
  // After the name, which may contain any characters, come the state, the parent and the group.
  const [, state, parent, of] = /^ (\S) (\d+) (\d+)/.exec(line.slice(line.lastIndexOf(")") + 1)) ?? [];
  return Number(of) === id || (watcher !== undefined && Number(parent) === watcher) ? state : undefined;
}
