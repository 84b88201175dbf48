// The inputs of a session: each is in its journal exactly once, or somebody was told that it came too late.

import type { JournalRecord } from "../../../src/core/index.js";
import type { EndedSession } from "./check-world.js";

/** @throws Error that names an input that was lost, or taken twice. */
export function checkInputs({ records, inputs, isSkewed }: EndedSession): void {
  const takers = new Map<string, JournalRecord[]>();
  const answered = new Set<string>();
  for (const record of records) {
    if (!mayTake.has(record.type)) continue;
    const taken = /<(s\d+-\d+)>/.exec(JSON.stringify(record))?.[1];
    if (taken !== undefined) takers.set(taken, [...(takers.get(taken) ?? []), record]);
    if (!("answers" in record) || record.answers === undefined) continue;
    if (answered.has(record.answers)) throw new Error(`${record.answers} was answered twice`);
    answered.add(record.answers);
  }
  for (const { id: input, ending, answers } of inputs) {
    const times = takers.get(input)?.length ?? 0;
    if (times > 1) throw new Error(`the input ${input} was taken ${String(times)} times`);
    if (ending === undefined) throw new Error(`the input ${input} has no end`);
    for (const taker of takers.get(input) ?? []) {
      const taken = "answers" in taker ? taker.answers : undefined;
      if (answers !== undefined && taken !== answers)
        throw new Error(`the answer ${input} was taken as something else`);
    }
    // Workers whose clocks differ need not agree on whether a question has expired.
    if (answers !== undefined && ending === "too late" && answered.has(answers) && !isSkewed)
      throw new Error(`the answer ${input} did not join the one before it`);
    const isSuperseded = answers !== undefined && (ending === "too late" || answered.has(answers));
    if (times === 0 && !isSuperseded)
      throw new Error(`the input ${input} was lost: it is ${ending}, and not in the journal`);
  }
}

const mayTake: ReadonlySet<JournalRecord["type"]> = new Set(["input", "steer", "answer", "approval"]);
