// Writes the counts of runs with real models as a table.

const columns = [
  ["model", ({ model }) => model],
  ["way", ({ way }) => way],
  ["rung", ({ rung }) => rung],
  ["runs", "runs"],
  ["iterations", "iterations"],
  ["valid at once", "valid"],
  ["healed", "healed"],
  ["told", "told"],
  ["of them mended", "mended"],
  ["circuits opened", "circuits"],
  ["false claims refused", "falseRefused"],
  ["true claims refused", "trueRefused"],
  ["completed, true", "completedTrue"],
  ["completed, false", "completedFalse"],
  ["honest stops", "honestStops"],
  ["other stops", "otherStops"],
  ["failed", "faults"],
  ["tokens a second", ({ counts }) => speedOf(counts)],
];

/** A Markdown table of rows `{ model, way, rung, counts }`. */
export function tableOf(rows) {
  const cells = rows.map((row) =>
    columns.map(([, from]) => String(typeof from === "function" ? from(row) : row.counts[from])),
  );
  const names = columns.map(([name]) => name);
  const line = (each) => `| ${each.join(" | ")} |`;
  return [line(names), line(names.map((_, at) => (at < 3 ? "---" : "---:"))), ...cells.map(line)].join("\n");
}

/** Tokens that the model wrote a second, the time for its prompts included. */
export function speedOf({ outputTokens, modelMs }) {
  return modelMs === 0 ? "-" : ((outputTokens * 1000) / modelMs).toFixed(1);
}
