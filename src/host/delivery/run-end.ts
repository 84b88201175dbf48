// The end of a run as plain data: an engine keeps it, and any process reads it.

import type { AnyOutcome } from "../../core/index.js";

/** The end of a run as plain data. The journal has the rest: `outcomeOf(await session.toJSON())`. */
export interface RunEnd {
  readonly status: AnyOutcome["status"];
  /** The run was suspended: it goes on in another process, or in the next process. Absent otherwise. */
  readonly suspended?: true;
  /** The reason of a stopped run, or the fault's code of a failed run. Absent otherwise. */
  readonly reason?: string;
  /** The reason in words for people. Absent if the run completed or waits. */
  readonly message?: string;
  /** The call that waits. Absent if none does. */
  readonly waiting?: AwaitedCall;
  /** Another input began this run, or this input came before. Absent otherwise. */
  readonly joined?: true;
}

/** A call that waits for an answer or an approval. */
export interface AwaitedCall {
  /** For `answer` and `approve`, as `callId`. */
  readonly id: string;
  /** The tool that was called. */
  readonly by: string;
  /** For `approve`. Absent if the call waits for an answer. */
  readonly digest?: string;
  /** The number of people whose yes the call still needs. Absent if the next answer decides. */
  readonly missing?: number;
}

/** The end that an outcome tells. */
export function endOf(outcome: AnyOutcome): RunEnd {
  const { status, joined } = outcome;
  return {
    status,
    ...(outcome.status === "stopped" && { reason: outcome.reason }),
    ...(outcome.status === "failed" && { reason: outcome.fault.code }),
    ...("message" in outcome && { message: outcome.message }),
    ...(outcome.status === "aborted" && outcome.suspended === true && { suspended: true }),
    ...(outcome.status === "waiting" && { waiting: awaitedIn(outcome) }),
    ...(joined === true && { joined }),
  };
}

function awaitedIn(outcome: AnyOutcome & { readonly status: "waiting" }): AwaitedCall {
  const { id, by } = outcome;
  const digest = outcome.approval?.digest ?? ("approves" in outcome ? outcome.approves : undefined);
  const missing = outcome.approval?.quorum?.missing;
  return { id, by, ...(digest !== undefined && { digest }), ...(missing !== undefined && { missing }) };
}
