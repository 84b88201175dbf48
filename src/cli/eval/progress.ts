// The progress of an evaluation in a line: done, running, cost and the time that is left.

import type { EvalEvent } from "../../evals/index.js";
import { visible } from "../display/visible.js";

/** Prints the progress of an evaluation. */
export interface Progress {
  take(event: EvalEvent): void;
}

/** A part of the clock: milliseconds that only grow. */
type Now = () => number;

/** Makes the printer. The time left goes by the trials of this process, and by how many trials run at once. */
export function progressTo(say: (line: string) => void, now: Now = () => performance.now()): Progress {
  const startedAt = now();
  let planned = 0;
  let before = 0;
  return {
    take(event) {
      switch (event.type) {
        case "eval-start":
          planned = event.planned;
          before = event.done;
          say(
            visible(
              `${event.folder}: ${String(event.planned)} trials${event.done === 0 ? "" : `, ${String(event.done)} of them made before`}`,
            ),
          );
          break;
        case "control":
          say(visible(`control of ${event.task}: ${event.unmet === undefined ? "passed" : `void: ${event.unmet}`}`));
          break;
        case "trial-again":
          say(visible(`${event.trial}: void, tried once more: ${event.why}`));
          break;
        case "eval-limit":
          say(visible(event.why));
          break;
        case "trial-start":
          break;
        case "trial-end": {
          const { row, done, running, cost } = event;
          const made = done - before;
          const left = made === 0 ? 0 : ((now() - startedAt) / made) * (planned - done);
          const parts = [
            `${String(done)}/${String(planned)}`,
            `${row.id} ${row.result}`,
            `${String(running)} running`,
            ...(cost === 0 ? [] : [`cost ${String(Number(cost.toPrecision(3)))}`]),
            ...(done === planned ? [] : [`${duration(left)} left`]),
          ];
          say(visible(parts.join(", ")));
          break;
        }
      }
    },
  };
}

function duration(milliseconds: number): string {
  const seconds = Math.ceil(milliseconds / 1000);
  if (seconds < 60) return `${String(seconds)} s`;
  return seconds < 3600 ? `${String(Math.ceil(seconds / 60))} min` : `${(seconds / 3600).toFixed(1)} h`;
}
