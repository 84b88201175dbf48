// The input of a later round: the task, the last failure of a check, and the diff so far.

import { createHash } from "node:crypto";
import { headOf, tailOf, wrapOutside } from "../../core/internal.js";
import type { FailedCheck } from "./ask-checks.js";

/** The things that a round is told besides the task. */
export interface EarlierRounds {
  readonly number: number;
  /** The end of the round before, in words. */
  readonly ended: string;
  readonly failed: FailedCheck | undefined;
  readonly diff: string;
}

/** Characters of an output, and of a diff, that a round is told. */
const most = { output: 8_000, diff: 24_000 };

/** The input of the round. It is the same for the same earlier rounds. */
export function roundInput(task: string, { number, ended, failed, diff }: EarlierRounds): string {
  const parts = [
    task,
    `This is round ${String(number)} at this task. The rounds before left their files and notes, and not their conversation. The last round ended: ${ended}. Look at the files as they are, and go on from there, or begin anew where the earlier way was wrong.`,
    ...(failed === undefined
      ? []
      : [`After it, this check failed: ${failed.check}\n${outside(tailOf(failed.output, most.output))}`]),
    ...(diff === "" ? [] : [`The changes of all rounds so far:\n${outside(cut(diff))}`]),
  ];
  return parts.join("\n\n");
}

function cut(diff: string): string {
  const head = headOf(diff, most.diff);
  return head.length === diff.length ? diff : `${head}\n[${String(diff.length - head.length)} characters are left out]`;
}

/** The text between marks that it can't contain. */
function outside(text: string): string {
  return wrapOutside(text, createHash("sha256").update(text).digest("hex").slice(0, 8));
}
