// Writes the table of docs/runtimes.md between its marks.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { format, resolveConfig } from "prettier";

const page = "docs/runtimes.md";
export const marks = ["<!-- written by npm run test:runtimes -- --write -->", "<!-- end -->"];

/** Keeps the figures of this run in the file `last`, and writes the page if the run before had the same. */
export async function writePage(cells, last, all) {
  const figures = JSON.stringify(cells.map(({ failed, ...cell }) => ({ ...cell, failed: failed.length })));
  const isSame = existsSync(last) && readFileSync(last, "utf8") === figures;
  writeFileSync(last, figures);
  if (cells.length !== all.length || cells.some(({ failed }) => failed.length > 0))
    return console.log(`${page} is as before: it takes a run of all runtimes without a failure.`);
  if (!isSame) return console.log(`${page} is as before: these figures were seen once. Run it again.`);
  const text = readFileSync(page, "utf8");
  const [begin, end] = marks.map((mark) => text.indexOf(mark));
  const whole = `${text.slice(0, begin)}${marks[0]}\n\n${tableOf(cells)}\n\n${text.slice(end)}`;
  writeFileSync(page, await format(whole, { ...(await resolveConfig(page)), filepath: page }));
  return console.log(`${page} is written.`);
}

/** The table: a row for each runtime. */
export function tableOf(cells) {
  const rows = cells.map(({ name, version, total, passed, untimed, leftOut }) => {
    const out = Object.values(leftOut).reduce((sum, count) => sum + count, 0);
    return `| ${name} | ${version} | ${passed} | ${out} | ${((100 * passed) / total).toFixed(1)} % | ${untimed} |`;
  });
  const reasons = cells.flatMap(({ name, leftOut }) => {
    const list = Object.entries(leftOut).map(([reason, count]) => `${reason} (${count})`);
    return list.length === 0 ? [] : [`- **${name}**: ${list.join("; ")}.`];
  });
  return [
    "| runtime | version | passed | left out | ran | without a clock |",
    "| --- | --- | --- | --- | --- | --- |",
    ...rows,
    "",
    "The tests that are left out, by the thing that the runtime does not have:",
    "",
    ...reasons,
  ].join("\n");
}
