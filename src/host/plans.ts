// Plans: inputs that the clock gives.

import { LastcallError, systemRuntime } from "../core/index.js";
import type { HostPlan } from "./host.js";

/** The least time between two inputs of a plan, in milliseconds. */
const least = 1000;
/** The longest sleep, so that a clock that was set is noticed. */
const longest = 60_000;

/**
 * Checks a plan.
 * @throws LastcallError `configuration` unless it has a name and a time.
 */
export function checkPlan({ name, at, every }: HostPlan): void {
  const refuse = (message: string): LastcallError => new LastcallError("configuration", message);
  if (typeof (name as unknown) !== "string" || name === "" || name.length > 100)
    throw refuse("A plan needs a name of 1 to 100 characters.");
  if (at === undefined && every === undefined) throw refuse(`The plan ${name} needs at or every.`);
  if (at !== undefined && !Number.isFinite(new Date(at).getTime()))
    throw refuse(`at of the plan ${name} is ${String(at)}: give milliseconds since 1970.`);
  if (every !== undefined && !(every >= least))
    throw refuse(`every of the plan ${name} is ${String(every)}: give milliseconds of at least ${String(least)}.`);
}

/** The name of one time of a plan. */
export function nameAt(plan: HostPlan, time: number): string {
  return `${plan.name}@${new Date(time).toISOString()}`;
}

/** The times of a plan that comes again and again. */
export type PlanTimes = Pick<HostPlan, "at"> & { readonly every: number };

/** The first time of a plan after this one. */
export function nextAfter(now: number, { every, at: first = 0 }: PlanTimes): number {
  return first + Math.max(Math.floor((now - first) / every) + 1, 0) * every;
}

/**
 * Calls `give` at each time of a plan, by this machine's clock, until the signal aborts. After a fault, which `onFault` gets, it waits for
 * the next time.
 */
export async function giveByClock(
  times: PlanTimes,
  give: (time: number) => Promise<unknown>,
  { signal, onFault }: { readonly signal: AbortSignal; readonly onFault: (thrown: unknown) => void },
): Promise<void> {
  let last = Date.now();
  while (!signal.aborted) {
    last = nextAfter(Math.max(last, Date.now()), times);
    await until(last, signal);
    if (isDue(last, signal)) await give(last).catch(onFault);
  }
}

function isDue(time: number, signal: AbortSignal): boolean {
  return !signal.aborted && Date.now() >= time;
}

/** Sleeps until a time; returns early if the signal aborts. */
export async function until(time: number, signal: AbortSignal): Promise<void> {
  for (let rest = time - Date.now(); rest > 0 && !signal.aborted; rest = time - Date.now())
    await systemRuntime.sleep(Math.min(rest, longest), signal).catch(() => undefined);
}
