// Open file descriptors that this process inherited and that its children would inherit.

import { readdirSync, readFileSync } from "node:fs";

/**
 * A descriptor with this flag (O_CLOEXEC) is closed when a program is executed. Node sets it on every descriptor that
 * it opens.
 */
const closedOnExec = 0o2000000;

/**
 * The descriptors that every child process gets unasked. In a sandbox each descriptor is a hole in the walls, and a
 * folder's descriptor is the worst. Empty without `/proc` (not Linux).
 */
export function inheritedDescriptors(): readonly number[] {
  try {
    return readdirSync("/proc/self/fdinfo").map(Number).filter(isPassedOn);
  } catch {
    return [];
  }
}

function isPassedOn(descriptor: number): boolean {
  if (descriptor <= 2) return false;
  try {
    const facts = readFileSync(`/proc/self/fdinfo/${String(descriptor)}`, "latin1");
    const flags = /^flags:\s*([0-7]+)$/m.exec(facts)?.[1] ?? "0";
    return (parseInt(flags, 8) & closedOnExec) === 0;
  } catch {
    // It was the descriptor of the listing itself.
    return false;
  }
}
