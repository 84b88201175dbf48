// Finding rows by their words.

import type { Row } from "./row.js";

/** The places of the rows that have all the words, in small letters. */
export function search(rows: readonly Row[], query: string): readonly number[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return rows.flatMap((row, at) => {
    const text = textOf(row).toLowerCase();
    return words.every((word) => text.includes(word)) ? [at] : [];
  });
}

function textOf(row: Row): string {
  if (row.kind === "event") return `${row.label} ${row.text}`;
  const calls = row.calls.map((call) => `${call.name} ${call.result?.failure ?? ""} ${call.result?.text ?? ""}`);
  const checks = row.checks.map(({ check, passed }) => `${check} ${passed ? "passed" : "failed"}`);
  return [`iteration ${String(row.iteration)}`, row.text, ...calls, ...checks, ...row.failures].join(" ");
}
