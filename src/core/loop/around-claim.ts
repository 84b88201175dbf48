// Passes a claim through the `claim` hooks. A hook can refuse a claim; none can accept one.

import { LastcallError } from "../data/fault.js";
import { inContext, type Execution, type NextClaim } from "../ports/hook.js";
import type { FrozenCall } from "../ports/permission.js";
import type { Run } from "../run/run.js";
import { sourceOf, stageOf } from "../time/stage.js";
import type { Stage } from "../ports/event.js";

type Deciding = ReturnType<NextClaim>;
type ClaimHook = (claim: FrozenCall, next: NextClaim, signal: AbortSignal) => Deciding;

/**
 * Decides a claim: `decide`, surrounded by the hooks. The first hook is the outermost.
 * @throws LastcallError `configuration` for a hook that accepts what was not accepted, changes the value, or calls `next` twice.
 */
export function aroundClaim(run: Run, claim: FrozenCall, decide: () => Stage<Execution>): Stage<Execution> {
  const hooks = run.parts.hooks.flatMap((hook) => inContext(hook.claim?.bind(hook), run.context) ?? []);
  const surround =
    (next: NextClaim, hook: ClaimHook): NextClaim =>
    () =>
      bounded((rest) => hook(claim, rest, run.signal), next);
  return hooks.length === 0 ? decide() : stageOf(hooks.reduceRight(surround, () => sourceOf(decide()))());
}

/** Runs one hook around the rest. It decides as the rest does, or refuses. */
async function* bounded(hook: (next: NextClaim) => Deciding, next: NextClaim): Deciding {
  let isDecided = false;
  let decided: Execution | undefined;
  const rest: NextClaim = async function* () {
    if (isDecided) throw wrong("called `next` twice, and a claim is decided once");
    isDecided = true;
    // A hook that writes into the decision gets its own error.
    decided = Object.freeze({ ...(yield* next()) });
    return decided;
  };
  const given = (yield* hook(rest)) as Partial<Execution> | undefined;
  if (given?.ok === false && given.failure !== undefined) return given as Execution;
  if (given?.ok === true && given === decided) return decided;
  if (given?.ok !== true) throw wrong("returned no decision: return that of `next`, or { ok: false, failure }");
  if (decided?.ok === true) throw wrong("changed the value of a claim: return the decision of `next` as it is");
  const what = decided === undefined ? "was not decided by `next`" : "was refused";
  throw wrong(`accepted a claim that ${what}: done is a check, so a hook may refuse a claim and never accept one`);
}

function wrong(problem: string): LastcallError {
  return new LastcallError("configuration", `The \`claim\` of a hook ${problem}.`);
}
