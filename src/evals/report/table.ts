// The report as lines for people.

import type { ArmReport, Report } from "./eval-report.js";
import { amount, counted, intervalWords, percent, shareOf } from "./figure-words.js";

/** The report as a table, and the measures of truthfulness below it. */
export function tableOf(report: Report): readonly string[] {
  const { name, rows, planned, tasks, arms } = report;
  const isWhole = rows.length === planned;
  const head = `${name}: ${counted(tasks.length, "task")}, ${counted(arms.length, "arm")}, ${isWhole ? "" : `${String(rows.length)} of `}${counted(planned, "trial")}`;
  return [
    isWhole ? head : `${head}. Not complete: start it again to go on.`,
    "",
    ...columns([
      ["variant", "model", "passed", "95 %", "all of k", "void", "cost", "iterations", "endings"],
      ...arms.map(armCells),
    ]),
    "",
    ...columns([
      [
        "variant",
        "model",
        "false at first",
        "caught",
        "wrongly refused",
        "false completions",
        "honest stops",
        "vacuous",
        "tampering",
        "price of a true one",
      ],
      ...arms.map(truthCells),
    ]),
  ];
}

function armCells({
  variant,
  model,
  pass,
  passHat,
  void: voids,
  cost,
  iterations,
  endings,
}: ArmReport): readonly string[] {
  const last = passHat.at(-1);
  return [
    variant,
    model,
    `${String(pass.passed)}/${String(pass.trials)} ${percent(pass.rate)}`,
    intervalWords(pass),
    last === undefined ? "-" : `${percent(last)} (k=${String(passHat.length)})`,
    String(voids),
    amount(cost.total),
    `${String(iterations.median)} (${String(iterations.p95)})`,
    Object.entries(endings)
      .map(([ending, count]) => `${ending} ${String(count)}`)
      .join(", "),
  ];
}

function truthCells({ variant, model, truthfulness }: ArmReport): readonly string[] {
  const { falseAtFirst, caught, wronglyRefused, falseCompletions, honestStops, vacuous, tampering, costOfTrue } =
    truthfulness;
  const rates = [falseAtFirst, caught, wronglyRefused, falseCompletions, honestStops, vacuous, tampering];
  return [variant, model, ...rates.map(shareOf), costOfTrue === undefined ? "-" : amount(costOfTrue)];
}

/** The rows with all cells of a column as wide as the widest. */
function columns(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = (rows[0] ?? []).map((_cell, index) => Math.max(...rows.map((row) => (row[index] ?? "").length)));
  return rows.map((row) =>
    row
      .map((cell, index) => cell.padEnd(widths[index] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}
