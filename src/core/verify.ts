// Verify: a standing claim is accepted only if its siblings succeeded, the checks pass and its own run succeeds.

import { unlessAborted } from "./abort.js";
import type { Check, CheckVerdict } from "./check.js";
import type { Event } from "./event.js";
import type { Failure } from "./failure.js";
import { explain } from "./fault.js";
import { perform, settle, whyUnwritable } from "./perform.js";
import { failedCheck, failedSibling } from "./prompt.js";
import { sha256 } from "./receipt.js";
import type { ResolvedCall } from "./resolve.js";
import type { Run } from "./run.js";

/** Accepts the claim, or makes its refusal the call's result. */
export async function* verify(run: Run, claim: ResolvedCall): AsyncGenerator<Event, void, void> {
  const { call, tool } = claim;
  run.signal.throwIfAborted();
  yield { type: "call-start", call };
  const { failures } = run.state;
  const objection = failures.length > 0 ? failedSibling(tool.name, failures) : yield* passChecks(run, claim);
  if (objection !== undefined) return yield* settle(run, call, { ok: false, failure: objection });
  const execution = yield* perform(run, claim);
  if (!execution.ok || tool.ending === "never") return yield* settle(run, call, execution);
  const unwritable = whyUnwritable(tool.name, execution.value);
  if (unwritable !== undefined) return yield* settle(run, call, { ok: false, failure: unwritable });
  const { receipts } = run.state;
  const { name: by, ending } = tool;
  const { value } = execution;
  await run.append({ type: "claim", callId: call.id, by, ending, value, receipts });
  yield { type: "claim-accepted", tool: by, value };
}

/** Runs the declared checks in order until one fails. Only completion is checked: a question is free. */
async function* passChecks(run: Run, { call, tool }: ResolvedCall): AsyncGenerator<Event, Failure | undefined, void> {
  if (tool.ending !== "completed") return undefined;
  for (const check of run.parts.checks) {
    yield { type: "check-start", check: check.name };
    const began = run.parts.runtime.now();
    const { passed, output, exitCode } = await ask(check, run.signal);
    const duration = run.parts.runtime.now() - began;
    const exited = exitCode === undefined ? {} : { exitCode };
    const seen = { check: check.name, passed, output, ...exited, digest: await sha256(output), duration };
    await run.append({ type: "check", callId: call.id, ...seen });
    yield { type: "check-end", check: check.name, passed, output, duration };
    if (!passed) return failedCheck(tool.name, check.name, output);
  }
  return undefined;
}

/** Fails closed: a check that throws or gives no verdict has not passed. */
async function ask(check: Check, signal: AbortSignal): Promise<CheckVerdict> {
  try {
    const verdict: unknown = await unlessAborted(Promise.resolve(check.verify(signal)), signal);
    const { passed, output, exitCode } = (verdict ?? {}) as Partial<Record<keyof CheckVerdict, unknown>>;
    return {
      passed: passed === true,
      output: typeof output === "string" ? output : "The check gave no output.",
      ...(typeof exitCode === "number" && { exitCode }),
    };
  } catch (thrown) {
    signal.throwIfAborted();
    return { passed: false, output: `The check itself failed: ${explain(thrown)}` };
  }
}
