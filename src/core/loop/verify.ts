// Verify: a standing claim is accepted only if its siblings succeeded, the checks pass and its own run succeeds.

import type { Event } from "../ports/event.js";
import { examine } from "./examine.js";
import type { Failure } from "../data/failure.js";
import { leftAtWork, perform, settle, whyUnwritable } from "../call/perform.js";
import { failedCheck, failedSibling } from "../words/refusals.js";
import type { ClaimRecord } from "../journal/record.js";
import type { ResolvedCall } from "../call/resolve.js";
import type { Run } from "../run/run.js";
import { receiptsOf, stands } from "../journal/state.js";
import type { Tool } from "../ports/tool.js";

/** Accepts the claim, or makes its refusal the call's result. */
export async function* verify(run: Run, claim: ResolvedCall): AsyncGenerator<Event, void, void> {
  const { call, tool } = claim;
  run.signal.throwIfAborted();
  yield { type: "call-start", call };
  const objection = leftAtWork(run, claim) ?? (yield* objectTo(run, claim));
  if (objection !== undefined) return yield* settle(run, call, { ok: false, failure: objection });
  const execution = yield* perform(run, claim);
  if (!execution.ok || tool.ending === "never") return yield* settle(run, call, execution);
  const unwritable = whyUnwritable(tool.name, execution.value);
  if (unwritable !== undefined) return yield* settle(run, call, { ok: false, failure: unwritable });
  const { name: by, ending } = tool;
  const receipts = ending === "completed" ? receiptsOf(run.state) : [];
  const { value } = execution;
  await run.append({ type: "claim", callId: call.id, by, ending, value, receipts, ...awaited(run, tool) });
  yield { type: "claim-accepted", tool: by, value };
}

/** What is said of the reply that the claim waits for. */
function awaited({ parts }: Run, { name, expiresAfter }: Tool): Pick<ClaimRecord, "replySchema" | "expiresAt"> {
  const replySchema = parts.tools.find(name)?.reply?.json;
  return {
    ...(replySchema !== undefined && { replySchema }),
    ...(expiresAfter !== undefined && { expiresAt: parts.runtime.now() + expiresAfter }),
  };
}

/** What speaks against the claim besides its own run. */
async function* objectTo(run: Run, claim: ResolvedCall): AsyncGenerator<Event, Failure | undefined, void> {
  const { failures } = run.state;
  return failures.length > 0 ? failedSibling(claim.tool.name, failures) : yield* passChecks(run, claim);
}

/**
 * Runs the declared checks in order until one fails. Only completion is checked: a question is free. Where the run is being
 * closed because all of them passed, what they said stands.
 */
async function* passChecks(run: Run, claim: ResolvedCall): AsyncGenerator<Event, Failure | undefined, void> {
  if (claim.tool.ending !== "completed") return undefined;
  const wasGreen = run.state.closing?.reason === "check_passed";
  for (const check of run.parts.checks) {
    if (wasGreen && stands(run.state, check)) continue;
    const { passed, output } = yield* examine(run, check, { when: "claim", claim });
    if (!passed) return failedCheck(claim.tool.name, check.name, output);
  }
  return undefined;
}
