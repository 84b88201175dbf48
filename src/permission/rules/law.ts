// The law: the rules and settings that calls are judged by.

import type { Work } from "../command/decision-work.js";
import type { Lookup } from "./lookup.js";
import type { Tier } from "./tier.js";
import type { Protector } from "./protected.js";
import type { Access, Rule } from "./rule.js";

/** The rules and settings that calls are judged by. */
export interface Law {
  /** A real path. */
  readonly root: string;
  readonly tier: Tier;
  readonly allow: readonly Rule[];
  readonly deny: readonly Rule[];
  readonly protector: Protector;
  /** The folders in which programs are looked up, in the form of `PATH`. */
  readonly path: string;
}

/** The rules and settings that commands are judged by. `allow` and `deny` have only the rules of the tool at hand. */
export interface CommandLaw extends Omit<Law, "tier"> {
  /** The variables that the tool gives to its commands, besides the variables of this process or in their place. */
  readonly variables: Readonly<Record<string, string>>;
  /** True if the command may change the workspace, and a wall keeps it from changing files outside. */
  readonly isWalledIn: boolean;
  /** The rules that forbid files to commands as well. */
  readonly files: Readonly<Record<Access, readonly Rule[]>>;
  /** The work that is left for this decision, and what it looked up. */
  readonly work: Work;
  readonly lookup: Lookup;
}
