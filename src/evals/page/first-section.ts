// The first section of the page: the verdicts and the reasons for which a gate would fail. Below them, the pairs are drawn.

import { gateOf, pairName, type Comparison, type Flip } from "../report/compare-reports.js";
import type { Report } from "../report/eval-report.js";
import { counted, intervalWords, percent, points, shareOf, verdictWords } from "../report/figure-words.js";
import type { Verdict } from "../figures/verdict.js";
import { plainName } from "./arm-sections.js";
import { differenceDrawing } from "./drawings.js";
import { markup, nothing, type Markup } from "./markup.js";

/** The comparisons of a page. */
export interface PageComparisons {
  /** The variants with the first variant. */
  readonly variants: readonly Comparison[];
  /** The arms with the same arms of an earlier report. A gate goes by these. */
  readonly earlier: readonly Comparison[];
}

/** The verdicts, the false completions, and the reasons for which a gate would fail. */
export function firstSection(report: Report, { variants, earlier }: PageComparisons): Markup {
  const { arms, rows } = report;
  if (rows.length === 0)
    return markup`<section class="first"><p>No trial has ended yet. Start the evaluation again to go on.</p></section>`;
  const line = (mark: Markup, words: string): Markup => markup`<li>${mark}<span>${words}.</span></li>`;
  const [only] = arms;
  const rates =
    arms.length === 1 && only !== undefined && only.pass.trials > 0
      ? [
          line(
            markup`<span class="badge plain">passed</span>`,
            `${shareOf(only.pass)}, ${percent(only.pass.rate)}; 95 % from ${intervalWords(only.pass)}`,
          ),
        ]
      : [];
  const verdicts = [...variants, ...earlier].map((comparison) => {
    const { verdict, difference } = comparison;
    const isSeen = verdict.is === "better" || verdict.is === "worse";
    const words = isSeen ? `${verdictWords(verdict)}, ${signed(difference.difference)}` : verdictWords(verdict);
    return line(badge(verdict), `${pairName(comparison)}: ${words}`);
  });
  const lies = arms.flatMap(({ truthfulness: { falseCompletions } }, index) => {
    const { passed, trials } = falseCompletions;
    const words = `${plainName(report, index)}: ${String(passed)} of ${counted(trials, "completion")} ${passed === 1 ? "was" : "were"} false`;
    return passed === 0 ? [] : [line(markup`<span class="badge bad">false</span>`, words)];
  });
  const reasons = gateOf(report, earlier).map((reason) => line(markup`<span class="badge wait">gate</span>`, reason));
  return markup`<section class="first" aria-label="Verdicts"><ul>${rates}${verdicts}${lies}${reasons}</ul></section>`;
}

const badges = {
  better: ["good", "better"],
  worse: ["bad", "worse"],
  "no-difference": ["plain", "same"],
  unseen: ["plain", "not seen"],
} as const satisfies Record<Verdict["is"], readonly [string, string]>;

function badge({ is }: Verdict): Markup {
  const [tone, word] = badges[is];
  return markup`<span class="badge ${tone}">${word}</span>`;
}

/** The differences of pairs on one scale. */
export function pairSection({ variants, earlier }: PageComparisons): Markup {
  const usable = [...variants, ...earlier];
  if (usable.length === 0) return nothing;
  const ends = usable.flatMap(({ difference: { difference, interval } }) => [difference, ...(interval ?? [])]);
  const span = spanOf(Math.max(...ends.map(Math.abs)));
  const ticks = [-span, -span / 2, 0, span / 2, span];
  const pairs = usable.map((comparison, index) => {
    const { difference, fell, rose } = comparison;
    const { interval } = difference;
    const tone = badges[comparison.verdict.is][0];
    return markup`<li class="pair" data-pair="${index}" data-value="${difference.difference}"><h3>${badge(comparison.verdict)} ${pairName(comparison)}</h3>
<div class="drawn tone-${tone}">${differenceDrawing(difference.difference, interval, span)}</div>
<p><span class="figure">${signed(difference.difference)}</span>${interval === undefined ? "" : `, 95 % from ${signed(interval[0])} to ${signed(interval[1])}`}, over ${counted(difference.tasks, "task")}, ${difference.changed} changed. By chance alone: ${chanceWords(difference.chance)}.</p>
${flips("fell", fell)}${flips("rose", rose)}</li>`;
  });
  return markup`<section id="pairs"><h2>Better or worse</h2>
<p class="dim">The difference of the rates over the tasks that both have, with its 95 % interval. Right of the middle is better.</p>
<div class="pair-axis drawn"><span class="axis" aria-hidden="true">${ticks.map((tick) => markup`<span>${tick > 0 ? "+" : ""}${Number((tick * 100).toFixed(1))}</span>`)}</span></div>
<ul class="pairs">${pairs}</ul></section>`;
}

/** The half of the scale: 10, 25, 50 or 100 points. */
function spanOf(most: number): number {
  return [0.1, 0.25, 0.5].find((span) => most <= span) ?? 1;
}

function signed(share: number): string {
  return share > 0 ? `+${points(share)}` : points(share);
}

function chanceWords(chance: number): string {
  return chance < 0.001 ? "less than 1 in 1,000" : `${(chance * 100).toFixed(1)} in 100`;
}

function flips(word: string, all: readonly Flip[]): Markup {
  if (all.length === 0) return nothing;
  const items = all.map(
    ({ task, before, now }) =>
      markup`<li><a href="#${`task=${encodeURIComponent(task)}`}">${task}</a> <span class="figure">${before.passed}/${before.trials} to ${now.passed}/${now.trials}</span></li>`,
  );
  return markup`<details${all.length <= 6 ? markup` open` : nothing}><summary>${counted(all.length, "task")} ${word}</summary><ul class="flips">${items}</ul></details>`;
}
