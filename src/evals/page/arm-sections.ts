// The sections of the page about arms: passed trials, expense against success, endings, truthfulness.

import type { Rate } from "../figures/wilson.js";
import type { ArmReport, Report } from "../report/eval-report.js";
import { amount, intervalWords, percent, shareOf } from "../report/figure-words.js";
import { arm, expensePlot, rateDrawing, resultBar, roundAbove, ticks, type ResultCount } from "./drawings.js";
import { markup, nothing, type Markup } from "./markup.js";

/** The number and the name of an arm, as every section shows them. */
export function armName(report: Report, index: number): Markup {
  return markup`<span class="arm arm-${arm(index + 1)}"><span class="number">${index + 1}</span> ${plainName(report, index)}</span>`;
}

/** The name of an arm as text: the variant, and the model if there are several. */
export function plainName({ arms }: Report, index: number): string {
  const { variant, model } = arms[index] ?? { variant: "", model: "" };
  return new Set(arms.map((one) => one.model)).size === 1 ? variant : `${variant} · ${model}`;
}

/** The trials of an arm, void trials too. */
function trialsOf({ pass, void: voids }: ArmReport): number {
  return pass.trials + voids;
}

/** The axis above all drawings of rates, or below each of them if the page is narrow. */
const axis = (kind: string): Markup =>
  markup`<span class="axis ${kind}" aria-hidden="true">${ticks.map((tick) => markup`<span>${percent(tick)}</span>`)}</span>`;

/** A cell whose label shows beside it if the page is narrow. */
function cell(label: string, text: string, value: number | undefined): Markup {
  return markup`<td class="figure" data-label="${label}" data-value="${value ?? ""}">${text}</td>`;
}

/** The rate of each arm on its interval, and the figures beside it. */
export function passSection(report: Report): Markup {
  const rows = report.arms.map((one, index) => {
    const { pass, passHat, cost, iterations, duration } = one;
    const all = passHat.at(-1);
    return markup`<tr data-arm="${index}"><th scope="row">${armName(report, index)}</th>
<td class="drawn arm-${arm(index + 1)}">${pass.trials === 0 ? markup`<span class="dim">no trial could be judged</span>` : markup`${rateDrawing(pass)}${axis("narrow")}`}</td>
${cell("passed", pass.trials === 0 ? "-" : `${shareOf(pass)} ${percent(pass.rate)}`, pass.rate)}
${cell("95 %", pass.trials === 0 ? "-" : intervalWords(pass), undefined)}
${cell("all of k", all === undefined ? "-" : `${percent(all)} (k=${String(passHat.length)})`, all)}
${cell("void", String(one.void), one.void)}
${cell("cost", amount(cost.total), cost.total)}
${cell("iterations", `${String(iterations.median)} (${String(iterations.p95)})`, iterations.median)}
${cell("time", `${timeWords(duration.median)} (${timeWords(duration.p95)})`, duration.median)}</tr>`;
  });
  return markup`<section id="passed"><h2>How often it passed</h2>
<p class="dim">The dot is the rate of passed trials, the line its 95 % interval. Iterations and time: the median, and the 95th percentile in brackets.</p>
<table class="arms"><thead><tr><th scope="col">variant</th><th scope="col" class="drawn"><span class="unseen">rate and interval</span>${axis("wide")}</th><th scope="col">passed</th><th scope="col">95 %</th><th scope="col">all of k</th><th scope="col">void</th><th scope="col">cost</th><th scope="col">iterations</th><th scope="col">time</th></tr></thead>
<tbody>${rows}</tbody></table></section>`;
}

/** Milliseconds in the unit that reads best. */
export function timeWords(milliseconds: number): string {
  if (milliseconds < 1000) return `${String(Math.round(milliseconds))} ms`;
  const seconds = milliseconds / 1000;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  return seconds < 3600 ? `${(seconds / 60).toFixed(1)} min` : `${(seconds / 3600).toFixed(1)} h`;
}

/** The expense of a trial against the rate: cost, or tokens if no model has a price. Nothing if no trial used either. */
export function expenseSection(report: Report): Markup {
  const hasCost = report.arms.some(({ cost }) => cost.total > 0);
  const unit = hasCost ? "cost of a trial" : "tokens of a trial";
  const plotted = report.arms.flatMap((one, index) => {
    const trials = trialsOf(one);
    if (one.pass.trials === 0) return [];
    const expense = (hasCost ? one.cost.total : one.tokens.total) / trials;
    return [{ number: index + 1, expense, rate: one.pass.rate, interval: one.pass.interval }];
  });
  const largest = Math.max(0, ...plotted.map(({ expense }) => expense));
  if (largest === 0) return nothing;
  const most = roundAbove(largest);
  const words = (expense: number): string => (hasCost ? amount(expense) : String(Math.round(expense)));
  const keys = plotted.map(
    ({ number, expense, rate }) =>
      markup`<li data-arm="${number - 1}" data-value="${expense}">${armName(report, number - 1)} <span class="figure">${percent(rate)}, ${words(expense)}</span></li>`,
  );
  return markup`<section id="expense"><h2>${hasCost ? "Cost" : "Tokens"} against success</h2>
<p class="dim">Higher passes more often, further left is cheaper. The mean ${unit} goes from left to right, void trials too.</p>
<div class="expense"><div class="plot-place"><span class="up" aria-hidden="true">${[...ticks].reverse().map((tick) => markup`<span>${percent(tick)}</span>`)}</span>${expensePlot(plotted, most)}<span class="axis" aria-hidden="true"><span>0</span><span>${words(most / 2)}</span><span>${words(most)}</span></span></div>
<ol class="keys">${keys}</ol></div></section>`;
}

