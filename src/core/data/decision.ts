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
 * An answer that comes later. The run ends `waiting` on the call, and any process answers yes or no: see `ApprovalAnswer`. The shape has
 * no `allowed`, so code that does not know it reads a denial.
 */
export interface Later {
  readonly later: true;
  /** The reason why the call needs an approval, in words for people. */
  readonly reason: string;
  /** Milliseconds of the wall clock during which the call can be approved. Default: no end. */
  readonly expiresAfter?: number;
}

/** The answer of a person, a policy or a service to a parked call. It is the input of a run on the session that waits. */
export interface ApprovalAnswer {
  readonly allowed: boolean;
  /** For the journal and, if the answer is no, for the model. Default: that the call was approved, or was not. */
  readonly reason?: string;
  /** With a yes: `gate` and an approver allow the same call with the same arguments for as long as this process lives. Default false. */
  readonly always?: boolean;
  /** The digest of the call that was approved. If it is not the parked call's digest, the answer is refused. Default: not compared. */
  readonly digest?: string;
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
