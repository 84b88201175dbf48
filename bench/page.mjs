// The kept figures, and the tables and the plot of docs/performance.md that are drawn from them.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { format } from "prettier";
import { keptRatios, plot, tables } from "./figures/index.mjs";
import { clients, metrics, rows } from "./rows.mjs";

const fileOf = (name) => fileURLToPath(new URL(name, import.meta.url));
const results = fileOf("results.json");
const kept = fileOf("ratios.json");
const page = fileOf("../docs/performance.md");
const picture = fileOf("../docs/performance.svg");

const read = (file) => (existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {});
const write = async (file, value) => {
  const text = await format(JSON.stringify(value), { parser: "json", printWidth: 120 });
  writeFileSync(file, text);
};
const major = (version) => `Node ${version.split(".")[0]}`;

/** The kept ratios of this version of Node. It throws if there are none. */
export function keptRatiosOf(version) {
  const all = read(kept);
  const own = all[major(version)];
  if (own !== undefined) return own;
  const known = Object.keys(all).join(", ") || "none";
  throw new Error(
    `No ratios are kept for ${major(version)} (kept: ${known}). \`npm run bench -- --write\` keeps them.`,
  );
}

/** The machine and the day of a measurement, and the load beside it. */
export function conditions({ node, cores, date, rounds, foreign }) {
  const others = `other programs used ${foreign.median.toFixed(2)} cores (at most ${foreign.high.toFixed(2)})`;
  return `Node ${node}, ${cores} cores, ${date}, ${rounds} rounds; ${others}`;
}

/** Keeps the figures of these rows in place of earlier ones of the same major version of Node. */
export async function keep(about, measured) {
  const all = read(results);
  const before = all[major(about.node)];
  const figures = { ...before?.measured, ...rounded(measured) };
  all[major(about.node)] = { about, measured: figures };
  await write(results, all);
  await write(kept, { ...read(kept), [major(about.node)]: keptRatios(figures, rows) });
}

/** Four digits that count are enough for any figure here. */
function rounded(value) {
  if (typeof value === "number") return Number(value.toPrecision(4));
  if (Array.isArray(value)) return value.map(rounded);
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, rounded(inner)]));
}

/** Draws the tables and the plot from the kept figures. */
export async function draw() {
  const all = read(results);
  const parts = Object.entries(all).map(([name, { about, measured }]) => {
    return `### ${name}\n\n${conditions(about)}.\n\n${tables(measured, { rows, clients, metrics })}`;
  });
  await place("bench", parts.join("\n\n"));
  const [name, newest] = Object.entries(all).at(-1);
  const loops = rows.filter(({ mode }) => mode === "loop");
  writeFileSync(picture, plot(newest.measured, loops, `CPU per iteration, ${name}: ratio to the loop by hand`));
  return 0;
}

/** Puts the text between the marks of the page. It throws if they are not there. */
export async function place(name, text) {
  const whole = readFileSync(page, "utf8");
  const [begin, end] = [`<!-- ${name} -->`, `<!-- end of ${name} -->`];
  const [before, rest] = whole.split(begin);
  const after = rest?.split(end)[1];
  if (after === undefined) throw new Error(`docs/performance.md has no ${begin} and ${end}.`);
  const drawn = `${before}${begin}\n\n${text}\n\n${end}${after}`;
  writeFileSync(page, await format(drawn, { parser: "markdown", printWidth: 120, embeddedLanguageFormatting: "off" }));
}
