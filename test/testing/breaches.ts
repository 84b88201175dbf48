// Runs a conformance suite on something and says which of its cases it breaches.

import type { ConformanceCase } from "../../src/testing/index.js";

/** The names of the cases that fail, in order; all cases run at the same time. */
export async function breaches(cases: readonly ConformanceCase[]): Promise<readonly string[]> {
  const found = await Promise.all(
    cases.map(async ({ name, run }) => {
      try {
        await run();
        return [];
      } catch (thrown) {
        if (!(thrown instanceof Error) || thrown.message === "") throw new Error(`${name} threw no words`);
        return [name];
      }
    }),
  );
  return found.flat();
}
