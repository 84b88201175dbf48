// `reportFindings`: a loop-breaking tool with which a reviewer ends. Its value is a list of typed findings.

import { z } from "zod";
import { tool, type JournalRecord, type Tool } from "../../core/index.js";
import { shownLines, type ShownLines } from "./shown-lines.js";

/** One finding of a review. */
export interface ReviewFinding {
  /** The file, as the diff names it. */
  file: string;
  /** The line in the new file, or in the old file if it is gone. */
  line: number;
  /** `error`: it must not stay so. `warning`: it may break something. `note`: it could be better. */
  severity: "error" | "warning" | "note";
  /** The fault, and what follows from it. */
  reason: string;
}

/** The arguments of `report_findings`. */
export interface ReviewFindings {
  /** The findings. Empty if there is nothing to find. */
  findings: ReviewFinding[];
  /** The review in a sentence or two. */
  summary: string;
}

/** Instructions for an agent that ends with `report_findings`. Add what your reviewer has to look for. */
export const reviewInstructions = `You review changes that somebody else has made in a folder, and change nothing. The user's words hold the changes as a diff.
Read the files around the changes before you judge: callers, tests, the rest of the function. The folder may be in another state than the diff.
Look for faults that matter: wrong results, lost errors, races, broken callers, holes in security, missing tests for what changed. Leave out taste and style.
Report only what you have seen for yourself. Say in each reason what goes wrong and when. No finding is a good result.
End with report_findings.`;

const words = (): z.ZodString => z.string().refine((text) => text.trim() !== "", "must not be empty");

const findingsSchema = z.object({
  findings: z
    .array(
      z.object({
        file: words().describe("The file, as the diff names it"),
        line: z
          .int()
          .min(1)
          .describe("A line that the diff shows: its number in the new file, or in the old one if the file is gone"),
        severity: z
          .enum(["error", "warning", "note"])
          .describe("error: it must not stay so; warning: it may break something; note: it could be better"),
        reason: words().describe("What goes wrong, and when"),
      }),
    )
    .describe("Empty if you found nothing"),
  summary: words().describe("The review in a sentence or two"),
});

/**
 * `report_findings{ findings, summary }`: ends the run as `completed` with typed findings. If the user's words hold a unified diff, as
 * `git diff` prints it, a finding has to name a file and a line that the diff shows; otherwise the call fails, and the model is told which
 * lines there are.
 */
export function reportFindings(): Tool<"report_findings", ReviewFindings, ReviewFindings, "completed"> {
  return tool({
    name: "report_findings",
    description: "Ends the review with what you found. Call it once, with all findings.",
    input: findingsSchema,
    isLoopBreaking: true,
    effect: "none",
    streams: "summary",
    run(input: ReviewFindings, { records }) {
      expectWithin(input.findings, shownLines(inputsOf(records)));
      return input;
    },
  });
}

/** The words of the user so far. */
function inputsOf(records: readonly JournalRecord[]): string {
  return records.flatMap((record) => (record.type === "input" && "text" in record ? [record.text] : [])).join("\n");
}

/** @throws Error for the model that names each finding outside of the diff, and the lines that there are. */
function expectWithin(findings: readonly ReviewFinding[], shown: ReadonlyMap<string, ShownLines>): void {
  if (shown.size === 0) return;
  const problems = findings.flatMap(({ file, line }) => {
    const lines = shown.get(file);
    if (lines === undefined) return [`${file} is no file of the diff. Its files are: ${[...shown.keys()].join(", ")}.`];
    if (lines.length === 0 || lines.some(([first, last]) => line >= first && line <= last)) return [];
    return [`The diff does not show line ${String(line)} of ${file}. It shows ${lines.map(rangeWords).join(", ")}.`];
  });
  if (problems.length === 0) return;
  const remedy =
    "Name the changed line that causes the problem, or leave the finding out, and report all findings again.";
  throw new Error([...new Set(problems), remedy].join("\n"));
}

function rangeWords([first, last]: readonly [number, number]): string {
  return first === last ? String(first) : `${String(first)} to ${String(last)}`;
}
