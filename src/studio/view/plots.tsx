// Plots of a session: tokens, cost, latency and failures over its iterations.

import type { JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import uPlot from "uplot";
import { figure, heightOf, seriesOf, wholeSteps, type Plot } from "../data/series.js";
import type { IterationRow } from "../data/row.js";

/** Pixels of a plot. */
const plotHeight = 170;

/** The plots. */
export function Plots({ iterations }: { readonly iterations: readonly IterationRow[] }): JSX.Element {
  const plots = useMemo(() => seriesOf(iterations), [iterations.length]);
  if (iterations.length === 0) return <p class="empty">There are no iterations yet.</p>;
  return (
    <div class="plots">
      {plots.map((plot) => (
        <Chart key={plot.title} plot={plot} />
      ))}
    </div>
  );
}

/** The colour behind a name of the style sheet. A canvas knows no names, and a name has one colour for light and one for dark. */
function colourOf(element: HTMLElement, name: string): string {
  element.style.color = `var(${name})`;
  const { color } = getComputedStyle(element);
  element.style.color = "";
  return color;
}

const dark = matchMedia("(prefers-color-scheme: dark)");

/** True in the dark. It changes with the system. */
function useDark(): boolean {
  const [isDark, setDark] = useState(dark.matches);
  useEffect(() => {
    const change = (): void => {
      setDark(dark.matches);
    };
    dark.addEventListener("change", change);
    return () => {
      dark.removeEventListener("change", change);
    };
  }, []);
  return isDark;
}

/** The value at the pointer. Without a pointer, the last value. */
function atPointer({ data }: uPlot, value: number | null, series: number, at: number | null): string {
  const shown = at === null ? data[series]?.at(-1) : value;
  return shown === null || shown === undefined ? "" : series === 0 ? String(shown) : figure(shown);
}

const colours = ["--line-1", "--line-2", "--line-3"];

function Chart({ plot }: { readonly plot: Plot }): JSX.Element {
  const place = useRef<HTMLDivElement>(null);
  const { title, x, lines, unit, isWhole } = plot;
  const isDark = useDark();
  useEffect(() => {
    const element = place.current;
    if (element === null) return;
    const axis = { stroke: colourOf(element, "--dim"), grid: { stroke: colourOf(element, "--edge"), width: 1 } };
    const chart = new uPlot(
      {
        width: element.clientWidth,
        height: plotHeight,
        scales: { x: { time: false }, y: { range: (_chart, _lowest, highest) => heightOf(highest) } },
        axes: [
          { ...axis, incrs: [...wholeSteps] },
          {
            ...{ ...axis, size: 56, values: (_chart, ticks) => ticks.map(figure) },
            ...(isWhole && { incrs: [...wholeSteps] }),
          },
        ],
        series: [
          { label: "iteration", value: atPointer },
          ...lines.map(({ label }, at) => ({
            ...{ label, width: 1, stroke: colourOf(element, colours[at] ?? "--dim"), value: atPointer },
          })),
        ],
      },
      [[...x], ...lines.map(({ values }) => [...values])],
      element,
    );
    // The type of the package has no null: there is no pointer yet.
    chart.setLegend({ idx: null as unknown as number }, false);
    const observer = new ResizeObserver(() => {
      chart.setSize({ width: element.clientWidth, height: plotHeight });
    });
    observer.observe(element);
    return () => {
      observer.disconnect();
      chart.destroy();
    };
  }, [plot, isDark]);
  return (
    <figure class="plot">
      <figcaption>
        {title} <span class="dim">{unit}</span>
      </figcaption>
      <div ref={place} />
    </figure>
  );
}
