// The things that people say, as deliveries: an answer, an approval, words for a run at work.

import { LastcallError, type Input } from "../core/index.js";
import { checkOptions, needed, type OptionKinds, isBlank } from "../core/internal.js";
import type { Delivery } from "./delivery/delivery.js";
import type { Host, HostedRun } from "./host.js";

/** The session of a delivery, its id and its terms. */
type Place = Pick<Delivery, "inputId" | "priority" | "tenant"> & { readonly session: string };

/** An approval of a call, or its refusal. */
export interface HostApproval extends Place {
  /** The id of the call: `waiting.id` of the end of its run. */
  readonly callId: string;
  /** The digest of the call that was shown: `waiting.digest` of the end of its run. */
  readonly digest: string;
  readonly allowed: boolean;
  /** For the journal and, if it is no, for the model. */
  readonly reason?: string | undefined;
  /** As in `ApprovalAnswer`. Default false. */
  readonly always?: boolean | undefined;
}

const place = {
  session: needed("text"),
  inputId: "text",
  priority: "number",
  tenant: "text",
} satisfies OptionKinds<Place>;
const wordOptions = { ...place, input: needed(["text", "object"]) } as const;
const answerOptions = { ...wordOptions, callId: needed("text") } as const;
const approvalOptions = {
  ...place,
  callId: needed("text"),
  digest: needed("text"),
  allowed: needed("flag"),
  reason: "text",
  always: "flag",
} satisfies OptionKinds<HostApproval>;

/**
 * Answers the question of a call.
 * @throws LastcallError as `host.give`.
 */
export async function answer(
  host: Host,
  { callId, ...given }: Place & { readonly callId: string; readonly input: Input },
): Promise<HostedRun> {
  checkOptions("answer", { callId, ...given }, answerOptions);
  return host.give({ ...given, answers: callId });
}

/**
 * Allows or refuses the call that was shown.
 * @throws LastcallError `configuration` without a digest, besides the faults of `host.give`.
 */
export async function approve(host: Host, approval: HostApproval): Promise<HostedRun> {
  checkOptions("approve", approval, approvalOptions);
  const { callId, digest, allowed, reason, always, ...rest } = approval;
  if (typeof (digest as unknown) !== "string" || digest === "")
    throw wrong("An approval needs the digest of the call that was shown: `waiting.digest` of the end of its run.");
  const said = { ...(reason !== undefined && { reason }), ...(always !== undefined && { always }) };
  return host.give({ ...rest, answers: callId, input: { allowed, digest, ...said } });
}

/**
 * Says something to a session whose run may be at work: the run takes it at its next boundary, or the next run does.
 * @throws LastcallError as `host.give`.
 */
export async function steer(host: Host, words: Place & { readonly input: string }): Promise<HostedRun> {
  checkOptions("steer", words, wordOptions);
  if (typeof (words.input as unknown) !== "string" || isBlank(words.input))
    throw wrong("steer takes words: give a text.");
  return host.give(words);
}

function wrong(message: string): LastcallError {
  return new LastcallError("configuration", message);
}
