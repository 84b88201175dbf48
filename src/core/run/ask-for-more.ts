// Asks at a limit: a run that reached it waits for an approval to go on, if its agent says so.

import { quorumFor, quorumOf } from "../approvals/approval-rules.js";
import { asFault, explain, LastcallError } from "../data/fault.js";
import { canonical, deepFreeze, type JsonObject } from "../data/json.js";
import { raiseLimit, type LimitReason } from "../journal/spent.js";
import { effectKey } from "../journal/state.js";
import { sha256 } from "../journal/verify-receipt.js";
import { questionAt } from "../ports/limit.js";
import type { ClosingConclusion, Conclusion } from "../ports/outcome.js";
import { unlessAborted } from "../time/abort.js";
import { projected, type Run } from "./run.js";
import { wait } from "../time/stage.js";
import type { Stage } from "../ports/event.js";

/**
 * Records the question of a run that a limit is about to end. Returns false, and does nothing, for any other conclusion, if the limit does
 * not ask, or if somebody has refused already.
 */
export function* asksForMore(run: Run, conclusion: Conclusion | ClosingConclusion): Stage<boolean> {
  const { state, parts } = run;
  const reason = limitOf(conclusion);
  if (reason === undefined || state.closing !== undefined || state.noMore !== undefined) return false;
  if (!parts.interactive || parts.limits.ask === undefined) return false;
  const asked = questionAt(state, { reason, limits: parts.limits, next: projected(state, parts) });
  if (asked === undefined) return false;
  const input = deepFreeze({ ...asked.raise }) as unknown as JsonObject;
  const callId = effectKey(run.runKey, `limit:${String(state.iteration)}`, state);
  const whose = state.principal !== undefined && { principal: state.principal };
  const quorum = yield* wait(readQuorum(run, { id: callId, name: raiseLimit, effect: undefined, input, ...whose }));
  if (quorum === undefined) return false;
  const about = { digest: yield* wait(sha256(canonical([raiseLimit, input]))) };
  const people = quorumFor({ quorum }, []);
  const why = asked.words;
  const named = { callId, name: raiseLimit };
  yield* wait(run.append({ type: "parked", ...named, input, reason: why, ...about, ...(people && { quorum }) }));
  yield { type: "call-parked", ...named, why, ...about, ...(people && { quorum: people }) };
  return true;
}

const limits: ReadonlySet<string> = new Set([
  "max_iterations",
  "timeout",
  "token_budget",
  "cost_budget",
] satisfies LimitReason[]);

/** The limit that the conclusion is about; undefined for any other conclusion. */
function limitOf(conclusion: Conclusion | ClosingConclusion): LimitReason | undefined {
  if (conclusion.status !== "closing" && conclusion.status !== "stopped") return undefined;
  return limits.has(conclusion.reason) ? (conclusion.reason as LimitReason) : undefined;
}

/** The number of people who have to say yes. If a rule can't tell, nobody is asked, and the limit ends the run. */
async function readQuorum(run: Run, call: Parameters<typeof quorumOf>[1]): Promise<number | undefined> {
  try {
    return await run.time.without(unlessAborted(quorumOf(run.approvals, call), run.signal));
  } catch (thrown) {
    run.signal.throwIfAborted();
    const message = `The limit ends the run, and nobody is asked: approvals.quorum could not be read (${explain(thrown)}).`;
    run.parts.runtime.warn(new LastcallError(asFault(thrown).code, message, { cause: thrown }));
    return undefined;
  }
}
