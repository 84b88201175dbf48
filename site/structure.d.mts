/** A page of the repository that has a place on the site. */
export interface Placed {
  readonly file: string;
  readonly section: string;
  /** The address below the site, without slashes at its ends. */
  readonly id: string;
  readonly label?: string;
}
export function placed(): readonly Placed[];
export function unplaced(files: readonly string[]): readonly string[];
