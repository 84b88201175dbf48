// The report as JUnit, which every CI reads: a suite for each variant with a model, a case for each task.

import type { ArmReport, Report } from "./eval-report.js";

/** The report as a JUnit file. A case fails if a trial failed, and is skipped if all of its trials are void. */
export function junitOf(report: Report): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="${escape(report.name)}">\n${report.arms.map((arm) => suite(report, arm)).join("")}</testsuites>\n`;
}

function suite({ rows }: Report, { variant, model, tasks }: ArmReport): string {
  const name = `${variant}.${model}`;
  const cases = tasks.map(({ task, trials, passed }) => {
    const mine = rows.filter((row) => row.variant === variant && row.model === model && row.task === task);
    const failed = mine.filter(({ result }) => result === "no");
    const seconds = mine.reduce((sum, row) => sum + row.duration, 0) / 1000;
    const head = `    <testcase classname="${escape(name)}" name="${escape(task)}" time="${seconds.toFixed(3)}"`;
    if (trials === 0) return `${head}><skipped message="no trial could be judged"/></testcase>\n`;
    if (failed.length === 0) return `${head}/>\n`;
    const text = failed.map(({ id, why }) => `${id}: ${why.split("\n").slice(0, 3).join(" ")}`).join("\n");
    return `${head}><failure message="${String(passed)} of ${String(trials)} trials passed">${escape(text)}</failure></testcase>\n`;
  });
  const failures = tasks.filter(({ trials, passed }) => passed < trials).length;
  const skipped = tasks.filter(({ trials }) => trials === 0).length;
  return `  <testsuite name="${escape(name)}" tests="${String(tasks.length)}" failures="${String(failures)}" skipped="${String(skipped)}">\n${cases.join("")}  </testsuite>\n`;
}

/** Characters that XML can't have, and characters that it reads as its own. */
function escape(text: string): string {
  return text
    .replaceAll(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, "\uFFFD")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
