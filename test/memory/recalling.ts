// What a memory is recalled with in tests: sizes by rule, records numbered as a run numbers them, nobody to consult.

import type { Memory, Recalling } from "../../src/core/index.js";

/** Recalls for this memory; three characters a token unless told otherwise. */
export function recalling(memory: Memory, more: Partial<Recalling> = {}): Recalling {
  return {
    signal: new AbortController().signal,
    overflowed: false,
    compact: false,
    measured: true,
    reader: "read_result",
    tokensOf: (characters) => Math.ceil(characters / 3),
    append: async (record) =>
      memory.append({ ...record, seq: memory.records.length, at: 1000 + memory.records.length }),
    consult: () => Promise.resolve(undefined),
    fold: (folding, summarize) => summarize(folding),
    ...more,
  };
}
