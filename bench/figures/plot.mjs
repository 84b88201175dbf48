// The plot of ratios to the loop by hand, as an SVG that is drawn for light and for dark pages, 400 units wide.

import { ratios } from "./statistics.mjs";

const width = 400;
const left = 194;
const right = 388;
const rowHeight = 15;

/** The marks differ in shape, so that colours are not needed to tell them apart. */
const series = {
  lastcall: { title: "lastcall", mark: (x, y) => `<circle cx="${x}" cy="${y}" r="4"/>` },
  file: {
    title: "file store",
    mark: (x, y) => `<rect x="${tidy(x - 3.5)}" y="${tidy(y - 3.5)}" width="7" height="7"/>`,
  },
  sqlite: {
    title: "SQLite store",
    mark: (x, y) => `<path d="M${x} ${tidy(y - 5)}l5 5l-5 5l-5-5z"/>`,
  },
};

const style = `
  text { font: 12px system-ui, sans-serif; fill: #1f2328 }
  .small { font-size: 11px; fill: #57606a }
  .grid { stroke: #d0d7de } .one { stroke: #57606a; stroke-dasharray: 3 3 }
  .lastcall { fill: #0969da; stroke: #0969da } .file { fill: #9a5b00; stroke: #9a5b00 } .sqlite { fill: #1a7f37; stroke: #1a7f37 }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 } .small { fill: #9da7b3 }
    .grid { stroke: #30363d } .one { stroke: #9da7b3 }
    .lastcall { fill: #58a6ff; stroke: #58a6ff } .file { fill: #e3a84b; stroke: #e3a84b } .sqlite { fill: #56d364; stroke: #56d364 }
  }
`;

const tidy = (value) => Number(value.toFixed(1));
const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

/** Draws the ratios of CPU per iteration of these rows, on a logarithmic axis. A line through a mark is the range of its rounds. */
export function plot(measured, rows, title) {
  const groups = rows.flatMap((row) => {
    const { hand, ...others } = measured[row.name] ?? {};
    const marks = Object.keys(series).flatMap((name) => {
      const ratio = hand && ratios(others[name]?.cpu, hand.cpu);
      return ratio === undefined ? [] : [{ name, ratio }];
    });
    return marks.length === 0 ? [] : [{ title: row.title, marks }];
  });
  const all = groups.flatMap(({ marks }) => marks.map(({ ratio }) => ratio));
  const low = Math.min(0.5, ...all.map((ratio) => ratio.low));
  const high = Math.max(2, ...all.map((ratio) => ratio.high));
  const at = (ratio) => tidy(left + ((right - left) * Math.log(ratio / low)) / Math.log(high / low));
  const ticks = [0.125, 0.25, 0.5, 1, 2, 4, 8].filter((tick) => tick >= low && tick <= high);

  const parts = [];
  let y = 62;
  for (const { title: name, marks } of groups) {
    const middle = y + (marks.length * rowHeight) / 2;
    parts.push(`<text x="${left - 8}" y="${tidy(middle + 4)}" text-anchor="end" class="small">${escaped(name)}</text>`);
    for (const { name: of, ratio } of marks) {
      const line = tidy(y + rowHeight / 2);
      const range = `<path d="M${at(ratio.low)} ${line}H${at(ratio.high)}" stroke-width="2"/>`;
      const words = `${series[of].title}: ${ratio.median.toFixed(2)} (${ratio.low.toFixed(2)} to ${ratio.high.toFixed(2)})`;
      parts.push(`<g class="${of}"><title>${words}</title>${range}${series[of].mark(at(ratio.median), line)}</g>`);
      y += rowHeight;
    }
    y += 8;
  }
  const grid = ticks.map((tick) => {
    const line = `<path class="${tick === 1 ? "one" : "grid"}" d="M${at(tick)} 56V${y}"/>`;
    return `${line}<text class="small" x="${at(tick)}" y="${y + 14}" text-anchor="middle">${tick}x</text>`;
  });
  const used = Object.keys(series).filter((name) =>
    groups.some(({ marks }) => marks.some((mark) => mark.name === name)),
  );
  const legend = used.map((name, index) => {
    const x = 12 + index * 110;
    return `<g class="${name}">${series[name].mark(x, 38)}</g><text x="${x + 10}" y="42">${series[name].title}</text>`;
  });
  const height = y + 38;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
<title>${escaped(title)}</title>
<style>${style}</style>
<text x="8" y="18">${escaped(title)}</text>
${[...legend, ...grid, ...parts].join("\n")}
<text class="small" x="${(left + right) / 2}" y="${y + 30}" text-anchor="middle">loop by hand = 1x; less is better</text>
</svg>
`;
}
