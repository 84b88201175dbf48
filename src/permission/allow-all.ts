// allowAll: a permission that allows every call.

import type { Decision, FrozenCall, Permission } from "../core/index.js";
import { opening, opensIfAllowed } from "./rules/opens.js";

/**
 * Allows every call, whatever it does. For places without anything to harm: a sandbox, a container, a throw-away
 * machine.
 */
export function allowAll(): Permission {
  return { decide: allow, unasked: allow };
}

function allow(call: FrozenCall): Decision {
  return { allowed: true, reason: "everything is allowed", basis: "mode", ...opening(opensIfAllowed(call)) };
}
