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
  const rows = [];
  try {
    for (const { way, rung, forcing, tasks: most = Infinity } of ways) {
      const model = library.openai({ baseURL: recorder.baseURL, model: name, apiKey: "none", forcing, params });
      const runs = [];
      const chosen = tasks.slice(0, most);
      for (const task of chosen) {
        if (Date.now() > until) break;
        const run = await driveTask(task, { library, model, take: recorder.take });
        keep({ model: name, way, rung, ...run });
        runs.push(run);
        const { status, reason = "", message = "", iterations } = run.outcome;
        say(`${name} ${way} ${rung}: ${task.id}: ${status} ${reason} ${status === "failed" ? message : ""} (${iterations})`);
      }
      const counts = addCounts(runs.map(countsOf));
      rows.push({ model: name, way, rung, counts, runs, steps: runs.flatMap(({ steps }) => steps), left: chosen.length - runs.length });
    }
    return rows;
  } finally {
    recorder.stop();
  }
}
