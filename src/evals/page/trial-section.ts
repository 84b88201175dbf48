// The section of the page with every trial, and the dialog that shows one of them.

import type { Report } from "../report/eval-report.js";
import { amount, counted } from "../report/figure-words.js";
import type { TrialRow } from "../trial/trial-row.js";
import { armName, plainName, timeWords } from "./arm-sections.js";
import { markup, nothing, scriptEnd, type Markup } from "./markup.js";

/** The results of trials in words. */
export const resultNames = { yes: "passed", no: "failed", void: "void" } as const;

const columns = [
  ["trial", "text"],
  ["variant", "number"],
  ["result", "text"],
  ["ending", "text"],
  ["verified", "text"],
  ["iterations", "number"],
  ["tokens", "number"],
  ["cost", "number"],
  ["time", "number"],
  ["reason", "text"],
] as const;

/** Trials that are shown at once. A button shows as many more: a browser takes seconds to lay out thousands. */
const shownAtOnce = 200;

const hidden = markup` hidden`;

/** Characters of a reason in the table. The dialog has the whole. */
const mostReason = 160;

/** The table of all trials with its filters, and the trials themselves, packed: `packed` has a text for each trial's id. */
export function trialSection(report: Report, packed: ReadonlyMap<string, string>): Markup {
  const { rows, arms } = report;
  if (rows.length === 0) return nothing;
  const armOf = new Map(arms.map(({ variant, model }, index) => [`${variant}\n${model}`, index]));
  const lines = rows.map((row, at) =>
    trialLine(report, row, { index: armOf.get(`${row.variant}\n${row.model}`) ?? 0, isHidden: at >= shownAtOnce }),
  );
  const head = columns.map(
    ([label, kind], index) =>
      markup`<th scope="col"><button type="button" data-column="${index}" data-kind="${kind}">${label}</button></th>`,
  );
  const parts = rows.map(({ id }) => {
    const text = packed.get(id);
    return text === undefined ? nothing : markup`<script type="text/plain" data-trial="${id}">${text}${scriptEnd}\n`;
  });
  return markup`<section id="trials"><h2>Trials</h2>
${filters(report)}
<noscript><p class="dim">Filters and journals need scripts.</p></noscript>
<table class="trials" data-step="${shownAtOnce}"><thead><tr>${head}</tr></thead><tbody>${lines}</tbody></table>
<p class="dim" id="more"${rows.length > shownAtOnce ? nothing : hidden}><button type="button">Show more</button></p><p class="dim" id="none" hidden>No trial fits the filters.</p></section>
<dialog id="trial" aria-labelledby="trial-title"><header><h2 id="trial-title"></h2><span class="turns"><button type="button" id="before">Previous</button><button type="button" id="next">Next</button><button type="button" id="close">Close</button></span></header><div id="trial-body"></div></dialog>
${parts}`;
}

function filters(report: Report): Markup {
  const { arms, tasks, rows } = report;
  const endings = [...new Set(rows.map(({ ending }) => ending))].sort();
  const option = (value: string, words: string): Markup => markup`<option value="${value}">${words}</option>`;
  const choice = (name: string, label: string, options: readonly Markup[]): Markup =>
    markup`<label>${label}<select name="${name}"><option value="">all</option>${options}</select></label>`;
  return markup`<form id="filters" class="filters" role="search"><label>search<input type="search" name="words" autocomplete="off"></label>
${choice(
  "arm",
  "variant",
  arms.map((_arm, index) => option(String(index), plainName(report, index))),
)}${choice(
    "task",
    "task",
    tasks.map(({ id }) => option(id, id)),
  )}${choice(
    "result",
    "result",
    Object.entries(resultNames).map(([value, words]) => option(value, words)),
  )}${choice(
    "ending",
    "ending",
    endings.map((ending) => option(ending, ending)),
  )}<label class="order">order<select name="order">${columns.map(([label], index) => option(String(index), label))}</select></label>
<button type="reset">Show all</button><output class="dim" id="shown" aria-live="polite">${counted(rows.length, "trial")}</output></form>`;
}

function trialLine(
  report: Report,
  row: TrialRow,
  { index, isHidden }: { readonly index: number; readonly isHidden: boolean },
): Markup {
  const { id, task, result, ending, verified = "", iterations, cost, duration, why } = row;
  const tokens = row.inputTokens + row.outputTokens;
  const cell = (label: string, value: string | number, shown: Markup | string | number, kind = ""): Markup =>
    markup`<td class="${kind}" data-label="${label}" data-value="${value}">${shown}</td>`;
  const reason = why.split("\n").find((line) => line.trim() !== "") ?? "";
  return markup`<tr data-id="${id}" data-arm="${index}" data-task="${task}" data-result="${result}" data-ending="${ending}"${isHidden ? hidden : nothing}><th scope="row" data-value="${id}"><a href="#${`trial=${encodeURIComponent(id)}`}">${task} <span class="dim">${row.trial}</span></a></th>${cell("variant", index, armName(report, index))}${cell("result", result, markup`<span class="badge ${toneOf[result]}">${resultNames[result]}</span>`)}${cell("ending", ending, ending)}${cell("verified", verified, verified === "" ? "-" : verified)}${cell("iterations", iterations, iterations, "figure")}${cell("tokens", tokens, tokens, "figure")}${cell("cost", cost, amount(cost), "figure")}${cell("time", duration, timeWords(duration), "figure")}${cell("reason", reason.slice(0, 40), reason.slice(0, mostReason), "reason")}</tr>\n`;
}

/** The colour of each result. */
const toneOf = { yes: "good", no: "bad", void: "plain" } as const;
