// Checks made from a function, and from other checks.

import { LastcallError, type Check, type CheckContext, type CheckVerdict, type Json } from "../core/index.js";
import { checkOptions, expectKind, choiceOf, type OptionKinds, explain } from "../core/internal.js";

/** When a check runs, besides at completing claims. */
export interface PredicateOptions {
  /** `iteration`: also after each iteration that changed something. Default `claim`. */
  readonly every?: "claim" | "iteration" | undefined;
}

/**
 * A check that calls a function, which answers yes or no, or returns a verdict. A plain `false` tells the model only
 * the name of the check, so return a verdict with words if you can. Before the first request, the context has no claim.
 */
export function predicate(
  name: string,
  ask: (context: CheckContext) => boolean | CheckVerdict | Promise<boolean | CheckVerdict>,
  options: PredicateOptions = {},
): Check {
  expectKind("The name of predicate", name, "text");
  expectKind("The function of predicate", ask, "function");
  checkOptions("predicate", options, { every: choiceOf("claim", "iteration") } satisfies OptionKinds<PredicateOptions>);
  const { every = "claim" } = options;
  return {
    name,
    every,
    async verify(context) {
      const answer = await ask(context);
      if (typeof answer !== "boolean") return answer;
      return { passed: answer, output: answer ? "It holds." : "It does not hold." };
    },
  };
}

/**
 * A check that passes if all of these pass. They run in order, up to the first that fails. It runs after iterations if
 * a check of the list does. It counts as a model's opinion only if all are opinions.
 * Of rules alone it makes a rule, of advice alone advice, and otherwise a goal.
 * @throws LastcallError `configuration` without checks.
 */
export function all(...checks: readonly Check[]): Check {
  return combined("all", checks, false);
}

/**
 * A check that passes if one of these passes. They run in order, up to the first that passes. It runs after iterations
 * if a check of the list does. It counts as a model's opinion if a check is an opinion.
 * Of rules alone it makes a rule, of advice alone advice, and otherwise a goal.
 * @throws LastcallError `configuration` without checks.
 */
export function any(...checks: readonly Check[]): Check {
  return combined("any", checks, true);
}

/** Runs checks until one returns the deciding verdict: `decides`, passed or failed. */
function combined(word: "all" | "any", checks: readonly Check[], decides: boolean): Check {
  if (checks.length === 0) throw new LastcallError("configuration", `${word}() needs at least one check.`);
  const [kind, ...others] = new Set(checks.map((check) => check.kind));
  const opinions = checks.filter(({ judged }) => judged === true).length;
  return {
    name: `${word} of: ${checks.map(({ name }) => name).join(", ")}`,
    every: checks.some(({ every }) => every === "iteration") ? "iteration" : "claim",
    judged: word === "all" ? opinions === checks.length : opinions > 0,
    ...(kind !== undefined && others.length === 0 && { kind }),
    async begin(signal) {
      const begun: Json[] = [];
      for (const check of checks) begun.push((await check.begin?.(signal)) ?? null);
      return begun;
    },
    async verify(context) {
      const verdicts: CheckVerdict[] = [];
      for (const [index, check] of checks.entries()) {
        const verdict = await verdictOf(check, contextFor(context, index));
        verdicts.push({ ...verdict, output: describe(check, verdict) });
        if (verdict.passed === decides) return combineVerdicts(decides, verdicts);
      }
      return combineVerdicts(!decides, verdicts);
    },
  };
}

function describe({ name }: Check, { passed, output }: CheckVerdict): string {
  return `${name}: ${passed ? "passed" : `failed\n${output}`}`;
}

/** Gives each check the value that its own `begin` returned. */
function contextFor(context: CheckContext, index: number): CheckContext {
  const { begun: all, ...rest } = context;
  const begun = Array.isArray(all) ? (all[index] as Json | undefined) : undefined;
  return begun === undefined || begun === null ? rest : { ...rest, begun };
}

function combineVerdicts(passed: boolean, verdicts: readonly CheckVerdict[]): CheckVerdict {
  const changed = [...new Set(verdicts.flatMap((verdict) => verdict.changed ?? []))];
  const asked = verdicts.flatMap((verdict) => verdict.asked ?? []);
  return {
    passed,
    output: verdicts.map(({ output }) => output).join("\n"),
    ...(changed.length > 0 && { changed }),
    ...(asked.length > 0 && { asked }),
  };
}

/** A check that throws has not passed, here as in the loop. */
async function verdictOf(check: Check, context: CheckContext): Promise<CheckVerdict> {
  try {
    return await check.verify(context);
  } catch (thrown) {
    context.signal.throwIfAborted();
    return { passed: false, output: `The check itself failed: ${explain(thrown)}` };
  }
}
