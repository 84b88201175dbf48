// Checks made of a function, and of other checks.

import { LastcallError, type Check, type CheckContext, type CheckVerdict, type Json } from "../core/index.js";
import { explain } from "../core/internal.js";

/** When a check is run, besides at completing claims. */
export interface PredicateOptions {
  /** `iteration`: also after each iteration that changed something. Default `claim`. */
  readonly every?: "claim" | "iteration" | undefined;
}

/**
 * A check that asks a function, which answers yes or no, or gives a verdict. A plain `false` tells the model no more than
 * the name, so give words where there are any. Before the first request there is no claim in its context.
 */
export function predicate(
  name: string,
  ask: (context: CheckContext) => boolean | CheckVerdict | Promise<boolean | CheckVerdict>,
  { every = "claim" }: PredicateOptions = {},
): Check {
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
 * A check that passes where all of these do; they run in order, up to the first that fails. It is run after iterations where
 * one of them is, and a model's opinion alone where all of them are.
 * @throws LastcallError `configuration` where there are none.
 */
export function all(...checks: readonly Check[]): Check {
  return combined("all", checks, false);
}

/**
 * A check that passes where one of these does; they run in order, up to the first that passes. It is run after iterations
 * where one of them is, and a model's opinion alone where one of them is.
 * @throws LastcallError `configuration` where there are none.
 */
export function any(...checks: readonly Check[]): Check {
  return combined("any", checks, true);
}

/** Runs checks until one gives the verdict that decides. */
function combined(word: "all" | "any", checks: readonly Check[], decides: boolean): Check {
  if (checks.length === 0) throw new LastcallError("configuration", `${word}() needs at least one check.`);
  const opinions = checks.filter(({ judged }) => judged === true).length;
  return {
    name: `${word} of: ${checks.map(({ name }) => name).join(", ")}`,
    every: checks.some(({ every }) => every === "iteration") ? "iteration" : "claim",
    judged: word === "all" ? opinions === checks.length : opinions > 0,
    async begin(signal) {
      const begun: Json[] = [];
      for (const check of checks) begun.push((await check.begin?.(signal)) ?? null);
      return begun;
    },
    async verify(context) {
      const seen: CheckVerdict[] = [];
      for (const [index, check] of checks.entries()) {
        const verdict = await verdictOf(check, contextFor(context, index));
        seen.push({ ...verdict, output: describe(check, verdict) });
        if (verdict.passed === decides) return together(decides, seen);
      }
      return together(!decides, seen);
    },
  };
}

function describe({ name }: Check, { passed, output }: CheckVerdict): string {
  return `${name}: ${passed ? "passed" : `failed\n${output}`}`;
}

/** Each check is reminded of what it itself began with. */
function contextFor(context: CheckContext, index: number): CheckContext {
  const { begun: all, ...rest } = context;
  const begun = Array.isArray(all) ? (all[index] as Json | undefined) : undefined;
  return begun === undefined || begun === null ? rest : { ...rest, begun };
}

function together(passed: boolean, seen: readonly CheckVerdict[]): CheckVerdict {
  const changed = [...new Set(seen.flatMap((verdict) => verdict.changed ?? []))];
  const asked = seen.flatMap((verdict) => verdict.asked ?? []);
  return {
    passed,
    output: seen.map(({ output }) => output).join("\n"),
    ...(changed.length > 0 && { changed }),
    ...(asked.length > 0 && { asked }),
  };
}

/** What throws has not passed, here as in the loop. */
async function verdictOf(check: Check, context: CheckContext): Promise<CheckVerdict> {
  try {
    return await check.verify(context);
  } catch (thrown) {
    context.signal.throwIfAborted();
    return { passed: false, output: `The check itself failed: ${explain(thrown)}` };
  }
}
