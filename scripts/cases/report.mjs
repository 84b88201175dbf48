// The printed report of a replay: a line per case, a table by category, and the counts.

/** The line for a case. With `verbose`, the details of the run follow on further lines. */
export function lineOf({ verdict, id, outcome, reason, notes }, { verbose = false } = {}) {
  const short = visible(verbose || reason.length <= 240 ? reason : `${reason.slice(0, 239)}…`);
  const line = `${verdict.padEnd(8)}  ${id}  ${outcome}  ${short}`.trimEnd();
  return verbose ? [line, ...notes.map((note) => `    ${visible(note)}`)].join("\n") : line;
}

/** The table of results by category. */
export function tableOf(results) {
  const categories = [...new Set(results.map(({ category }) => category))].sort();
  const verdicts = ["ok", "FAIL", "disputed", ...(results.some(isNotCarried) ? ["not carried"] : [])];
  const row = (name, members) => [
    name,
    ...verdicts.map((verdict) => String(members.filter((each) => each.verdict === verdict).length)),
  ];
  const rows = [
    ["category", "passed", "failed", ...verdicts.slice(2)],
    ...categories.map((name) =>
      row(
        name,
        results.filter(({ category }) => category === name),
      ),
    ),
    row("all", results),
  ];
  const widths = rows[0].map((_head, column) => Math.max(...rows.map((cells) => cells[column].length)));
  const pad = (cell, column) => (column === 0 ? cell.padEnd(widths[column]) : cell.padStart(widths[column]));
  return rows.map((cells) => cells.map(pad).join("  ")).join("\n");
}

function isNotCarried({ verdict }) {
  return verdict === "not carried";
}

/** The last lines: the number of cases that are not carried, if any; of disputed cases; and of passed and failed ones. */
export function countsOf(results) {
  const count = (verdict) => results.filter((each) => each.verdict === verdict).length;
  const lost = results.some(isNotCarried) ? [`${count("not carried")} not carried`] : [];
  return [...lost, `${count("disputed")} disputed`, `${count("ok")} passed, ${count("FAIL")} failed`].join("\n");
}

/** True if at least one case passed and none failed. */
export function isGood(results) {
  return results.some(({ verdict }) => verdict === "ok") && results.every(({ verdict }) => verdict !== "FAIL");
}

/** Escapes control and format characters, so that the text stays on one line and can't move the cursor. */
function visible(text) {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (char) =>
    char === "\n" ? "\\n" : `\\u{${char.codePointAt(0).toString(16)}}`,
  );
}
