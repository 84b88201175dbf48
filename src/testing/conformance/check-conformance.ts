// Conformance of checks: one case per sentence of the contract of the check port, tested alone and in an agent.

import type { Check, CheckContext } from "../../core/index.js";
import type { CheckRecord } from "../../core/internal.js";
import { settleSoon, withPort, type ConformanceCase, type Disposable } from "./conformance.js";
import { demand, demandEqual, show } from "../oracle/demand.js";
import { finish, hostedRun } from "./hosted.js";
import { call } from "../scripted/script.js";

/**
 * Makes the check in surroundings in which it passes, or in which it fails. Its `Symbol.asyncDispose`, if any, is called after
 * each case.
 */
export type CheckMaker = (passes: boolean) => Disposable<Check> | Promise<Disposable<Check>>;

/** The context of a check in a session without records. */
function asked(signal = new AbortController().signal): CheckContext {
  return { key: "session/1/check:1", signal, when: "claim", claim: { by: finish.name, input: {} }, records: [] };
}

/** The cases of the check port. */
export function checkConformance(make: CheckMaker): readonly ConformanceCase[] {
  const both = (name: string, work: (check: Check, passes: boolean) => Promise<void>): ConformanceCase => ({
    name,
    run: async () => {
      for (const passes of [true, false])
        await withPort(
          () => make(passes),
          (check) => work(check, passes),
        );
    },
  });
  return [
    both("returns a verdict for a no as for a yes", async (check, passes) => {
      const verdict: unknown = await check.verify(asked());
      const { passed, output } = (verdict ?? {}) as Partial<Record<"passed" | "output", unknown>>;
      demandEqual(passed, passes, `passed, in a verdict that is ${show(verdict)}`);
      demand(typeof output === "string", `the output of its verdict must be a text: ${show(verdict)}`);
    }),
    both("has a name", async ({ name }) => {
      demand(typeof (name as unknown) === "string" && name !== "", `its name is ${show(name)}`);
    }),
    both("changes nothing: asked again, it says the same", async (check, passes) => {
      for (const time of ["first", "second", "third"]) {
        const { passed } = await check.verify(asked());
        demandEqual(passed, passes, `passed, the ${time} time`);
      }
    }),
    both("settles soon after an abort", async (check) => {
      await settleSoon((async () => check.verify(asked(AbortSignal.abort())))(), "verify, asked after the abort,");
      const abort = new AbortController();
      const verifying = (async () => check.verify(asked(abort.signal)))();
      abort.abort();
      await settleSoon(verifying, "verify");
    }),
    both("a completion is accepted where it passed, and refused with its output where not", async (check, passes) => {
      const { status, session } = await hostedRun([[call(finish.name)]], { checks: [check], maxAttempts: 1 });
      demandEqual(status, passes ? "completed" : "stopped", "how the run ended");
      const record = session.records.find((one): one is CheckRecord & typeof one => one.type === "check");
      demand(record !== undefined, "the journal has no record of the check");
      demandEqual(record.passed, passes, "passed, in the journal");
      const told = session.records.flatMap((one) => (one.type === "result" ? [one.result.text] : [])).join("\n");
      demand(
        passes || told.includes(record.output),
        `the model was told ${show(told)}, and not ${show(record.output)}`,
      );
    }),
  ];
}
