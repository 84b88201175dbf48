// Writes the figures of a run into the page of real models, and keeps the figures of other days.

import { failuresOf } from "./counts.mjs";
import { tableOf } from "./table.mjs";

const begin = "<!-- The runs below are written by npm run real -- --write. -->";
const end = "<!-- The end of the runs. -->";

/**
 * The page with the run's figures, in the place of the figures of the same minute, or else as the last.
 * @param {string} page
 * @param {{ at: string, minutes: number, rows: readonly object[], leftOut: readonly string[], looked: object }} run
 * @throws Error if the page has no place for them.
 */
export function withRun(page, run) {
  const [before, rest, ...more] = page.split(begin);
  const [written, after] = rest?.split(end) ?? [];
  if (after === undefined || more.length > 0) throw new Error(`The page needs one line ${begin} and one line ${end}.`);
  const section = sectionOf(run);
  const [title] = section.split("\n", 1);
  const sections = written
    .split(/^(?=### )/m)
    .map((each) => each.trim())
    .filter(Boolean);
  const others = sections.filter((each) => each.split("\n", 1)[0] !== title);
  return `${before}${begin}\n\n${[...others, section].toSorted().join("\n\n")}\n\n${end}${after}`;
}

function sectionOf({ at, minutes, rows, leftOut, looked }) {
  const iterations = rows.reduce((sum, { counts }) => sum + counts.iterations, 0);
  const cut = rows.filter(({ left }) => left > 0).map(({ model, rung, left }) => `${model} ${rung} ${left}`);
  const told = [...new Set(rows.map(({ model }) => model))].map((model) => {
    const own = rows.filter((row) => row.model === model).flatMap(({ runs }) => runs);
    const kinds = failuresOf(own).map(([kind, number]) => `\`${kind}\` ${number}`);
    return `Failures of ${model}: ${kinds.join(", ") || "none"}.`;
  });
  const steps = rows.flatMap(({ model, steps: each }) => each.map((step) => `${model}: ${step}`));
  return [
    `### ${at.slice(0, 10)} at ${at.slice(11, 16)} UTC`,
    "",
    `${iterations} iterations in ${minutes} minutes. ${saidOf(looked)}`,
    "",
    tableOf(rows),
    "",
    ...told,
    ...(steps.length > 0 ? [`Steps of the ladder: ${steps.join("; ")}.`] : []),
    ...(cut.length > 0 ? [`Tasks that the time left out: ${cut.join(", ")}.`] : []),
    ...leftOut.map((line) => `Left out: ${line}.`),
  ].join("\n");
}

const saidOf = ({ replies, apart, suspects }) =>
  `The second reader looked at ${replies} replies and reads ${suspects.filter(({ isCertain }) => isCertain).length} otherwise; ${suspects.filter(({ isCertain }) => !isCertain).length} have words that look like a call. ${apart} requests had no whole answer.`;
