// askFirst: a permission that asks before anything is changed.

import type { Decision, FrozenCall, Later, Permission } from "../core/index.js";
import { isGated } from "../core/internal.js";
import { opening, opensIfAllowed } from "./rules/opens.js";
import { answerTo, oneAtATime, type AnswerAtOnce, type AnyApproval, type Approver } from "./approve.js";
import { Grants } from "./grants.js";

const harmless: Decision = { allowed: true, reason: "it needs no approval", basis: "effect" };

/**
 * Asks the approver before a call may write, execute or use the network, whatever it concerns. It has no rules and no
 * protected paths. Reads are allowed without asking, and so are the caller's own tools that declare no effect. `gate`
 * decides in more detail. If the approver answers `Later`, the run ends to wait for an approval. With a type for the
 * approver's call, `FrozenCallOf<typeof tools>`, TypeScript knows its input.
 */
export function askFirst<Call extends FrozenCall = FrozenCall>(
  approver: Approver<Call, AnswerAtOnce>,
): Permission<Call>;
export function askFirst<Call extends FrozenCall = FrozenCall>(
  approver: Approver<Call, AnyApproval>,
): Permission<Call, unknown, Decision | Later>;
export function askFirst<Call extends FrozenCall = FrozenCall>(
  approver: Approver<Call, AnyApproval>,
): Permission<Call, unknown, Decision | Later> {
  const ask = oneAtATime(approver, Infinity);
  const grants = new Grants();
  return {
    unasked: (call) => (isGated(call.effect) ? undefined : harmless),
    async decide(call, deciding) {
      if (!isGated(call.effect)) return harmless;
      const opens = opensIfAllowed(call);
      if (grants.has(deciding.session, call, opens))
        return { allowed: true, reason: "it was approved for the session", basis: "grant", ...opening(opens) };
      const why = `it can ${call.effect ?? "execute"}`;
      const answer = await answerTo(
        () => ask(call, { ...deciding, why, rule: undefined, insists: true, opens }),
        deciding,
      );
      if ("later" in answer) return answer;
      const { always, ...decision } = answer;
      if (always) grants.add(deciding.session, call, opens);
      return decision.allowed ? { ...decision, ...opening(opens) } : decision;
    },
  };
}
