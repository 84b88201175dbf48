// The parts of a replayed agent that decide: permission, checks, hooks and memory, without a person, a command or a model.

import type {
  AnyPermission,
  Check,
  CheckVerdict,
  Decision,
  Hook,
  Json,
  Later,
  MemoryFactory,
} from "../../core/index.js";
import { checkPlace, effectOf, type RecordedCall } from "./recording.js";
import type { Replaying } from "./replaying.js";

/** The permission of a replay: what it decides unasked, and the recorded decision where it would ask a person. */
export function recordedPermission(own: AnyPermission, replaying: Replaying): AnyPermission {
  const { recording } = replaying;
  return {
    ...own,
    async decide(call, deciding) {
      if (deciding.approval !== undefined) return own.decide(call, deciding);
      const { announce: _announce, ...quiet } = deciding;
      const unasked = await own.unasked?.(call, quiet);
      if (unasked !== undefined) return unasked;
      if (own.unasked === undefined)
        replaying.remark("The permission says of no call that it needs nobody for it: its recorded decisions count.");
      const known = recording.call(effectOf(call.id, recording.session.id));
      return recordedDecision(known, { replaying, asks: own.unasked !== undefined });
    },
  };
}

/** The decision of the recording, in the name of a person if one would be asked now. */
function recordedDecision(
  call: RecordedCall | undefined,
  { replaying, asks }: { readonly replaying: Replaying; readonly asks: boolean },
): Decision | Later {
  const decision = call?.decisions[0];
  if (decision === undefined)
    return { allowed: false, reason: "a person would be asked, and a replay asks nobody", basis: "approver" };
  if (decision.type === "parked") {
    const { reason, expiresAt, at } = decision;
    replaying.clock.reach(at);
    return { later: true, reason, ...(expiresAt !== undefined && { expiresAfter: Math.max(1, expiresAt - at) }) };
  }
  const { allowed, reason, basis, opens } = decision;
  if (basis === "approver") replaying.clock.skip(decision.at);
  // A yes for the rest of the session was a person's, too.
  const known = asks && basis !== "grant" ? "approver" : basis;
  return {
    allowed,
    reason,
    ...(known !== undefined && { basis: known }),
    ...(opens !== undefined && { opens }),
  };
}

/**
 * The check with recorded verdicts. It runs only if everything does, and its verdict is no model's opinion, and no rule: a rule may look at
 * what the run recorded.
 */
export function recordedCheck(check: Check, replaying: Replaying): Check {
  if (replaying.tools === "live" && check.judged !== true && check.kind === undefined) return check;
  const { recording } = replaying;
  const taken = new Map<string, number>();
  return {
    ...check,
    begin: () => recording.begun(check.name) as Json,
    verify({ when }): CheckVerdict {
      const where = checkPlace(replaying.place, when, check.name);
      const verdicts = recording.checks(where);
      const at = taken.get(where) ?? 0;
      taken.set(where, at + 1);
      const verdict = verdicts[at] ?? verdicts.at(-1);
      if (verdict === undefined) {
        replaying.remark(`The check ${check.name} has no recorded verdict: it was not run, and counts as passed.`);
        return { passed: true, output: "It was not run: the recording has no verdict." };
      }
      replaying.clock.reach(verdict.at);
      const { passed, output, exitCode, changed } = verdict;
      return { passed, output, ...(exitCode !== undefined && { exitCode }), ...(changed !== undefined && { changed }) };
    },
  };
}

/** The hooks that decide. Results have the words of all others already. */
export function decidingHooks(hooks: readonly Hook[]): readonly Hook[] {
  return hooks
    .map((hook): Hook => ({
      ...(hook.claim !== undefined && { claim: hook.claim.bind(hook) }),
      ...(hook.veto !== undefined && { veto: hook.veto.bind(hook) }),
    }))
    .filter((hook) => Object.keys(hook).length > 0);
}

/** The hook that gives the recorded summaries. */
export function recordedFolds(replaying: Replaying): Hook {
  return {
    async *fold(folding, next) {
      const { recording, place } = replaying;
      const fold = recording.fold(place);
      if (fold === undefined || fold.by === "rule") return yield* next(folding);
      return fold.summary.slice(fold.summary.indexOf("\n\n") + 2);
    },
  };
}

/** The memory that asks no model. */
export function withoutConsulting(memory: MemoryFactory): MemoryFactory {
  return (session) => {
    const own = memory(session);
    return {
      get records() {
        return own.records;
      },
      append: (record) => own.append(record),
      recall: (recalling) => own.recall({ ...recalling, consult: () => Promise.resolve(undefined) }),
    };
  };
}
