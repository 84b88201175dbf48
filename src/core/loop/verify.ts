// Verify: accepts a claim only if the other calls of the reply succeeded, the checks pass, and its own run succeeds.

import { aroundClaim } from "./around-claim.js";
import { readValue, storeValue, type StoredValue } from "../call/claim-value.js";
import { examine } from "./examine.js";
import { handOver } from "./pass-on.js";
import type { Failure } from "../data/failure.js";
import type { Execution } from "../ports/hook.js";
import { leftAtWork, perform, recordResult, waits, whyUnwritable } from "../call/perform.js";
import { failedCheck, failedSibling, openWork } from "../words/refusals.js";
import type { ClaimRecord } from "../journal/record.js";
import type { ResolvedCall } from "../call/resolve.js";
import type { Run } from "../run/run.js";
import { receiptsOf, stands } from "../journal/state.js";
import type { Tool } from "../ports/tool.js";
import { wait } from "../time/stage.js";
import type { Stage } from "../ports/event.js";

/**
 * Passes the claim through the hooks. Accepts and records it, or records the refusal as the result of its call. It may be parked instead.
 */
export function* verify(run: Run, claim: ResolvedCall): Stage {
  const { call, tool } = claim;
  run.throwIfStopped();
  yield { type: "call-start", call };
  const kept: { value?: StoredValue } = {};
  const execution = yield* aroundClaim(run, claim.frozen, function* () {
    const decided = yield* decide(run, claim);
    // The value is stored as it is now, before a hook sees it.
    if (decided.ok && tool.ending !== "never")
      kept.value = yield* wait(storeValue(run.parts.tools.find(tool.name), decided.value, call));
    return decided;
  });
  run.throwIfLeft();
  if (waits(run, call)) return;
  if (!execution.ok || kept.value === undefined) return yield* recordResult(run, call, execution);
  if (tool.ending === "handed-over") return yield* handOver(run, claim, kept.value.value);
  yield* accept(run, claim, kept.value);
}

/** Decides by the objections, the checks and the claim's own run. For a claim that waits it returns a failure, which nobody records. */
function* decide(run: Run, claim: ResolvedCall): Stage<Execution> {
  const objection = leftAtWork(run, claim) ?? (yield* objectTo(run, claim));
  if (objection !== undefined) return { ok: false, failure: objection };
  const execution = yield* perform(run, claim);
  const unwritable = execution.ok ? whyUnwritable(claim.tool.name, execution.value) : undefined;
  return unwritable === undefined ? execution : { ok: false, failure: unwritable };
}

function* accept(run: Run, claim: ResolvedCall, stored: StoredValue): Stage {
  const { call, tool } = claim;
  const { name: by, ending } = tool;
  if (ending === "never" || ending === "handed-over") return;
  const receipts = ending === "completed" ? receiptsOf(run.state) : [];
  const terms = { ...declaredBy(claim), ...replyTerms(run, tool) };
  const record: ClaimRecord = { type: "claim", callId: call.id, by, ending, ...stored, receipts, ...terms };
  yield* wait(run.append(record));
  yield { type: "claim-accepted", tool: by, value: yield* wait(readValue(run.parts.tools, record)) };
}

/** The parts of a completion that the model declares unverified, in the field that its tool names. Blank texts do not count. */
function declaredBy({ tool, frozen }: ResolvedCall): Pick<ClaimRecord, "unverified"> {
  if (tool.unverified === undefined || tool.ending !== "completed") return {};
  const field = (frozen.input as Readonly<Record<string, unknown>> | null)?.[tool.unverified];
  const texts = Array.isArray(field) ? field.filter((text) => typeof text === "string" && text.trim() !== "") : [];
  return texts.length === 0 ? {} : { unverified: texts as readonly string[] };
}

/** The schema and the expiry of the reply that a claim waits for. */
function replyTerms(run: Run, { name, expiresAfter }: Tool): Pick<ClaimRecord, "replySchema" | "expiresAt"> {
  const replySchema = run.parts.tools.find(name)?.reply?.json;
  return {
    ...(replySchema !== undefined && { replySchema }),
    ...(expiresAfter !== undefined && { expiresAt: run.now + expiresAfter }),
  };
}

/** The failure that refuses the claim before its own run; undefined if nothing speaks against it. */
function* objectTo(run: Run, claim: ResolvedCall): Stage<Failure | undefined> {
  const { failures, background } = run.state;
  // The next agent may know nothing of that work, and could not go on with it after a crash.
  const leavesWork = claim.tool.ending === "completed" || claim.tool.ending === "handed-over";
  if (background.length > 0 && leavesWork) return openWork(claim.tool.name, background);
  return failures.length > 0 ? failedSibling(claim.tool.name, failures) : yield* passChecks(run, claim);
}

/**
 * Runs the checks in order until one fails that is no advice, for a completing claim only: a question needs no checks. In a closing
 * iteration with the reason `check_passed`, a check that still stands is not run again.
 */
function* passChecks(run: Run, claim: ResolvedCall): Stage<Failure | undefined> {
  if (claim.tool.ending !== "completed") return undefined;
  const wasGreen = run.state.closing?.reason === "check_passed";
  for (const check of run.parts.checks) {
    if (wasGreen && stands(run.state, check)) continue;
    const { passed, output } = yield* examine(run, check, { when: "claim", claim });
    if (!passed && check.kind !== "advice") return failedCheck(claim.tool.name, check.name, output);
  }
  return undefined;
}
