// The report as a page: one file for a browser, without network, with the journal of each trial.

import { createHash } from "node:crypto";
import { compareReports, compareVariants, type Comparison } from "../report/compare-reports.js";
import type { Report } from "../report/eval-report.js";
import { counted } from "../report/figure-words.js";
import { endingSection, expenseSection, passSection, truthSection } from "./arm-sections.js";
import { firstSection, pairSection } from "./first-section.js";
import { Markup, markup, nothing, scriptEnd } from "./markup.js";
import { pageScript } from "./page-script.js";
import { pageStyle } from "./page-style.js";
import { taskSection } from "./task-section.js";
import { trialSection } from "./trial-section.js";

/** The parts of a page besides the report. */
export interface PageParts {
  /** The trials as `packTrials` packs them, by id. */
  readonly packed: ReadonlyMap<string, string>;
  /** An earlier report that the page compares with. Default: none. */
  readonly earlier?: Report | undefined;
}

/** Makes the page. No text of the report can become a script: texts are escaped, and the page's policy allows its own script alone. */
export function pageOf(report: Report, { packed, earlier }: PageParts): string {
  const { name, plan, planned, rows, arms, tasks } = report;
  const isUsable = ({ difference }: Comparison): boolean => difference.tasks > 0;
  const comparisons = {
    variants: compareVariants(report).filter(isUsable),
    earlier: earlier === undefined ? [] : compareReports(report, earlier).filter(isUsable),
  };
  const models = [...new Set(arms.map(({ model }) => model))];
  const facts = [
    counted(tasks.length, "task"),
    counted(new Set(arms.map(({ variant }) => variant)).size, "variant"),
    models.length === 1 ? `with ${models.join("")}` : counted(models.length, "model"),
    rows.length === planned
      ? counted(planned, "trial")
      : `${String(rows.length)} of ${counted(planned, "trial")} so far`,
  ];
  const sections: readonly (readonly [id: string, title: string, section: Markup])[] = [
    ["passed", "Passed", passSection(report)],
    ["pairs", "Pairs", pairSection(comparisons)],
    ["expense", "Expense", expenseSection(report)],
    ["endings", "Endings", endingSection(report)],
    ["truthfulness", "Truthfulness", truthSection(report)],
    ["tasks", "Tasks", taskSection(report)],
    ["trials", "Trials", trialSection(report, packed)],
  ];
  const there = sections.filter(([, , section]) => rows.length > 0 && section !== nothing);
  const policy = `default-src 'none'; script-src '${digestOf(pageScript)}'; style-src '${digestOf(pageStyle)}'; base-uri 'none'; form-action 'none'`;
  return markup`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy}"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><meta name="referrer" content="no-referrer">
<title>${name}: report of an evaluation</title><style>${new Markup(pageStyle)}</style></head>
<body><header><h1>${name}</h1><p class="dim">${facts.join(" · ")}</p></header>
<main>${firstSection(report, comparisons)}
<nav aria-label="Sections">${there.map(([id, title]) => markup`<a href="#${id}">${title}</a>`)}</nav>
${there.map(([, , section]) => section)}</main>
<footer>The figures are the same as in report.json. Plan ${plan.slice(0, 12)}.</footer>
<script>${new Markup(pageScript)}${scriptEnd}</body></html>
`.text;
}

function digestOf(text: string): string {
  return `sha256-${createHash("sha256").update(text).digest("base64")}`;
}
