// A permission that asks an approver before anything is changed.

import type { AnyApproval, Approver, Decision, FrozenCall, Later, Permission } from "../core/index.js";
import { isGated, type Answered } from "../core/internal.js";
import { opening, opensIfAllowed } from "./opens.js";
import { oneAtATime } from "./approve.js";
import { Grants } from "./grants.js";

const harmless: Decision = { allowed: true, reason: "it needs no approval", basis: "effect" };

/**
 * Makes the permission of an approver. It asks before a call may write, execute or use the network, whatever the call concerns. It has no
 * rules and no protected paths. Reads are allowed without asking, and so are tools that declare no effect. If the approver answers
 * `Later`, the run ends to wait for an approval.
 */
export function askFirst<Call extends FrozenCall, Returned extends AnyApproval>(
  approver: Approver<Call, Returned>,
): Permission<Call, unknown, Answered<Returned>>;
export function askFirst<Call extends FrozenCall>(
  approver: Approver<Call, AnyApproval>,
): Permission<Call, unknown, Decision | Later> {
  const ask = oneAtATime(approver, Infinity);
  const grants = new Grants();
  return {
    unasked: (call) => (isGated(call.effect) ? undefined : harmless),
    async decide(call, deciding) {
      if (!isGated(call.effect)) return harmless;
      const { session } = deciding;
      const opens = opensIfAllowed(call);
      const covered = (): Decision | undefined =>
        grants.has(session, call, opens)
          ? { allowed: true, reason: "it was approved for the session", basis: "grant", ...opening(opens) }
          : undefined;
      const why = `it can ${call.effect ?? "execute"}`;
      const about = { why, rule: undefined, kind: undefined, insists: true, opens };
      const keep = (): void => {
        grants.add(session, call, opens);
      };
      return covered() ?? ask(call, deciding, about, { covered, keep });
    },
  };
}
