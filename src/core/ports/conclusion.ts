// Conclusions: the loop's decision to end a run or to close it, after an iteration.

import type { Receipt, Verification } from "../data/receipt.js";
import type { ParkedCall, StopReason } from "./outcome.js";
import type { ClosingReason } from "../journal/record.js";

/** The end of a run, before the session, the usage and the counts are added to make the outcome. */
export type Conclusion =
  | StoppedConclusion
  | {
      readonly status: "completed";
      readonly by: string;
      readonly value: unknown;
      readonly verified: Verification;
      readonly unverified: readonly string[];
      readonly receipts: readonly Receipt[];
    }
  | { readonly status: "waiting"; readonly by: string; readonly value: unknown; readonly id: string }
  | ({ readonly status: "waiting" } & ParkedCall);

/** The run ends without completion. */
export interface StoppedConclusion {
  readonly status: "stopped";
  readonly reason: StopReason;
  readonly message: string;
  readonly partial: { readonly text: string; readonly claim?: { readonly by: string; readonly value: unknown } };
  readonly receipts: readonly Receipt[];
}

/** The run is being closed: the next iteration is its last. */
export interface ClosingConclusion {
  readonly status: "closing";
  readonly reason: ClosingReason;
  readonly message: string;
}
