// Sums up the kept lines of a run: the rows of the table, and the second look at the raw replies.

import { addCounts, countsOf } from "./counts.mjs";
import { lookAgain } from "./second-look.mjs";

/**
 * The rows of the table, in the order of the models and their ways.
 * @param {readonly object[]} lines
 * @param {readonly object[]} models
 * @param {number} tasks The number of tasks that were chosen.
 * @returns {readonly object[]} `{ model, way, rung, counts, runs, steps, left }`; `left`: tasks that time left out.
 */
export function rowsOf(lines, models, tasks) {
  return models.flatMap(({ name, ways }) =>
    ways.flatMap(({ way, rung, tasks: most = Infinity }) => {
      const runs = lines.filter((line) => line.model === name && line.rung === rung);
      if (runs.length === 0) return [];
      const steps = runs.flatMap((run) => run.steps);
      const left = Math.min(most, tasks) - runs.length;
      return [{ model: name, way, rung, counts: addCounts(runs.map(countsOf)), runs, steps, left }];
    }),
  );
}

/** The second look at all replies: the sums, and the suspects with their task and rung. */
export function lookedAt(lines) {
  const sum = { replies: 0, apart: 0, suspects: [] };
  for (const line of lines) {
    const { replies, apart, suspects } = lookAgain(line);
    sum.replies += replies;
    sum.apart += apart;
    sum.suspects.push(...suspects.map((each) => ({ task: line.task, rung: line.rung, ...each })));
  }
  return sum;
}
