// Waiting: reads from a session which call waits for an answer.

import { LastcallError } from "../data/fault.js";
import type { WaitingCall } from "../ports/outcome.js";
import { readValue } from "../call/claim-value.js";
import type { ClaimRecord, JournalRecord } from "../journal/record.js";
import type { AgentParts } from "../run/run.js";
import { checkSession, expectSession, type Session } from "../journal/session.js";
import { replay } from "../journal/step.js";

/** A stored session as far as it is read here. The sessions of `openSession` are such. */
export interface ReadableSession {
  /** The current session as plain data. */
  toJSON(): Promise<Session>;
}

/** The call that waits for an answer at this time, in milliseconds since 1970; undefined if none waits, or if it has expired. */
export function waitingIn(records: readonly JournalRecord[], now: number): WaitingCall | undefined {
  return waitingCall(replay(records).claim, now);
}

function waitingCall(claim: ClaimRecord | undefined, now: number): WaitingCall | undefined {
  if (claim?.ending !== "waiting") return undefined;
  const { callId: id, by, value, replySchema, expiresAt } = claim;
  if (now >= (expiresAt ?? Infinity)) return undefined;
  return { id, by, value, ...(replySchema && { replySchema }), ...(expiresAt !== undefined && { expiresAt }) };
}

/**
 * The waiting call of a session that this agent continues, with its value as the schema of its tool reads it.
 * @throws LastcallError `configuration` if the session can't be read, or if the agent has no such tool that awaits a reply.
 */
export async function readWaiting(
  { tools, runtime }: Pick<AgentParts, "tools" | "runtime">,
  session: Session | ReadableSession,
): Promise<WaitingCall | undefined> {
  expectSession(session);
  const plain = isReadable(session) ? await session.toJSON() : session;
  checkSession(plain);
  const { claim } = replay(plain.records);
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
