// The section of the page about tasks: passed trials of each task in each arm, the hardest task first.

import type { Report } from "../report/eval-report.js";
import { armName } from "./arm-sections.js";
import { resultBar } from "./drawings.js";
import { markup, nothing, type Markup } from "./markup.js";

/** A row for each task, a column for each arm. */
export function taskSection(report: Report): Markup {
  const { arms, tasks, rows } = report;
  if (rows.length === 0) return nothing;
  const counts = arms.map((one) => new Map(one.tasks.map((count) => [count.task, count])));
  const rateOf = (task: string): number => {
    const mine = counts.flatMap((byTask) => byTask.get(task) ?? []);
    const trials = mine.reduce((sum, count) => sum + count.trials, 0);
    return trials === 0 ? 2 : mine.reduce((sum, count) => sum + count.passed, 0) / trials;
  };
  const sorted = tasks.map((task) => ({ task, rate: rateOf(task.id) })).sort((a, b) => a.rate - b.rate);
  const lines = sorted.map(({ task: { id, must, isUnsolvable, family } }) => {
    const cells = counts.map((byTask, index) => {
      const { trials = 0, passed = 0, void: voids = 0 } = byTask.get(id) ?? {};
      const words = trials === 0 ? (voids === 0 ? "-" : "void") : `${String(passed)}/${String(trials)}`;
      return markup`<td class="figure" data-arm="${index}" data-value="${trials === 0 ? "" : passed / trials}"><a href="#${`task=${encodeURIComponent(id)}&arm=${String(index)}`}" aria-label="${`${words}: the trials of ${id}`}">${words}</a>${resultBar({ yes: passed, no: trials - passed, void: voids })}</td>`;
    });
    const notes = [must ? "must pass" : "", isUnsolvable ? "no solution" : "", family ?? ""].filter(
      (note) => note !== "",
    );
    return markup`<tr data-task="${id}"><th scope="row">${id}${notes.length === 0 ? nothing : markup`<span class="dim">${notes.join(", ")}</span>`}</th>${cells}</tr>`;
  });
  const head = arms.map((_arm, index) => markup`<th scope="col">${armName(report, index)}</th>`);
  return markup`<section id="tasks"><h2>Tasks</h2>
<p class="dim">Passed trials of those that could be judged, the hardest task first. A figure leads to its trials.</p>
<div class="scroll tall" role="region" aria-label="Tasks" tabindex="0"><table class="matrix"><thead><tr><th scope="col">task</th>${head}</tr></thead><tbody>${lines}</tbody></table></div></section>`;
}
