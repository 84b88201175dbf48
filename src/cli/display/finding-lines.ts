// The findings of a review in lines, for people and for programs that read `file:line`.

import { isPlainObject } from "../../core/internal.js";
import type { ReviewFindings } from "../../tools/index.js";
import { visible } from "./visible.js";

/** The findings in the value of a tool that ended a run; undefined if it is another tool. */
export function findingsIn(by: string, value: unknown): ReviewFindings | undefined {
  if (by !== "report_findings" || !isPlainObject(value)) return undefined;
  const { findings, summary } = value;
  return Array.isArray(findings) && typeof summary === "string" ? (value as unknown as ReviewFindings) : undefined;
}

/** A line for each finding: the place, the severity, the reason. */
export function findingLines({ findings }: ReviewFindings): readonly string[] {
  return findings.map(({ file, line, severity, reason }) =>
    visible(`${file}:${String(line)} ${severity} ${reason.replace(/\s+/g, " ").trim()}`),
  );
}

/** True if one of the findings must not stay so. */
export function hasError({ findings }: ReviewFindings): boolean {
  return findings.some(({ severity }) => severity === "error");
}
