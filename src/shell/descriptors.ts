// Descriptors: open files that this process got from the one that started it, and that would go on to its children.

import { readdirSync, readFileSync } from "node:fs";

/** Descriptors with this flag are closed where another program begins; Node sets it on all that it opens. */
const closedOnExec = 0o2000000;

/**
 * Those that every child gets although nobody gives them: behind a wall one of them is a hole, a folder most of all. Empty where
 * there is no `/proc` (not Linux).
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
    // It was that of the folder that was just read.
    return false;
  }
}
