// The text of a pull request about a commit: a title and a body in Markdown. Also the message of the commit, which has no words of a model.

import type { AnyOutcome, Receipt } from "../../core/index.js";
import { cutTo } from "../../core/internal.js";
import { changedWords, count } from "../display/quantities.js";
import { oneLine, visible } from "../display/visible.js";
import { doubts } from "../show/ending.js";
import type { Committed, CommittedFile } from "./commit-changes.js";

/** The characters of a title, as most pages show them. */
const titleLength = 72;
/** The characters of the model's words: a body on GitHub has at most 65,536. */
const mostWords = 20_000;
/** The paths that a list has. */
const mostPaths = 100;

/** A completed task. */
export interface Done {
  /** The id of the session. */
  readonly session: string;
  /** The words of the task. */
  readonly task: string;
  readonly outcome: Extract<AnyOutcome, { readonly status: "completed" | "stopped" }>;
  /** The words of the completion; empty if the model has not said that it is done. */
  readonly words: string;
}

/** The title: the first line of the task. */
export function titleOf({ task }: Pick<Done, "task">): string {
  const line = task.split("\n").find((one) => one.trim() !== "") ?? "";
  return cutTo(visible(line.trim()), titleLength);
}

/**
 * The message of the commit. It has no words of a model: some systems obey words in such a message, for example to skip their checks.
 */
export function commitMessage(done: Pick<Done, "task" | "session" | "outcome">): string {
  const checks = done.outcome.receipts.map(
    ({ check, passed }) => `${passed ? "Passed" : "Failed"}: ${oneLine(check, 200)}`,
  );
  return [
    titleOf(done),
    "",
    ...checks,
    ...(checks.length > 0 ? [""] : []),
    `Lastcall-Session: ${done.session}`,
    "",
  ].join("\n");
}

/** A title line, an empty line, and the body in Markdown. */
export function pullRequestText(done: Done, committed: Committed): string {
  const { outcome, words } = done;
  const said = words === "" ? (outcome.status === "stopped" ? outcome.message : "") : cutTo(words, mostWords);
  const open = notVerified(done, committed);
  return [
    titleOf(done),
    "",
    visible(said, { multiline: true }).trim(),
    "",
    "## Checks",
    "",
    ...(outcome.receipts.length === 0 ? ["No check ran."] : outcome.receipts.map(receiptLine)),
    "",
    "## Files",
    "",
    ...listed(committed.files.map(fileLine)),
    "",
    sumOf(committed.files),
    "",
    "## Not verified",
    "",
    ...(open.length === 0 ? ["Nothing that the model or a check names."] : open.map((line) => `- ${line}`)),
    "",
    `Session of lastcall: ${done.session}`,
    "",
  ].join("\n");
}

/** The number of files and lines. */
export function sumOf(files: readonly CommittedFile[]): string {
  const sum = (side: "added" | "removed"): string =>
    String(files.reduce((all, { lines }) => all + (lines?.[side] ?? 0), 0));
  return `${count(files.length, "file")}, +${sum("added")} −${sum("removed")}`;
}

function receiptLine({ check, passed, exitCode, kind, judged, passedAtBaseline, failedBefore }: Receipt): string {
  const code = exitCode === undefined ? "" : `, exit code ${String(exitCode)}`;
  const history =
    passedAtBaseline === true && failedBefore === 0
      ? "; it had passed before anything was done"
      : passedAtBaseline === false || failedBefore > 0
        ? "; it had failed before"
        : "";
  const by = judged ? ", in the opinion of a model" : "";
  const name = kind === undefined ? "" : `${kind} `;
  return `- ${name}${codeSpan(check)}: ${passed ? "passed" : "failed"}${code}${by}${kind === undefined ? history : ""}`;
}

function fileLine({ path, change, lines }: CommittedFile): string {
  const counts = lines === undefined ? "no text" : `+${String(lines.added)} −${String(lines.removed)}`;
  return `- ${codeSpan(path)}: ${change === "changed" ? "" : `${change}, `}${counts}`;
}

/** The statements that nobody has checked, and the facts that speak against the checks. */
function notVerified({ outcome, words }: Done, { leftOut, others }: Committed): readonly string[] {
  const about =
    outcome.status === "completed"
      ? doubts(outcome, { requireVerified: false }).map((line) => visible(line))
      : outcome.receipts.flatMap(({ check, changed }) =>
          changed.length > 0 ? [`Check ${codeSpan(check)}: ${visible(changedWords(changed))}`] : [],
        );
  return [
    ...about,
    ...(outcome.status === "completed" && outcome.verified === "unchecked"
      ? ["No check says that the task is done."]
      : []),
    ...(words === "" ? ["The model has not said that it is done."] : []),
    ...leftOut.map((line) => `Not in the commit: ${visible(line)}`),
    ...(others.length === 0
      ? []
      : [
          `The checks ran in a folder with other changes, which are not in the commit: ${shortened(others).map(codeSpan).join(", ")}`,
        ]),
  ];
}

function listed(lines: readonly string[]): readonly string[] {
  const more = lines.length - mostPaths;
  return more > 0 ? [...lines.slice(0, mostPaths), `- and ${String(more)} more`] : lines;
}

function shortened(paths: readonly string[]): readonly string[] {
  return paths.length > 20 ? [...paths.slice(0, 20), `and ${String(paths.length - 20)} more`] : paths;
}

/** The text as code in a line of Markdown. */
function codeSpan(text: string): string {
  const line = visible(text.replace(/\s+/g, " "));
  const longest = Math.max(0, ...[...line.matchAll(/`+/g)].map(([marks]) => marks.length));
  const fence = "`".repeat(longest + 1);
  const space = longest > 0 ? " " : "";
  return `${fence}${space}${line}${space}${fence}`;
}
