// Examine: runs one check and records its verdict.

import { unlessAborted } from "../time/abort.js";
import type { Check, CheckContext, CheckVerdict } from "../ports/check.js";
import { noUsage, type Usage } from "../data/call.js";
import { explain } from "../data/fault.js";
import type { Json } from "../data/json.js";
import { sha256 } from "../journal/verify-receipt.js";
import type { CheckRecord } from "../journal/record.js";
import type { ResolvedCall } from "../call/resolve.js";
import { redactThrown } from "../run/redaction.js";
import type { Run } from "../run/run.js";
import { describeThrown, type Thrown } from "../data/thrown.js";
import { sound } from "../text/sound.js";
import { addSpent, dearest, nothingSpent, priceOf, spentOn, type Spent } from "../journal/spent.js";
import { wait } from "../time/stage.js";
import type { Stage } from "../ports/event.js";

/** The reason to run a check: the baseline, with the data of each `begin`, which has no record yet; a changed iteration; or a claim. */
export type CheckTrigger =
  | { readonly when: "baseline"; readonly begun: Readonly<Record<string, Json>> }
  | { readonly when: "iteration" }
  | { readonly when: "claim"; readonly claim: ResolvedCall };

/** Runs the check, records its verdict, and returns the record. */
export function* examine(run: Run, check: Check, trigger: CheckTrigger): Stage<CheckRecord> {
  const { when } = trigger;
  const { name, judged = false, kind } = check;
  const claim = trigger.when === "claim" && { callId: trigger.claim.call.id };
  const key = run.key(`check:${String(run.state.seq)}`);
  yield { type: "check-start", check: name, when, key, ...claim };
  const startedAt = run.parts.runtime.now();
  const { verdict, spent, error } = yield* wait(verify(run, check, { trigger, key }));
  const duration = run.parts.runtime.now() - startedAt;
  const { passed } = verdict;
  const output = run.parts.secrets.text(sound(verdict.output));
  const record: CheckRecord = {
    type: "check",
    when,
    ...claim,
    check: name,
    ...verdict,
    output,
    digest: yield* wait(sha256(output)),
    duration,
    ...(judged && { judged }),
    ...(kind !== undefined && { kind }),
    ...(spent !== undefined && { spent }),
  };
  yield* wait(run.append(record));
  const { changed = [] } = verdict;
  const more = { ...(kind !== undefined && { kind }), ...(error && { error }) };
  yield { type: "check-end", check: name, when, passed, output, duration, changed, ...more };
  return record;
}

/** One verification: the reason for it, and its effect key. */
interface Verification {
  readonly trigger: CheckTrigger;
  readonly key: string;
}

/** The fields of a verdict that are recorded. */
type StoredVerdict = Pick<CheckVerdict, "passed" | "output" | "exitCode" | "changed">;

/** Asks the check. Fails closed: a check that throws or returns no verdict has not passed. */
async function verify(
  run: Run,
  check: Check,
  verification: Verification,
): Promise<{ readonly verdict: StoredVerdict; readonly spent?: Spent; readonly error?: Thrown }> {
  const { signal, parts } = run;
  try {
    const answer: unknown = await unlessAborted(
      Promise.resolve(check.verify(contextFor(run, check, verification))),
      signal,
    );
    const { passed, output, exitCode, changed, asked } = (answer ?? {}) as Partial<Record<keyof CheckVerdict, unknown>>;
    const verdict = {
      passed: passed === true,
      output: typeof output === "string" ? output : "The check gave no output.",
      ...(typeof exitCode === "number" && { exitCode }),
      ...(Array.isArray(changed) && changed.length > 0 && { changed: changed.map(String) }),
    };
    return Array.isArray(asked)
      ? { verdict, spent: asked.map((consultation) => spentOnModel(run, consultation)).reduce(addSpent, nothingSpent) }
      : { verdict };
  } catch (thrown) {
    signal.throwIfAborted();
    const verdict = { passed: false, output: `The check itself failed: ${explain(thrown)}` };
    return { verdict, error: describeThrown(redactThrown(parts.secrets, thrown)) };
  }
}

function contextFor(run: Run, { name }: Check, { trigger, key }: Verification): CheckContext {
  const { signal, state, memory } = run;
  const begun = (trigger.when === "baseline" ? trigger.begun : state.baseline.begun)?.[name];
  const { when } = trigger;
  return {
    key,
    signal,
    when,
    ...(trigger.when === "claim" && { claim: { by: trigger.claim.tool.name, input: trigger.claim.frozen.input } }),
    records: memory.records,
    ...(begun !== undefined && { begun }),
  };
}

/** The spending of one request that a check made. A model without a price costs as much as the most expensive model with one. */
function spentOnModel({ parts }: Run, consultation: unknown): Spent {
  const { model, usage } = consultation as { readonly model: unknown; readonly usage: Partial<Usage> };
  const { prices } = parts.limits;
  return spentOn({ ...noUsage, ...usage }, priceOf(String(model), prices) ?? dearest(prices));
}
