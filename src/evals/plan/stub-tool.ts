// Tools with scripted results, for trials whose world must be the same each time.

import { LastcallError, type JournalRecord, type Tool } from "../../core/index.js";

/** One scripted result: a value, or an error that the call throws. */
export type StubStep = unknown;

/**
 * The tool with scripted results. The steps that the session has taken are counted from its records when the call begins, so a session that
 * goes on takes the next step.
 * @throws LastcallError `configuration` without steps.
 */
export function stubbed<Stubbed extends Tool>(tool: Stubbed, steps: readonly StubStep[]): Stubbed {
  if (steps.length === 0)
    throw new LastcallError("configuration", `stub(${tool.name}) needs at least one step: a value, or an Error.`);
  let begun = 0;
  const run: Tool["run"] = (_input, { records }) => {
    // Calls that run side by side have no results yet.
    const at = Math.max(begun, taken(records, tool.name));
    begun = at + 1;
    const step = steps[Math.min(at, steps.length - 1)];
    if (step instanceof Error) throw step;
    return step;
  };
  return { ...tool, run };
}

function taken(records: readonly JournalRecord[], name: string): number {
  return records.filter((record) => record.type === "result" && record.result.name === name).length;
}
