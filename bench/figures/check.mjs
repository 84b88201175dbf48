// The decision of `npm run bench:check`: a ratio to the loop by hand may not be worse than the kept one beyond the noise.

import { ratios, spread } from "./statistics.mjs";

/** The least noise, as a share: another day moves a median this much even if its rounds agree. */
const leastBand = 0.1;

/**
 * The ratios of all judged figures: by row, client and figure. The band is the whole width of the measured range as a share of the
 * median, and at least a tenth.
 */
export function keptRatios(measured, rows) {
  const kept = {};
  for (const { row, client, figure, ratio } of judgedRatios(measured, rows)) {
    const { median, low, high } = ratio;
    const band = Math.max(leastBand, (high - low) / median);
    ((kept[row] ??= {})[client] ??= {})[figure] = { ratio: rounded(median), band: rounded(band) };
  }
  return kept;
}

/** Compares measured figures with kept ratios and with the limits of the rows. Each problem is a sentence; so is each note. */
export function check(measured, kept, rows) {
  const problems = [];
  const notes = [];
  for (const { row, client, figure, ratio } of judgedRatios(measured, rows)) {
    const before = kept[row]?.[client]?.[figure];
    const name = `${row}, ${client}, ${figure}`;
    if (before === undefined) {
      notes.push(`${name}: no ratio is kept.`);
      continue;
    }
    const worst = before.ratio * (1 + before.band);
    const range = `${shown(ratio.median)} (${shown(ratio.low)} to ${shown(ratio.high)})`;
    const beside = `the kept ratio is ${shown(before.ratio)}, its band ${Math.round(100 * before.band)} %`;
    if (ratio.median > worst) {
      problems.push(
        `${name}: the ratio to the loop by hand is ${range}; ${beside}, so at most ${shown(worst)} is noise.`,
      );
    } else if (ratio.median < before.ratio / (1 + before.band)) {
      notes.push(`${name}: better than kept, ${range}; ${beside}. --write keeps it.`);
    }
  }
  return { problems: [...problems, ...missedLimits(measured, rows)], notes };
}

/** A sentence for each figure that is over the limit of its row. */
export function missedLimits(measured, rows) {
  return rows.flatMap(({ name, limits = {} }) =>
    Object.entries(measured[name] ?? {}).flatMap(([client, figures]) =>
      Object.entries(limits).flatMap(([figure, most]) => {
        const value = spread(figures[figure] ?? [])?.median;
        return value > most ? [`${name}, ${client}, ${figure}: ${shown(value)} is over the limit of ${most}.`] : [];
      }),
    ),
  );
}

function judgedRatios(measured, rows) {
  return rows.flatMap(({ name, judged }) => {
    const { hand = {}, ...others } = measured[name] ?? {};
    return Object.entries(others).flatMap(([client, figures]) =>
      judged.flatMap((figure) => {
        const ratio = client.startsWith("hand-") ? undefined : ratios(figures[figure], hand[figure]);
        return ratio === undefined ? [] : [{ row: name, client, figure, ratio }];
      }),
    );
  });
}

const rounded = (value) => Number(value.toFixed(3));
const shown = (value) => value.toFixed(2);
