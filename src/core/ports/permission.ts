// The port for permission: may this call, with these very arguments, run?

import type { Basis, Decision } from "../data/decision.js";
import type { Effect } from "../data/effect.js";

/** What a call concerns outside the process, as far as its arguments say so. Paths are as the model gave them. */
export interface Reach {
  /** Files and folders that it reads; a folder with all that is in it. */
  readonly reads?: readonly string[];
  /** Files and folders that it makes, changes, moves or deletes. */
  readonly writes?: readonly string[];
  /** The shell command that it runs. */
  readonly command?: string;
  /** The folder that the command runs in. Default: the tool's own. */
  readonly folder?: string;
}

/** A call as permission sees it: the object whose `input` then runs, deeply frozen. */
export interface FrozenCall {
  readonly id: string;
  readonly name: string;
  readonly effect: Effect | undefined;
  readonly input: unknown;
  /** What the tool says that it concerns; absent where the tool does not say. */
  readonly reach?: Reach;
}

/** What a decision may take into account besides the call. */
export interface Deciding {
  /** Aborts when the run does. */
  readonly signal: AbortSignal;
  /** The id of the session. */
  readonly session: string;
  /**
   * What the call would do, in words for whoever approves: a diff, a command. Undefined where its tool has no preview.
   * Rejects where the tool can't say, which is what it would say if it ran.
   */
  preview(): Promise<string | undefined>;
}

/**
 * Decides whether a call may run.
 *
 * Contract: it answers for exactly the call it is given and changes nothing. Anything but a Decision with
 * `allowed: true` is a no: throwing and returning something else included. It gives up when `signal` aborts. It may be asked
 * about several calls at a time.
 */
export interface Permission {
  decide(call: FrozenCall, deciding: Deciding): Decision | Promise<Decision>;
  /**
   * Told the names of the tools before anything runs, to say what makes no sense for them.
   * @throws LastcallError `configuration`.
   */
  prepare?(tools: readonly string[]): void;
}

/** True for effects that need somebody's yes. A caller's own tool that declares nothing was handed over to be run. */
export function isGated(effect: Effect | undefined): boolean {
  return effect === "write" || effect === "execute" || effect === "network";
}

/** What an agent without a `permission` has: reading is allowed, writing, executing and the network are not. */
export const failClosed: Permission = {
  decide: ({ effect }) =>
    isGated(effect)
      ? { allowed: false, reason: `nobody is there to approve a tool that can ${effect ?? "execute"}`, basis: "effect" }
      : { allowed: true, reason: "changes nothing", basis: "effect" },
};

/** What allows a call where each of them does, in order; the first no is the answer. */
export function everyOf(permissions: readonly Permission[]): Permission {
  const [first, ...rest] = permissions;
  if (first !== undefined && rest.length === 0) return first;
  return {
    async decide(call, deciding) {
      let decision: Decision = { allowed: false, reason: "there is no permission to ask" };
      for (const permission of permissions) {
        decision = clear(await permission.decide(call, deciding));
        if (!decision.allowed) return decision;
      }
      return decision;
    },
  };
}

/** Only a clear yes is one: whatever is no Decision is a no. */
export function clear(answer: unknown): Decision {
  const { allowed, reason, basis } = (answer ?? {}) as Partial<Record<keyof Decision, unknown>>;
  if (typeof allowed !== "boolean" || typeof reason !== "string")
    return { allowed: false, reason: "permission gave no clear answer" };
  const known = bases.find((one) => one === basis);
  return { allowed, reason, ...(known !== undefined && { basis: known }) };
}

const bases: readonly Basis[] = ["rule", "protected", "tier", "grant", "mode", "effect", "approver"];
