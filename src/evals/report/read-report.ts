// Reads a report that an earlier run has written.

import { LastcallError } from "../../core/index.js";
import { explain, isPlainObject } from "../../core/internal.js";
import type { Report } from "./eval-report.js";

/** Reads the text of a `report.json`. @throws LastcallError `configuration` if it is none. */
export function readReport(text: string, where: string): Report {
  const wrong = (problem: string): LastcallError =>
    new LastcallError(
      "configuration",
      `${where} is no report of an evaluation: ${problem}. Give the report.json of a run.`,
    );
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch (thrown) {
    throw wrong(`it is no JSON (${explain(thrown).replaceAll(/\s+/g, " ")})`);
  }
  if (!isPlainObject(read) || !Array.isArray(read["arms"]) || !Array.isArray(read["rows"]))
    throw wrong("it has no arms");
  if (read["version"] !== 1)
    throw wrong(`it has version ${String(read["version"])}, and this lastcall reads version 1`);
  return read as unknown as Report;
}
