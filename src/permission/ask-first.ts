// askFirst: whoever approves is asked before anything is changed.

import { isGated, type Deciding, type Decision, type FrozenCall, type Permission } from "../core/index.js";

/**
 * Whoever says yes or no to a call: a person at a terminal, a policy, a service.
 *
 * Contract: it answers `true`, `false` or a Decision for exactly the call it is given. Whatever else it returns, and
 * throwing, is a no. It may take as long as it likes; once `deciding.signal` aborts, its answer counts no more.
 */
export type Approver = (call: FrozenCall, deciding: Deciding) => boolean | Decision | Promise<boolean | Decision>;

/**
 * Asks the approver before a call may write, execute or use the network. Reading is allowed without asking, and so are
 * the caller's own tools that declare no effect.
 */
export function askFirst(approver: Approver): Permission {
  return {
    async decide(call, deciding) {
      if (!isGated(call.effect)) return { allowed: true, reason: "it needs no approval", basis: "effect" };
      return asDecision(await approver(call, deciding));
    },
  };
}

/** Only a clear yes is one. */
function asDecision(answer: unknown): Decision {
  if (answer === true) return { allowed: true, reason: "it was approved" };
  if (answer === false) return { allowed: false, reason: "it was not approved" };
  if (typeof answer !== "object" || answer === null)
    return { allowed: false, reason: "the approver gave no clear answer" };
  const { allowed, reason } = answer as Partial<Record<keyof Decision, unknown>>;
  const isYes = allowed === true;
  if (typeof reason === "string" && reason !== "") return { allowed: isYes, reason };
  return { allowed: isYes, reason: isYes ? "it was approved" : "it was not approved" };
}
