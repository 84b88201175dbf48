// The definition of an agent: names and digests that show if the agent changed between two runs.

/** The parts of an agent. Digests show that a part changed, but not how. */
export interface Definition {
  /** The model's name. */
  readonly model: string;
  /** A digest of the instructions. */
  readonly instructions: string;
  /** For each tool, a digest of its description for the model. */
  readonly tools: Readonly<Record<string, string>>;
  /** The names of the checks, in their order. */
  readonly checks: readonly string[];
}
