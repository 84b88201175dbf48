// The port for permission: may this call, with these very arguments, run?

import type { Effect } from "./tool.js";

/** A call as permission sees it: the object whose `input` then runs, deeply frozen. */
export interface FrozenCall {
  readonly id: string;
  readonly name: string;
  readonly effect: Effect | undefined;
  readonly input: unknown;
}

/** What permission says, and why; the reason goes to the journal, and to the model when it is a no. */
export interface Decision {
  readonly allowed: boolean;
  readonly reason: string;
}

/**
 * Decides whether a call may run.
 *
 * Contract: it answers for exactly the call it is given and changes nothing. Anything but a Decision with
 * `allowed: true` is a no: throwing and returning something else included. It gives up when `signal` aborts.
 */
export interface Permission {
  decide(call: FrozenCall, signal: AbortSignal): Decision | Promise<Decision>;
}

/** True for effects that need somebody's yes. A caller's own tool that declares nothing was handed over to be run. */
export function isGated(effect: Effect | undefined): boolean {
  return effect === "write" || effect === "execute" || effect === "network";
}

/** What an agent without a `permission` has: reading is allowed, writing, executing and the network are not. */
export const failClosed: Permission = {
  decide: ({ effect }) =>
    isGated(effect)
      ? { allowed: false, reason: `nobody is there to approve a tool that can ${effect ?? "execute"}` }
      : { allowed: true, reason: "changes nothing" },
};
