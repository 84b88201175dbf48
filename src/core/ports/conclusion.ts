// Conclusions: how the loop goes on after an iteration.

import type { Receipt } from "../data/receipt.js";
import type { StopReason } from "./outcome.js";
import type { ClosingReason } from "../journal/record.js";

/** How a run is to end, before the session and the counts are put to it. */
export type Conclusion =
  | StoppedConclusion
  | {
      readonly status: "completed";
      readonly by: string;
      readonly value: unknown;
      readonly verified: "checked" | "judged" | "unchecked";
      readonly receipts: readonly Receipt[];
    }
  | { readonly status: "waiting"; readonly by: string; readonly value: unknown; readonly id: string };

/** The run stopped short. */
export interface StoppedConclusion {
  readonly status: "stopped";
  readonly reason: StopReason;
  readonly message: string;
  readonly partial: { readonly text: string; readonly claim?: { readonly by: string; readonly value: unknown } };
  readonly receipts: readonly Receipt[];
}

/** The run is to be closed: the next iteration is its last. */
export interface ClosingConclusion {
  readonly status: "closing";
  readonly reason: ClosingReason;
  readonly message: string;
}
