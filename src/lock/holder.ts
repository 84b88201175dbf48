// Holders of locks: which process a holder is, whether it still runs, and whether its lock still counts.

import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";

/** The holder of a lock. */
export interface Holder {
  /** A new unique id each time a lock is taken. */
  readonly id: string;
  readonly host: string;
  readonly pid: number;
  /**
   * Tells the process apart from other processes with this pid: the boot of the machine, the namespace of process ids and the
   * start time, joined by slashes. Absent if the system does not tell them.
   */
  readonly birth?: string;
}

/** The time after which a lock that is not renewed is stale, in milliseconds. */
export const stale = 30_000;

/** The ids of the holders of this process that gave their locks back and failed, oldest first. Nobody writes as such a holder any more. */
const givenUp = new Set<string>();
/** The most such ids that are kept. The lock of an older holder counts until it is stale. */
const mostGivenUp = 1000;

/** The time after which it is forgotten that a lock was seen, in milliseconds. It is stale long before. */
const forgotten = 20 * stale;

/** The birth of this process, which does not change: a run that waits for a busy session asks ten times a second. */
let ownBirth: { readonly birth: string | undefined } | undefined;

function birthOfThis(): string | undefined {
  ownBirth ??= { birth: birthOf(process.pid) };
  return ownBirth.birth;
}

/** A new holder for this process. */
export function newHolder(): Holder {
  const birth = birthOfThis();
  return { id: crypto.randomUUID(), host: hostname(), pid: process.pid, ...(birth !== undefined && { birth }) };
}

/**
 * Gives a lock back, and tries it once more if that fails. If it fails again, the lock counts no more for this process, and for other
 * processes until it is stale.
 * @throws the reason of the second failure.
 */
export async function giveBack({ id }: Holder, release: () => Promise<unknown>): Promise<void> {
  try {
    // The second failure has the same reason, or a newer reason.
    await release().catch(release);
  } catch (thrown) {
    givenUp.add(id);
    const [oldest] = givenUp;
    if (givenUp.size > mostGivenUp && oldest !== undefined) givenUp.delete(oldest);
    throw thrown;
  }
}

/** A lock as it was seen. */
interface Seen {
  readonly holder: string;
  readonly renewed: number;
  /** The time from which on it was seen without a renewal, by the steady clock. */
  readonly since: number;
}

/**
 * Judges locks. A lock counts as long as it was renewed less than `stale` milliseconds ago and its process is not known to be gone.
 * The clock of the machine may jump, so a lock also counts if it was renewed in the future, or if its process is known to run here,
 * until this process has seen it without a renewal for that long. A lock that this process has given up does not count for it. `steady` is
 * a clock in milliseconds that never jumps.
 */
export class LockJudge {
  /** By session, in the order in which they were first seen. */
  readonly #seen = new Map<string, Seen>();

  readonly #now: () => number;
  readonly #steady: () => number;

  constructor(now: () => number, steady: () => number = () => performance.now()) {
    this.#now = now;
    this.#steady = steady;
  }

  /** True if the lock of the session still counts. `renewed` is the time of its last renewal. */
  counts(session: string, holder: Holder, renewed: number): boolean {
    const state = stateOf(holder);
    if (state === "gone" || givenUp.has(holder.id)) {
      this.#seen.delete(session);
      return false;
    }
    const watched = this.#watch(session, holder, renewed);
    const age = this.#now() - renewed;
    const isClear = age >= 0 && (age < stale || state === "unknown");
    return (isClear ? age : watched) < stale;
  }

  /** The milliseconds for which this process has seen the lock without a renewal. */
  #watch(session: string, { id }: Holder, renewed: number): number {
    const now = this.#steady();
    const seen = this.#seen.get(session);
    if (seen?.holder === id && seen.renewed === renewed) return now - seen.since;
    for (const [other, { since }] of this.#seen) {
      if (now - since < forgotten) break;
      this.#seen.delete(other);
    }
    this.#seen.delete(session);
    this.#seen.set(session, { holder: id, renewed, since: now });
    return 0;
  }
}

/** True if the process of the holder is known to have ended. */
export function isGone(holder: Holder): boolean {
  return stateOf(holder) === "gone";
}

/** Whether the process of the holder is known to run on this machine, or known to have ended. */
function stateOf({ host, pid, birth }: Holder): "runs" | "gone" | "unknown" {
  if (host !== hostname()) return "unknown";
  const own = birthOfThis();
  if (birth === undefined || own === undefined) return isMissing(pid) ? "gone" : "unknown";
  // Another container may have the same host name. Its process ids say nothing here.
  if (worldOf(birth) !== worldOf(own)) return "unknown";
  return birthOf(pid) === birth ? "runs" : "gone";
}

function isMissing(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code === "ESRCH";
  }
}

/** The boot and the namespace of process ids that a birth names. */
function worldOf(birth: string): string {
  return birth.slice(0, birth.lastIndexOf("/"));
}

/** The `birth` of a process in the same namespace of process ids. Undefined if it does not run, or if the system does not tell. */
function birthOf(pid: number): string | undefined {
  try {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    const space = /\d+/.exec(readlinkSync("/proc/self/ns/pid"))?.[0];
    const stat = readFileSync(`/proc/${String(pid)}/stat`, "utf8");
    // The name of the program, in parentheses, may contain anything. The state follows it, and the start time is field 22 of the line.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    // A process that has ended and was not waited for (Z, X) holds nothing any more.
    const [state = "", start] = [fields[0], fields[19]];
    return space === undefined || start === undefined || "ZX".includes(state) ? undefined : `${boot}/${space}/${start}`;
  } catch {
    return undefined;
  }
}
