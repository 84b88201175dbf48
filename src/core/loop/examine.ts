// Examine: one check is run, and what it said is recorded.

import { unlessAborted } from "../time/abort.js";
import type { Check, CheckContext, CheckVerdict } from "../ports/check.js";
import { noUsage, type Usage } from "../data/call.js";
import type { Event } from "../ports/event.js";
import { explain } from "../data/fault.js";
import type { Json } from "../data/json.js";
import { sha256 } from "../journal/verify-receipt.js";
import type { CheckRecord } from "../journal/record.js";
import type { ResolvedCall } from "../call/resolve.js";
import type { Run } from "../run/run.js";
import { addSpent, dearest, nothingSpent, priceOf, spentOn, type Spent } from "../journal/spent.js";

/** When, for which claim if it is for one, and what the checks began with where that is not recorded yet. */
export type Occasion =
  | { readonly when: "baseline"; readonly begun: Readonly<Record<string, Json>> }
  | { readonly when: "iteration" }
  | { readonly when: "claim"; readonly claim: ResolvedCall };

/** Runs the check. */
export async function* examine(run: Run, check: Check, occasion: Occasion): AsyncGenerator<Event, CheckRecord, void> {
  const { when } = occasion;
  const { name, judged = false } = check;
  yield { type: "check-start", check: name, when };
  const began = run.parts.runtime.now();
  const { verdict, spent } = await ask(run, check, occasion);
  const duration = run.parts.runtime.now() - began;
  const { passed } = verdict;
  const output = run.parts.secrets.text(verdict.output);
  const record: CheckRecord = {
    type: "check",
    when,
    ...(occasion.when === "claim" && { callId: occasion.claim.call.id }),
    check: name,
    ...verdict,
    output,
    digest: await sha256(output),
    duration,
    ...(judged && { judged }),
    ...(spent !== undefined && { spent }),
  };
  await run.append(record);
  const { changed = [] } = verdict;
  yield { type: "check-end", check: name, when, passed, output, duration, changed };
  return record;
}

/** What is kept of a verdict. */
type Kept = Pick<CheckVerdict, "passed" | "output" | "exitCode" | "changed">;

/** Fails closed: a check that throws or gives no verdict has not passed. */
async function ask(
  run: Run,
  check: Check,
  occasion: Occasion,
): Promise<{ readonly verdict: Kept; readonly spent?: Spent }> {
  const { signal } = run;
  try {
    const asked: unknown = await unlessAborted(Promise.resolve(check.verify(contextFor(run, check, occasion))), signal);
    const {
      passed,
      output,
      exitCode,
      changed,
      asked: asks,
    } = (asked ?? {}) as Partial<Record<keyof CheckVerdict, unknown>>;
    const verdict = {
      passed: passed === true,
      output: typeof output === "string" ? output : "The check gave no output.",
      ...(typeof exitCode === "number" && { exitCode }),
      ...(Array.isArray(changed) && changed.length > 0 && { changed: changed.map(String) }),
    };
    return Array.isArray(asks)
      ? { verdict, spent: asks.map((ask) => spentBy(run, ask)).reduce(addSpent, nothingSpent) }
      : { verdict };
  } catch (thrown) {
    signal.throwIfAborted();
    return { verdict: { passed: false, output: `The check itself failed: ${explain(thrown)}` } };
  }
}

function contextFor(run: Run, { name }: Check, occasion: Occasion): CheckContext {
  const { signal, state, memory } = run;
  const begun = (occasion.when === "baseline" ? occasion.begun : state.baseline.begun)?.[name];
  const { when } = occasion;
  return {
    key: run.key(`check:${String(state.seq)}`),
    signal,
    when,
    ...(occasion.when === "claim" && { claim: { by: occasion.claim.tool.name, input: occasion.claim.frozen.input } }),
    records: memory.records,
    ...(begun !== undefined && { begun }),
  };
}

/** A model without a price counts as the dearest of those that have one. */
function spentBy({ parts }: Run, asked: unknown): Spent {
  const { model, usage } = asked as { readonly model: unknown; readonly usage: Partial<Usage> };
  const { prices } = parts.limits;
  return spentOn({ ...noUsage, ...usage }, priceOf(String(model), prices) ?? dearest(prices));
}
