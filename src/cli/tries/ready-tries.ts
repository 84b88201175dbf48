// Tries that are ready to run, and their needs: what rounds and rivals have in common in the command.

import type { TriesOutcome, TryEvent } from "../../evals/index.js";
import type { Settings } from "../args/args.js";
import type { Speech } from "../display/said.js";
import type { Surface, Surroundings } from "../person/surface.js";

/** Tries that are ready to run. */
export interface ReadyTries {
  readonly running: AsyncGenerator<TryEvent, TriesOutcome, void>;
  /** Takes each event of a try's own run. */
  readonly take: (event: Extract<TryEvent, { readonly type: "try-event" }>) => void;
  /** The values of the agent's tools in words. */
  readonly speech: Speech;
  /** Lines to print at the end. */
  readonly remarks: () => readonly string[];
  readonly close: () => Promise<void>;
}

/** The needs of tries. */
export interface TriesNeeds {
  readonly settings: Settings;
  readonly around: Surroundings;
  readonly surface: Surface;
  readonly id: string;
  /** The task; undefined for tries that go on. */
  readonly task: string | undefined;
}
