// allowAll: every call may run.

import type { Permission } from "../core/index.js";

/**
 * Allows every call, whatever it does. For a place where nothing can be harmed: a sandbox, a container, a throw-away
 * machine.
 */
export function allowAll(): Permission {
  return { decide: () => ({ allowed: true, reason: "everything is allowed", basis: "mode" }) };
}
