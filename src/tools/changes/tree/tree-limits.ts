// The bounds of a workspace that is looked at.

/** The most entries and bytes of a workspace that are looked at for a command. */
export interface TreeLimits {
  readonly entries: number;
  readonly bytes: number;
}
