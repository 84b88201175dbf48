// Checks made of a function, and of other checks.

import { explain, LastcallError, type Check, type CheckVerdict } from "../core/index.js";

/**
 * A check that asks a function, which answers yes or no, or gives a verdict. A plain `false` tells the model no more than
 * the name, so give words where there are any.
 */
export function predicate(
  name: string,
  ask: (signal: AbortSignal) => boolean | CheckVerdict | Promise<boolean | CheckVerdict>,
): Check {
  return {
    name,
    async verify(signal) {
      const answer = await ask(signal);
      if (typeof answer !== "boolean") return answer;
      return { passed: answer, output: answer ? "It holds." : "It does not hold." };
    },
  };
}

/**
 * A check that passes where all of these do; they run in order, up to the first that fails.
 * @throws LastcallError `configuration` where there are none.
 */
export function all(...checks: readonly Check[]): Check {
  return combined("all", checks, false);
}

/**
 * A check that passes where one of these does; they run in order, up to the first that passes.
 * @throws LastcallError `configuration` where there are none.
 */
export function any(...checks: readonly Check[]): Check {
  return combined("any", checks, true);
}

/** Runs checks until one gives the verdict that decides. */
function combined(word: string, checks: readonly Check[], decides: boolean): Check {
  if (checks.length === 0) throw new LastcallError("configuration", `${word}() needs at least one check.`);
  return {
    name: `${word} of: ${checks.map(({ name }) => name).join(", ")}`,
    async verify(signal) {
      const seen: string[] = [];
      for (const check of checks) {
        const { passed, output } = await verdictOf(check, signal);
        seen.push(`${check.name}: ${passed ? "passed" : `failed\n${output}`}`);
        if (passed === decides) return { passed, output: seen.join("\n") };
      }
      return { passed: !decides, output: seen.join("\n") };
    },
  };
}

/** What throws has not passed, here as in the loop. */
async function verdictOf(check: Check, signal: AbortSignal): Promise<CheckVerdict> {
  try {
    return await check.verify(signal);
  } catch (thrown) {
    signal.throwIfAborted();
    return { passed: false, output: `The check itself failed: ${explain(thrown)}` };
  }
}
