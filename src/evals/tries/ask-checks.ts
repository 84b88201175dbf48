// The checks of an agent, asked once more outside of a run, and checks that remember how a task began.

import type { Check, CheckVerdict, Json, Session } from "../../core/index.js";
import { explain } from "../../core/internal.js";

/** A check that has failed, and its output. */
export interface FailedCheck {
  readonly check: string;
  readonly output: string;
}

/** The session whose task the checks are about. */
interface Asked {
  /** The session in which the task began: it has the facts that the checks began with. */
  readonly first: Session;
  /** The session whose work is looked at. */
  readonly session: Session;
  readonly signal: AbortSignal;
}

/**
 * The checks that can be asked outside of a run: goals that are no opinions. A rule decides on claims, and may look at what the run
 * recorded. Advice decides nothing.
 */
export function truthsOf(checks: readonly Check[]): readonly Check[] {
  return checks.filter(({ judged, kind }) => judged !== true && kind === undefined);
}

/** Asks the checks in order, up to the first that fails. Undefined if all pass. A check that throws has failed. */
export async function firstFailure(
  checks: readonly Check[],
  { first, session, signal }: Asked,
): Promise<FailedCheck | undefined> {
  const begun = begunIn(first);
  for (const check of checks) {
    const facts = begun[check.name];
    const context = {
      ...({ key: `${session.id}/again`, signal, when: "iteration", records: session.records } as const),
      ...(facts !== undefined && { begun: facts }),
    };
    const { passed, output } = await verdictOf(() => check.verify(context), signal);
    if (!passed) return { check: check.name, output };
  }
  return undefined;
}

/** The checks, which begin with the facts of the session in which the task began. */
export function beginningWith(checks: readonly Check[], first: Session): readonly Check[] {
  const begun = begunIn(first);
  return checks.map((check) => ({
    ...check,
    verify: (context) => check.verify(context),
    begin: async (signal) => begun[check.name] ?? (await check.begin?.(signal)) ?? null,
  }));
}

/** True if a goal had failed before the task began, so that a pass proves something. */
export function hadFailed({ records }: Session): boolean {
  return records.some(
    (record) => record.type === "check" && record.when === "baseline" && record.kind === undefined && !record.passed,
  );
}

/** The facts that the checks began with. */
function begunIn({ records }: Session): Readonly<Record<string, Json>> {
  const baseline = records.find((record) => record.type === "baseline");
  return baseline?.type === "baseline" ? baseline.begun : {};
}

async function verdictOf(ask: () => CheckVerdict | Promise<CheckVerdict>, signal: AbortSignal): Promise<CheckVerdict> {
  try {
    return await ask();
  } catch (thrown) {
    signal.throwIfAborted();
    return { passed: false, output: `The check itself failed: ${explain(thrown)}` };
  }
}
