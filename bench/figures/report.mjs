// Tables of figures, in Markdown: a median with its range, and the ratio to the loop by hand with its own.

import { median, ratios, spread } from "./statistics.mjs";

/** A number with three digits that count. */
export function short(value) {
  const size = Math.abs(value);
  if (size >= 100) return Math.round(value).toLocaleString("en");
  return value.toFixed(size >= 10 ? 1 : 2);
}

const isOne = ({ low, high }) => short(low) === short(high);

/** `0.73 (0.70 to 0.81)`, or the median alone if that is all there is. */
export function withRange(value) {
  if (value === undefined) return "–";
  return short(value.median) + (isOne(value) ? "" : ` (${short(value.low)} to ${short(value.high)})`);
}

function cell(figures, figure, baseline) {
  const value = spread(figures?.[figure] ?? []);
  if (value === undefined) return "–";
  const ratio = baseline && figures !== baseline ? ratios(figures[figure], baseline[figure]) : undefined;
  return ratio === undefined ? withRange(value) : `${withRange(value)}; **${short(ratio.median)}x**${rangeOf(ratio)}`;
}

const rangeOf = (ratio) => (isOne(ratio) ? "" : ` (${short(ratio.low)} to ${short(ratio.high)})`);

const line = (cells) => `| ${cells.join(" | ")} |`;

function table(head, body) {
  return [line(head), line(head.map(() => "---")), ...body.map(line)].join("\n");
}

/** The tables of one measurement: CPU of the loops, the figures of the other rows, and the work that was sent. */
export function tables(measured, { rows, clients, metrics }) {
  const present = rows.filter(({ name }) => measured[name] !== undefined);
  const loops = present.filter(({ mode }) => mode === "loop");
  const others = present.filter(({ mode }) => mode !== "loop");
  return [loopTable(measured, loops, clients), figureTable(measured, others, { clients, metrics })]
    .filter((text) => text !== "")
    .join("\n\n");
}

const titleOf = (clients, name) => clients[name]?.title ?? `by hand, openai ${name.slice("hand-".length)}`;

function loopTable(measured, rows, clients) {
  if (rows.length === 0) return "";
  const names = [...new Set(rows.flatMap(({ name }) => Object.keys(measured[name])))];
  const head = ["CPU, ms per iteration", ...names.map((name) => titleOf(clients, name)), "last request, KB"];
  const body = rows.map(({ name, title }) => {
    const { hand } = measured[name];
    return [title, ...names.map((client) => cell(measured[name][client], "cpu", hand)), sent(measured[name])];
  });
  return table(head, body);
}

/** The size of the last request, by hand and with lastcall: whether both did the same work. */
function sent({ hand, lastcall }) {
  return [hand, lastcall].map((figures) => (figures?.sent ? short(median(figures.sent)) : "–")).join(" / ");
}

function figureTable(measured, rows, { clients, metrics }) {
  if (rows.length === 0) return "";
  const order = ["hand", "lastcall", "shared", "file"];
  const present = new Set(rows.flatMap(({ name }) => Object.keys(measured[name])));
  const columns = [...order, ...[...present].filter((name) => !order.includes(name))].filter((name) =>
    present.has(name),
  );
  const body = rows.flatMap(({ name, title }) => {
    const figures = [...new Set(Object.values(measured[name]).flatMap((given) => Object.keys(given)))];
    return figures.map((figure) => {
      const { title: what, unit } = metrics[figure];
      const cells = columns.map((client) => {
        return cell(measured[name][client], figure, measured[name].hand);
      });
      return [title, `${what}, ${unit}`, ...cells];
    });
  });
  const names = columns.map((name) => titleOf(clients, name));
  return table(["row", "figure", ...names], body);
}
