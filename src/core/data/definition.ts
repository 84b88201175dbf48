// The definition of an agent: names and digests that show if the agent changed between two runs.

import type { JsonObject } from "./json.js";

/** A tool that the caller's client carries out: a page, for example. A call of it waits for the client's result. */
export interface ClientTool {
  readonly name: string;
  readonly description: string;
  /** The object schema of the input, as JSON Schema. */
  readonly parameters: JsonObject;
}

/** The parts of an agent. Digests show that a part changed. */
export interface Definition {
  /** The model's name. */
  readonly model: string;
  /** A digest of the instructions. */
  readonly instructions: string;
  /** For each tool, a digest of its description for the model. */
  readonly tools: Readonly<Record<string, string>>;
  /** The tools that the caller's client carries out, which are among the tools. Absent if there are none. */
  readonly clientTools?: readonly ClientTool[];
  /** The names of the checks, in their order. */
  readonly checks: readonly string[];
  /** A digest of the whole system prompt: the instructions, and the rules of the loop. Absent in older journals. */
  readonly system?: string;
  /**
   * The texts behind the digests: the system prompt, and each tool's description as JSON. In a record, the texts that the journal did not
   * have yet. Absent if it has all texts, and in older journals.
   */
  readonly texts?: Readonly<Record<string, string>>;
}
