// Drives lastcall through the tasks with one real model, way by way.

import { driveTask } from "./drive.mjs";
import { startRecorder } from "./recorder.mjs";

/**
 * Runs the tasks.
 * @param {object} model One of `models`.
 * @param {{ library: object, baseURL: string, tasks: readonly object[], until: number, say: (line: string) => void,
 *   keep: (line: object) => void }} options `until`: no task begins after this time. `keep` gets each run with its raw exchanges.
 */
export async function runModel({ name, ways, params }, { library, baseURL, tasks, until, say, keep }) {
  const recorder = await startRecorder(baseURL);
  const rows = ways.map((each) => ({ ...each, ...modelOf(each) }));
  function modelOf({ forcing }) {
    // On a busy machine a small server thinks for minutes before its first byte. A request that is sent again makes it worse.
    const idleTimeout = 900_000;
    return {
      model: library.openai({ baseURL: recorder.baseURL, model: name, apiKey: "none", forcing, params, idleTimeout }),
    };
  }
  try {
    // Task by task, so that a run that time cuts off has about as much of each way.
    for (const [place, task] of tasks.entries()) {
      for (const { model, way, rung, tasks: most = Infinity } of rows) {
        if (place >= most || Date.now() > until) continue;
        const run = await driveTask(task, { library, model, take: recorder.take });
        keep({ model: name, way, rung, ...run, endedAt: Date.now() });
        say(`${name} ${way} ${rung}: ${task.id}: ${endOf(run)}`);
      }
    }
  } finally {
    recorder.stop();
  }
}

function endOf({ outcome: { status, reason, message, iterations }, isTrue }) {
  const why = status === "completed" ? (isTrue ? "true" : "false") : (reason ?? message);
  return `${status} (${why}), ${String(iterations)} iterations`;
}
