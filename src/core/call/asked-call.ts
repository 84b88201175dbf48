// The call that somebody answers yes or no: the call as permission saw it, and whether the answer counts for it.

import { expectCounts } from "../approvals/approval-rules.js";
import { deepFreeze, isPlainObject } from "../data/json.js";
import type { Principal } from "../data/principal.js";
import type { ParkedRecord, QuestionRecord } from "../journal/record.js";
import { yesesTo, type State } from "../journal/state.js";
import type { AwaitedApproval } from "../ports/outcome.js";
import type { ApprovalOptions, FrozenCall } from "../ports/permission.js";
import type { Toolbox } from "../ports/toolbox.js";
import { resolve } from "./resolve.js";

/** The session of a call that waits, and the rules for its answers. */
export interface Asking {
  readonly state: State;
  readonly tools: Toolbox;
  readonly approvals: readonly ApprovalOptions[];
}

/** A yes or no, and its giver. */
export interface Verdict {
  readonly allowed: boolean;
  readonly always?: boolean | undefined;
  readonly by?: Principal | undefined;
}

/** True if the answer to it allows or refuses a call. */
export function asksApproval(due: ParkedRecord | QuestionRecord): boolean {
  return due.type === "parked" || due.approves !== undefined;
}

/**
 * Checks that an answer counts for the call that waits. Returns the number of people who have to say yes after it; 0 if it decides.
 * @throws LastcallError as `expectCounts`.
 */
export async function expectAnswerCounts(
  asking: Asking,
  due: ParkedRecord | QuestionRecord,
  { allowed, always = false, by }: Verdict,
): Promise<number> {
  const { state, approvals } = asking;
  const { needed, given } = peopleFor(due, state);
  await expectCounts(approvals, await callOf(asking, due), { allowed, always, by, quorum: needed, given });
  return allowed ? needed - given.length - 1 : 0;
}

/** The number of people who have to say yes, and the people who did. */
function peopleFor(
  due: ParkedRecord | QuestionRecord,
  state: State,
): { readonly needed: number; readonly given: readonly Principal[] } {
  if (due.type === "parked")
    return { needed: due.quorum ?? 1, given: yesesTo(state, due).flatMap(({ by }) => by ?? []) };
  return approvalBelow(due)?.approval.quorum ?? { needed: 1, given: [] };
}

/** The call as permission saw it. If its tool is gone, the fields that the journal has; such a call does not run. */
async function callOf({ state, tools }: Asking, due: ParkedRecord | QuestionRecord): Promise<FrozenCall> {
  const { principal, input: asked } = state.unanswered.find(({ callId }) => callId === due.callId) ?? {};
  const whose = principal !== undefined && { principal };
  const below = due.type === "question" ? approvalBelow(due) : undefined;
  // The agent that makes the call asks its rules with its tool.
  if (below !== undefined)
    return deepFreeze({ id: below.id, name: below.by, effect: undefined, input: below.input, ...whose });
  const { name, callId: id } = due;
  const input = due.type === "parked" ? (due.source ?? due.input) : (asked as ParkedRecord["input"]);
  const ready = await resolve(tools, { type: "call", id, name, input }, principal);
  return "tool" in ready ? ready.frozen : deepFreeze({ id, name, effect: undefined, input, ...whose });
}

/** A call of an agent that a call runs, as the question about it has it. */
interface CallBelow {
  readonly id: string;
  readonly by: string;
  readonly input: unknown;
  readonly approval: AwaitedApproval;
}

/** The call of an agent below that the question is about; undefined if the tool that asks made the question itself. */
function approvalBelow({ value, approves }: QuestionRecord): CallBelow | undefined {
  if (!isPlainObject(value)) return undefined;
  const { id, by, approval } = value;
  const isBelow = typeof id === "string" && typeof by === "string" && isPlainObject(approval);
  return isBelow && approval["digest"] === approves ? (value as unknown as CallBelow) : undefined;
}
