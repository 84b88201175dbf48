// The end of a run in AG-UI: its outcome, the call that waits, its tokens.

import { type JournalRecord, type JsonObject, type State } from "../../core/index.js";
import {
  dueOf,
  isOfClient,
  quorumFor,
  raiseLimit,
  subtractUsage,
  verificationOf,
  yesesTo,
} from "../../core/internal.js";
import type { AguiEvent, AguiInterrupt, AguiUsage } from "./agui-event.js";
import { interruptIdOf } from "./interrupt-id.js";
import { isTalk, wordsOf } from "./agui-words.js";
import type { SpokenTools } from "../chat/reply-parts.js";

type Outcome = Extract<JournalRecord, { readonly type: "outcome" }>;

/** The thread and the run, as the client named them, and the tools of one's own that talk. */
export interface RunNames {
  readonly threadId: string;
  readonly runId: string;
  readonly words?: SpokenTools | undefined;
}

/** The last event of a run. A run that stopped did not do what it was asked for, so it ends with an error, as a failed run does. */
export function endOf({ threadId, runId, words }: RunNames, outcome: Outcome, state: State): AguiEvent {
  const usage = [usageOf(state)];
  const finished = { type: "RUN_FINISHED" as const, threadId, runId, usage };
  switch (outcome.status) {
    case "completed":
      return { ...finished, outcome: { type: "success" }, result: resultOf(state) };
    case "aborted":
      return { ...finished, outcome: { type: "cancelled" } };
    case "waiting": {
      if (isTalk(state, words)) return { ...finished, outcome: { type: "success" }, result: saidOf(state) };
      // The client carries out the call, whose arguments it has, and posts the result.
      if (isForClient(state)) return { ...finished, outcome: { type: "success" } };
      const interrupt = interruptOf(state);
      if (interrupt !== undefined) return { ...finished, outcome: { type: "interrupt", interrupts: [interrupt] } };
      return { type: "RUN_ERROR", code: "bug", message: "The run waits, and no call of it does.", usage };
    }
    case "stopped":
    case "failed": {
      const { reason = outcome.status, message = "" } = outcome;
      return { type: "RUN_ERROR", code: reason, message, usage };
    }
  }
}

/** The tokens of the run since it last ended. */
export function usageOf({ usage, accounted }: State): AguiUsage {
  const used = subtractUsage(usage, accounted.usage);
  return { ...used, totalTokens: used.inputTokens + used.outputTokens };
}

function resultOf({ claim }: State): unknown {
  if (claim === undefined) return undefined;
  const { by, value, receipts, unverified = [] } = claim;
  return { by, value, verified: verificationOf(receipts), unverified };
}

function isForClient(state: State): boolean {
  const due = dueOf(state);
  return due?.type === "question" && isOfClient(state, due.name);
}

function saidOf({ claim }: State): unknown {
  return claim && { by: claim.by, value: claim.value };
}

/** The call that the session waits for: the first, if there are several. Undefined if none waits. */
function interruptOf(state: State): AguiInterrupt | undefined {
  const { claim } = state;
  if (claim?.ending === "waiting") {
    const { callId: id, by: tool, value, replySchema, expiresAt } = claim;
    return { ...asked({ id, tool, value, replySchema }), ...deadline(expiresAt) };
  }
  const due = dueOf(state);
  if (due === undefined) return undefined;
  const { callId, name: tool, expiresAt } = due;
  const bound = { toolCallId: callId, ...deadline(expiresAt) };
  if (due.type === "parked") {
    const { input, reason: why, digest, preview } = due;
    const quorum = quorumFor(due, yesesTo(state, due));
    const metadata = own({ tool, input, why, digest, preview, quorum });
    // A run at its limit asks by no call, so no message has one.
    if (tool === raiseLimit) return { ...confirmation({ id: callId, why, digest }), metadata };
    return { ...approval({ id: callId, tool, why, digest }), ...bound, metadata };
  }
  const { id, value, replySchema, approves: digest } = due;
  if (digest === undefined) return { ...asked({ id, tool, value, replySchema }), ...bound };
  const why = wordsOf(value);
  return { ...approval({ id, tool, why, digest }), ...bound, metadata: own({ tool, value, why, digest }) };
}

interface Asked {
  readonly id: string;
  readonly tool: string;
  readonly value: unknown;
  readonly replySchema: JsonObject | undefined;
}

function asked({ id, tool, value, replySchema = { type: "string" } }: Asked): AguiInterrupt {
  const metadata = own({ tool, value });
  return { id, reason: "input_required", message: wordsOf(value), responseSchema: replySchema, metadata };
}

/** The schema of the answer to a run at its limit. */
const confirmationSchema = {
  type: "object",
  properties: {
    approved: { type: "boolean" },
    reason: { type: "string", description: "Told with the end of the run, if the answer is no" },
  },
  required: ["approved"],
  additionalProperties: false,
};

/** The schema of the answer to an approval. */
const approvalSchema = {
  ...confirmationSchema,
  properties: {
    approved: { type: "boolean" },
    reason: { type: "string", description: "For the model, if the answer is no" },
    always: { type: "boolean", description: "With a yes: the same call needs no approval again" },
  },
};

interface Approval {
  readonly id: string;
  readonly tool: string;
  readonly why: string;
  readonly digest: string;
}

function approval({ id, tool, why, digest }: Approval): Omit<AguiInterrupt, "metadata"> {
  const message = `${tool}: ${why}`;
  return { id: interruptIdOf(id, digest), reason: "tool_call", message, responseSchema: approvalSchema };
}

function confirmation({ id, why: message, digest }: Omit<Approval, "tool">): Omit<AguiInterrupt, "metadata"> {
  return { id: interruptIdOf(id, digest), reason: "confirmation", message, responseSchema: confirmationSchema };
}

function own(fields: Readonly<Record<string, unknown>>): AguiInterrupt["metadata"] {
  return { lastcall: Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) };
}

function deadline(expiresAt: number | undefined): Pick<AguiInterrupt, "expiresAt"> {
  return expiresAt === undefined ? {} : { expiresAt: new Date(expiresAt).toISOString() };
}
