// The law: what calls are judged by.

import type { Tier } from "./tier.js";
import type { Protector } from "./protected.js";
import type { Access, Rule } from "./rule.js";

/** What calls are judged by. */
export interface Law {
  /** A real path. */
  readonly root: string;
  readonly tier: Tier;
  readonly allow: readonly Rule[];
  readonly deny: readonly Rule[];
  readonly protector: Protector;
  /** Where programs are looked up, as in `PATH`. */
  readonly path: string;
}

/** What commands are judged by; the rules are those on the tool at hand. */
export interface CommandLaw extends Omit<Law, "tier"> {
  /** The rules that forbid files to commands as well. */
  readonly files: Readonly<Record<Access, readonly Rule[]>>;
}
