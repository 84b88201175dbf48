// Writes the table of docs/runtimes.md between its marks.

import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { format, resolveConfig } from "prettier";

const page = "docs/runtimes.md";
export const marks = ["<!-- written by npm run test:runtimes -- --write -->", "<!-- end -->"];

/**
 * Keeps the figures of these runtimes in the folder, and writes the page if each of all runtimes gave the same figures twice in a row, in one
 * run of the command or in several.
 */
export async function keepFigures(cells, folder, all, isToWrite) {
  mkdirSync(folder, { recursive: true });
  for (const { failed, ...cell } of cells) {
    const file = fileOf(folder, cell.name);
    const before = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : undefined;
    const isSame = JSON.stringify(before?.cell) === JSON.stringify(cell);
    if (failed.length === 0) writeFileSync(file, JSON.stringify({ cell, times: isSame ? before.times + 1 : 1 }));
    else rmSync(file, { force: true });
  }
  if (!isToWrite) return;
  const kept = all.map((name) => {
    const file = fileOf(folder, name);
    return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : { cell: { name }, times: 0 };
  });
  const rare = kept.filter(({ times }) => times < 2);
  if (rare.length > 0) {
    const names = rare.map(({ cell, times }) => `${cell.name} (${times})`).join(", ");
    console.log(
      `${page} is as before: figures are written once they were seen twice without a failure. Missing: ${names}.`,
    );
    return;
  }
  const text = readFileSync(page, "utf8");
  const [begin, end] = marks.map((mark) => text.indexOf(mark));
  const whole = `${text.slice(0, begin)}${marks[0]}\n\n${tableOf(kept.map(({ cell }) => cell))}\n\n${text.slice(end)}`;
  writeFileSync(page, await format(whole, { ...(await resolveConfig(page)), filepath: page }));
  console.log(`${page} is written.`);
}

const fileOf = (folder, name) => join(folder, `${name.replace(" ", "-")}.json`);

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
