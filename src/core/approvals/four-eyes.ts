// Four eyes: the rule that nobody approves a call that they asked for.

import { isSamePrincipal, type Principal } from "../data/principal.js";
import type { FrozenCall, MayApproveAnswer } from "../ports/permission.js";

/**
 * A rule for `approvals.mayApprove`: somebody else than the person who asked for the call approves it. Both must have names. It looks at
 * the person whose words the call follows from, not at everybody who spoke in the session.
 */
export function fourEyes(principal: Principal | undefined, { principal: asked }: FrozenCall): MayApproveAnswer {
  if (principal === undefined)
    return "nobody says who approves it, and it needs somebody else than the person who asked";
  if (asked === undefined) return "nobody knows who asked for it, so nobody knows who else could approve it";
  return !isSamePrincipal(principal, asked) || "somebody else than the person who asked has to";
}
