// Drives lastcall through the tasks with one real model, way by way.

import { driveTask } from "./drive.mjs";
import { countsOf, addCounts } from "./counts.mjs";
import { startRecorder } from "./recorder.mjs";

/**
 * Runs the tasks.
 * @param {object} model One of `models`.
 * @param {{ library: object, baseURL: string, tasks: readonly object[], until: number, say: (line: string) => void,
 *   keep?: (line: object) => void }} options `until`: no task begins after this time. `keep` gets each run with its raw exchanges.
 * @returns {Promise<readonly object[]>} Rows `{ model, way, rung, counts, runs, steps, left }`; `left`: tasks that time left out.
 */
export async function runModel({ name, ways, params }, { library, baseURL, tasks, until, say, keep = () => undefined }) {
  const recorder = await startRecorder(baseURL);
  const rows = ways.map((each) => ({ ...each, runs: [], ...modelOf(each) }));
  function modelOf({ forcing }) {
    return { model: library.openai({ baseURL: recorder.baseURL, model: name, apiKey: "none", forcing, params }) };
  }
  try {
    // Task by task, so that a run that time cuts off has about as much of each way.
    for (const [place, task] of tasks.entries()) {
      for (const { model, way, rung, runs, tasks: most = Infinity } of rows) {
        if (place >= most || Date.now() > until) continue;
        const run = await driveTask(task, { library, model, take: recorder.take });
        keep({ model: name, way, rung, ...run });
        runs.push(run);
        say(`${name} ${way} ${rung}: ${task.id}: ${endOf(run)}`);
      }
    }
  } finally {
    recorder.stop();
  }
  return rows.map(({ way, rung, runs, tasks: most = Infinity }) => {
    const counts = addCounts(runs.map(countsOf));
    const steps = runs.flatMap((run) => run.steps);
    return { model: name, way, rung, counts, runs, steps, left: Math.min(most, tasks.length) - runs.length };
  });
}

function endOf({ outcome: { status, reason, message, iterations }, isTrue }) {
  const why = status === "completed" ? (isTrue ? "true" : "false") : (reason ?? message);
  return `${status} (${why}), ${String(iterations)} iterations`;
}
