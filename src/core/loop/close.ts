// Close: records the end of an iteration and reports its counts. `mend` also completes an iteration that was interrupted.

import { failReply } from "./act.js";
import { isOpen } from "../journal/circuit.js";
import { nudge } from "../words/hint.js";
import { notify } from "../run/notify.js";
import { failedResult } from "../call/perform.js";
import { denied, interrupted, notCarriedOut, unansweredQuestion } from "../words/refusals.js";
import type { Run } from "../run/run.js";
import { dueOf, isEphemeral, isOfClient, isParked, isWaiting } from "../journal/state.js";
import { wait } from "../time/stage.js";
import type { Stage } from "../ports/event.js";

/**
 * Records the end of the iteration, yields the counts of the circuit, and nudges a model that repeats itself. Does nothing while a call
 * waits for an approval or an answer: its iteration stays open.
 */
export function* close(run: Run): Stage {
  const before = run.state;
  if (dueOf(before) !== undefined) return;
  const { iteration, failures, successes } = before;
  const isPolling =
    successes.length > 0 && successes.every(({ name }) => run.parts.tools.find(name)?.tool.pollable === true);
  yield* wait(
    run.append({
      type: "iteration",
      iteration,
      failures: failures.map(({ signature }) => signature),
      ephemeral: isEphemeral(before),
      ...(isPolling && { polled: isPolling }),
      elapsed: run.time.elapsed,
    }),
  );
  const { circuit: bounds, tools } = run.parts;
  const { circuit, stall } = run.state;
  if (circuit.count > 0 && circuit !== before.circuit) {
    const { signature, count, inARow } = circuit;
    yield { type: "circuit-failure", signature, count, inARow };
    if (isOpen(circuit, bounds)) yield { type: "circuit-open", signature, count, inARow };
  }
  if (bounds.stall !== false && stall.count >= bounds.stall.nudge && before.stall.count < bounds.stall.nudge) {
    yield* notify(run, { about: "stall" }, nudge(stall.count, bounds.stall.stop, tools));
  }
  yield { type: "iteration-end", iteration, failures };
}

/**
 * Completes an open iteration: records an `interrupted` result for each call without a result, or the failure of a reply without calls,
 * and closes the iteration. A call that still waits for an approval is denied, and a call that waits for an answer is told that no
 * answer came in time. Does nothing if no iteration is open.
 */
export function* mend(run: Run): Stage {
  if (!run.state.open) return;
  for (const unanswered of run.state.unanswered) {
    const { callId, name, intended, parked } = unanswered;
    let why = interrupted(name, intended ? "unknown" : "before");
    if (isWaiting(unanswered)) why = isOfClient(run.state, name) ? notCarriedOut(name) : unansweredQuestion(name);
    if (parked !== undefined && isParked(unanswered)) {
      const decision = { allowed: false, reason: "nobody approved it in time", basis: "approver" } as const;
      yield* wait(run.append({ type: "decision", callId, ...decision }));
      yield { type: "call-decision", callId, ...decision };
      why = denied(name, decision.reason, parked.input);
    }
    const result = failedResult(callId, name, why);
    yield* wait(run.append({ type: "result", result }));
    yield { type: "call-end", result };
  }
  yield* failReply(run);
  yield* close(run);
}
