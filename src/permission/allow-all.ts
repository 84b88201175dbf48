// allowAll: a permission that allows every call.

import type { Decision, Permission } from "../core/index.js";

/**
 * Allows every call, whatever it does. For places without anything to harm: a sandbox, a container, a throw-away machine. The walls of a
 * sandbox stay closed, whatever a call names: nobody saw it.
 */
export function allowAll(): Permission {
  return { decide: allow, unasked: allow };
}

function allow(): Decision {
  return { allowed: true, reason: "everything is allowed", basis: "mode" };
}