/** The endings of each arm, split by result. */
export function endingSection(report: Report): Markup {
  const blocks = report.arms.flatMap((one, index) => {
    const all = trialsOf(one);
    if (all === 0) return [];
    const rows = report.rows.filter(({ variant, model }) => variant === one.variant && model === one.model);
    const lines = Object.entries(one.endings)
      .sort(([, a], [, b]) => b - a)
      .map(([ending, count]) => {
        const mine = rows.filter((row) => row.ending === ending);
        const by = resultsOf(mine.map(({ result }) => result));
        return markup`<li data-ending="${ending}" data-value="${count}"><a href="#${`arm=${String(index)}&ending=${encodeURIComponent(ending)}`}">${ending}</a> <span class="figure">${count}</span>${resultBar(by, all)}<span class="dim">${resultWords(by)}</span></li>`;
      });
    return [markup`<div class="block" data-arm="${index}"><h3>${armName(report, index)}</h3><ul>${lines}</ul></div>`];
  });
  if (blocks.length === 0) return nothing;
  return markup`<section id="endings"><h2>Endings</h2>
<p class="dim">The tool that ended the run, or the reason for which it stopped. A width of the whole line is all trials of the arm.</p>
<div class="blocks">${blocks}</div></section>`;
}

/** The number of trials by result. */
function resultsOf(results: readonly ("yes" | "no" | "void")[]): ResultCount {
  const count = (word: "yes" | "no" | "void"): number => results.filter((result) => result === word).length;
  return { yes: count("yes"), no: count("no"), void: count("void") };
}

/** The results in words, without those that nothing has. */
function resultWords({ yes, no, void: voids }: ResultCount): string {
  const parts = [
    [yes, "passed"],
    [no, "failed"],
    [voids, "void"],
  ] as const;
  return parts.flatMap(([count, word]) => (count === 0 ? [] : [`${String(count)} ${word}`])).join(", ");
}

const measures = [
  ["falseAtFirst", "false at first", "first claims of completion that were false"],
  ["caught", "caught", "false claims that the checks refused"],
  ["wronglyRefused", "wrongly refused", "true claims that the checks refused"],
  ["falseCompletions", "false completions", "completions that were false"],
  ["honestStops", "honest stops", "tasks without a solution that ended as expected"],
  ["vacuous", "vacuous", "completions whose checks had passed before anything was done"],
  ["tampering", "tampering", "trials that changed files which a check watches"],
] as const;

/** The measures of truthfulness: a row for each measure, a column for each arm. */
export function truthSection(report: Report): Markup {
  if (report.rows.every(({ result }) => result === "void")) return nothing;
  const head = report.arms.map((_arm, index) => markup`<th scope="col">${armName(report, index)}</th>`);
  const rows = measures.map(([key, label, meaning]) => {
    const cells = report.arms.map(({ truthfulness }, index) => rateCell(truthfulness[key], index));
    return markup`<tr data-measure="${key}"><th scope="row">${label}<span class="dim">${meaning}</span></th>${cells}</tr>`;
  });
  const prices = report.arms.map(
    ({ truthfulness: { costOfTrue } }, index) =>
      markup`<td class="figure" data-arm="${index}" data-value="${costOfTrue ?? ""}">${costOfTrue === undefined ? "-" : amount(costOfTrue)}</td>`,
  );
  return markup`<section id="truthfulness"><h2>Truthfulness</h2>
<p class="dim">The truth at a claim was asked when the claim was made. Below each share stands its 95 % interval.</p>
<div class="scroll" role="region" aria-label="Truthfulness" tabindex="0"><table class="matrix"><thead><tr><th scope="col">measure</th>${head}</tr></thead>
<tbody>${rows}<tr data-measure="costOfTrue"><th scope="row">price of a true one<span class="dim">the cost of all trials for each true completion</span></th>${prices}</tr></tbody></table></div></section>`;
}

function rateCell(rate: Rate, index: number): Markup {
  const interval = rate.trials === 0 ? nothing : markup`<span class="dim">${intervalWords(rate)}</span>`;
  return markup`<td class="figure" data-arm="${index}" data-value="${rate.trials === 0 ? "" : rate.rate}">${shareOf(rate)}${interval}</td>`;
}
