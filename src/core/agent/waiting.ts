// Waiting: reads from a session which call waits for an answer or an approval.

import { LastcallError } from "../data/fault.js";
import type { ParkedCall, WaitingCall } from "../ports/outcome.js";
import { readInput, readValue } from "../call/claim-value.js";
import type { ClaimRecord, JournalRecord } from "../journal/record.js";
import { partsFor, type AgentParts } from "../run/run.js";
import { checkSession, expectSession, type ReadableSession, type Session } from "../journal/session.js";
import { dueOf, isLimitQuestion, isOfClient, type State } from "../journal/state.js";
import { approvalOf, questionOf } from "../loop/conclude.js";
import { replay } from "../journal/step.js";

/**
 * The call that waits for an answer or an approval at this time, in milliseconds since 1970; undefined if none waits, or if it has expired.
 * Its value or input is JSON.
 */
export function waitingIn(records: readonly JournalRecord[], now: number): WaitingCall | ParkedCall | undefined {
  const state = replay(records);
  return waitingCall(state.claim, now) ?? openCall(state, now);
}

/** The call of an open reply that waits for an approval, or for the answer to its question. */
function openCall(state: State, now: number): WaitingCall | ParkedCall | undefined {
  const due = dueOf(state);
  if (due === undefined || now >= (due.expiresAt ?? Infinity)) return undefined;
  return due.type === "parked" ? approvalOf(due, state) : questionOf(due);
}

function waitingCall(claim: ClaimRecord | undefined, now: number): WaitingCall | undefined {
  if (claim?.ending !== "waiting") return undefined;
  const { callId: id, by, value, replySchema, expiresAt } = claim;
  if (now >= (expiresAt ?? Infinity)) return undefined;
  return { id, by, value, ...(replySchema && { replySchema }), ...(expiresAt !== undefined && { expiresAt }) };
}

/**
 * The waiting call of a session that this agent continues, with its value or its input as the schema of its tool reads it.
 * @throws LastcallError `configuration` if the session can't be read, or if the agent has no such tool, or none that awaits a reply.
 */
export async function readWaiting(
  parts: AgentParts,
  session: Session | ReadableSession,
): Promise<WaitingCall | ParkedCall | undefined> {
  expectSession(session);
  const plain = isReadable(session) ? await session.toJSON() : session;
  checkSession(plain);
  const state = replay(plain.records);
  const { claim } = state;
  const { tools, runtime } = partsFor(parts, state.speakers);
  const due = dueOf(state);
  const open = openCall(state, runtime.now());
  if (due !== undefined && open !== undefined) {
    if (tools.find(due.name) !== undefined || isLimitQuestion(state, due) || isOfClient(state, due.name))
      return due.type === "parked" ? ({ ...open, input: await readInput(tools, due) } as ParkedCall) : open;
    const what = due.type === "parked" ? "an approval of" : "an answer to a question of";
    const message = `The session ${plain.id} waits for ${what} ${due.name}, and this agent has no tool of that name: ${tools.names.join(", ")}. Give the session to an agent with the tools that asked.`;
    throw new LastcallError("configuration", message);
  }
  const call = waitingCall(claim, runtime.now());
  if (claim === undefined || call === undefined) return undefined;
  if (tools.find(call.by)?.tool.ending === "waiting") return { ...call, value: await readValue(tools, claim) };
  const asking = tools.names.filter((name) => tools.find(name)?.tool.ending === "waiting");
  throw new LastcallError(
    "configuration",
    `The session ${plain.id} waits for an answer to ${call.by}, and this agent has no tool of that name that awaits a reply. ${
      asking.length > 0 ? `Those that do: ${asking.join(", ")}` : "None of its tools does"
    }. Give the session to an agent with the tools that asked.`,
  );
}

function isReadable(session: Session | ReadableSession): session is ReadableSession {
  return typeof (session as Partial<ReadableSession>).toJSON === "function";
}
