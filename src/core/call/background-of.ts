// The calls in the background, as tools see them.

import type { BackgroundWork } from "../ports/tool.js";
import type { Run } from "../run/run.js";

/** The calls of the run that go on in the background. */
export function backgroundOf(run: Run): BackgroundWork {
  const textOf = (work: string): string | undefined => {
    const end = run.memory.records.findLast((record) => record.type === "background-end" && record.work === work);
    return end?.type === "background-end" ? end.result.text : undefined;
  };
  return {
    look: (work) => {
      const output = run.background.outputOf(work);
      if (output !== undefined) return { status: "running", output };
      const text = textOf(work);
      const isKnown = text !== undefined || run.state.background.some((call) => call.work === work);
      return isKnown ? { status: "ended", text } : undefined;
    },
    wait: (work, ms) => run.background.wait(work, ms, run.signal),
    stop: (work) => run.background.stop(work),
  };
}
