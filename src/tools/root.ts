// The root: the folder that the workspace tools are made for.

/** What every workspace tool is made from. */
export interface RootOptions {
  /** The folder that the tool is confined to. It must exist. */
  readonly root: string;
}
