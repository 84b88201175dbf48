// Decisions of the permission: whether a call may run, why, and which walls around its command are open.

/**
 * The basis of a decision. `grant` is an approval for the whole session; `effect` is the effect of the tool alone; `walls` are the walls
 * around a command, inside which it can do no harm.
 */
export type Basis = "rule" | "protected" | "tier" | "grant" | "mode" | "effect" | "approver" | "walls";

/** The answer of the permission. Its reason goes to the journal, and to the model if the call is denied. */
export interface Decision {
  readonly allowed: boolean;
  readonly reason: string;
  /** The basis of the decision. Default: unknown. */
  readonly basis?: Basis;
  /** The walls that are open for this call, if its tool runs in a place with walls. Default: none, so all stay closed. */
  readonly opens?: readonly OpenableWall[];
}

/**
 * A wall around a command.
 *
 * - `files`: it changes no file outside of the workspace.
 * - `workspace`: it changes no file in the workspace either.
 * - `protected`: it changes nothing of git's own data, and neither changes nor makes a file that other programs run or obey.
 * - `network`: it reaches no server, not even one of this machine.
 * - `home`: it reads nothing in the home folder but toolchains and their settings, and nothing beside the workspace.
 * - `secrets`: it reads no file of the workspace that is likely to hold secrets, such as `.env`.
 */
export type Wall = "files" | "workspace" | OpenableWall;

/** A wall that a decision can open for one command. */
export type OpenableWall = "protected" | "network" | "home" | "secrets";

/** The walls that a decision can open. */
export const openableWalls: readonly OpenableWall[] = ["network", "home", "secrets", "protected"];
