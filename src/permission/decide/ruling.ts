// Rulings: what the rules, the protected paths and the tier say about a call, before anybody is asked.

import type { Basis, OpenableWall } from "../../core/index.js";

/** The decision about a call. */
export type Ruling =
  | { readonly is: "no"; readonly reason: string; readonly basis: Basis }
  | { readonly is: "yes"; readonly reason: string; readonly basis: Basis; readonly opens?: readonly OpenableWall[] }
  | {
      readonly is: "ask";
      readonly why: string;
      /** The rule that would allow exactly this; undefined if no rule would. */
      readonly rule: string | undefined;
      /** True if the approver must say yes, whatever is allowed in general. */
      readonly insists: boolean;
      /** The walls that a yes opens. Default: none. */
      readonly opens?: readonly OpenableWall[];
    };

/** The ruling that a call is refused, and why. */
export function no(basis: Basis, reason: string): Ruling {
  return { is: "no", reason, basis };
}

/** The ruling that a call is allowed, and why. */
export function yes(basis: Basis, reason: string, opens: readonly OpenableWall[] = []): Ruling {
  return { is: "yes", reason, basis, opens };
}
