// The definition of an agent, as digests.

/** What an agent is made of. Digests tell that something changed, and nothing more. */
export interface Definition {
  /** The model's name. */
  readonly model: string;
  /** A digest of the instructions. */
  readonly instructions: string;
  /** For each tool, a digest of what the model is told of it. */
  readonly tools: Readonly<Record<string, string>>;
  /** The checks' names, in their order. */
  readonly checks: readonly string[];
}
