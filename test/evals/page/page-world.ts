// Reports with made-up rows, for the page: as many trials as a test wants, journals and texts that would like to be scripts.

import type { Report, TrialRow } from "../../../src/evals/index.js";
import { packTrials } from "../../../src/evals/page/packed-trials.js";
import { pageOf } from "../../../src/evals/page/page.js";
import { reportOf } from "../../../src/evals/report/eval-report.js";
import { randomFrom } from "../../../src/evals/figures/random.js";
import type { JournalLine } from "../../../src/evals/trial/journal-lines.js";

/** The shape of a report. */
export interface MadeReport {
  readonly tasks: number;
  readonly variants: readonly string[];
  readonly models?: readonly string[];
  readonly trials: number;
  /** The share of void trials. */
  readonly voids?: number;
  /** Words in the reason of each failed trial. */
  readonly why?: string;
  /** The trials that were planned; more than there are rows. */
  readonly planned?: number;
}

const subjects = ["rounding", "prices", "parser", "dates", "limits", "cache", "routes", "retry", "units", "colours"];

/** The id of the task with this number. */
export function taskId(index: number): string {
  return `${subjects[index % subjects.length] ?? ""}-${String(Math.floor(index / subjects.length) + 1)}`;
}

/** Makes the report. The same shape makes the same report. */
export function madeReport({
  tasks,
  variants,
  models = ["qwen"],
  trials,
  voids = 0,
  why,
  planned,
}: MadeReport): Report {
  const random = randomFrom(7);
  const ids = Array.from({ length: tasks }, (_none, index) => taskId(index));
  const hard = ids.map(() => random());
  const arms = variants.flatMap((variant) => models.map((model) => ({ variant, model })));
  const rows = Array.from({ length: trials }, (_none, index) => index + 1).flatMap((trial) =>
    ids.flatMap((task, at) =>
      arms.map(({ variant, model }, which): TrialRow => {
        const isImpossible = at % 5 === 4;
        const passes = random() < (hard[at] ?? 0) * 0.5 + 0.25 + 0.18 * which;
        const isVoid = random() < voids;
        const claims = !isImpossible || !passes;
        const result = isVoid ? "void" : passes ? "yes" : "no";
        const isStuck = !passes && random() < 0.4;
        const ending = isVoid
          ? "provider_unavailable"
          : isStuck
            ? "max_iterations"
            : claims
              ? "task_completion"
              : "give_up";
        const isDone = ending === "task_completion";
        const inputTokens = 3000 + Math.round(random() * 20_000) * (1 + which);
        const outputTokens = 200 + Math.round(random() * 900);
        return {
          ...{ id: [task, variant, model, String(trial)].join("."), task, variant, model, trial, result, ending },
          why:
            result === "yes"
              ? ""
              : isVoid
                ? "The provider answered 503 three times."
                : (why ?? "exit code 1\nprice(8) has to be 37"),
          status: isDone ? "completed" : isVoid ? "failed" : "stopped",
          ...(isDone && { truth: passes ? ("yes" as const) : ("no" as const) }),
          ...(isDone && { verified: which === 0 ? ("unchecked" as const) : ("checked" as const) }),
          claims: isDone ? [{ truth: passes ? "yes" : "no", isRefused: false }] : [{ truth: "no", isRefused: true }],
          changed: random() < 0.05 ? ["check.mjs"] : [],
          ...{ declared: 0, answered: 0, attempts: isVoid ? 1 : 0, served: ["qwen-2026-10"] },
          ...{ iterations: 2 + Math.floor(random() * 12), inputTokens, outputTokens },
          cost: (inputTokens * 0.2 + outputTokens * 0.8) / 1e6,
          duration: Math.round(800 + random() * 60_000),
        };
      }),
    ),
  );
  const stated = ids.map((id, at) => ({
    ...{ id, cluster: id, must: at === 0, isUnsolvable: at % 5 === 4 },
    family: at % 5 === 4 ? "impossible" : "solvable",
  }));
  return reportOf(
    { name: "shop", plan: "4e1c0ffee4e1c0ffee", planned: planned ?? rows.length, tasks: stated, rows },
    arms,
  );
}

/** A journal of some iterations, about as large as real ones. */
export function madeJournal(row: TrialRow, words = "price(8) has to be 37"): readonly JournalLine[] {
  const random = randomFrom(row.trial + row.iterations);
  const source = (): string =>
    Array.from(
      { length: 24 },
      () =>
        `export const price${String(Math.floor(random() * 1e6))} = (count) => count * ${String(Math.floor(random() * 90))};`,
    ).join("\n");
  return [
    { after: 0, label: "input", text: `Correct price(count) in price.mjs (${row.task}).`, tone: "user" },
    ...Array.from({ length: row.iterations }, (_none, index): readonly JournalLine[] => [
      {
        after: index * 2100,
        label: `iteration ${String(index + 1)}`,
        text: "3120 tokens in, 88 out, qwen-2026-10",
        tone: "step",
      },
      { after: index * 2100, label: "model", text: "I read the file first.", tone: "plain" },
      { after: index * 2100 + 5, label: "calls read_file", text: "path: price.mjs", tone: "plain" },
      { after: index * 2100 + 9, label: "read_file returned", text: source(), tone: "plain" },
    ]).flat(),
    { after: 30_000, label: "check failed", text: `node check.mjs (claim)\n${words}`, tone: "bad" },
    { after: 32_000, label: row.status, text: words, tone: row.result === "yes" ? "good" : "bad" },
  ];
}

/** The page of a report, with a journal for each trial. */
export async function madePage(
  report: Report,
  { words, earlier }: { readonly words?: string; readonly earlier?: Report } = {},
): Promise<string> {
  const rows = new Map(report.rows.map((row) => [row.id, row]));
  const packed = await packTrials(report.rows, (id) => {
    const row = rows.get(id);
    return Promise.resolve(row && madeJournal(row, words));
  });
  return pageOf(report, { packed, earlier });
}
