// Close: the end of an iteration, in the journal and in the circuit's count; and what an interrupted one still owes.

import type { Event } from "./event.js";
import { failedResult } from "./perform.js";
import { interrupted } from "./prompt.js";
import type { Run } from "./run.js";
import { isEphemeral } from "./state.js";

/** Records the end of the iteration and says what the circuit counts. */
export async function* close(run: Run): AsyncGenerator<Event, void, void> {
  const { iteration, failures } = run.state;
  const signatures = failures.map(({ signature }) => signature);
  const before = run.state.circuit;
  await run.append({ type: "iteration", iteration, failures: signatures, ephemeral: isEphemeral(run.state) });
  const { signature, count } = run.state.circuit;
  if (count > 0 && run.state.circuit !== before) {
    yield { type: "circuit-failure", signature, count };
    if (count === run.parts.identical) yield { type: "circuit-open", signature, count };
  }
  yield { type: "iteration-end", iteration, failures };
}

/** Gives every call that was left without a result one that says so, and closes the iteration it belongs to. */
export async function* mend(run: Run): AsyncGenerator<Event, void, void> {
  if (!run.state.open) return;
  for (const { callId, name, intended } of run.state.unanswered) {
    const result = failedResult(callId, name, interrupted(name, intended));
    await run.append({ type: "result", result });
    yield { type: "call-end", result };
  }
  yield* close(run);
}
