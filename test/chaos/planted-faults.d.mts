/** One fault: `file` has the text `from` exactly once, and `to` stands in its place. */
export interface PlantedFault {
  readonly name: string;
  readonly file: string;
  readonly from: string;
  readonly to: string;
  /** The files that must catch it. */
  readonly tests: readonly string[];
  /** A part of the names of their tests. Default: all of their tests run. */
  readonly named?: string;
}

export const faults: readonly PlantedFault[];
