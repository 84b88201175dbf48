// The part of a simulation that a thread does: it takes seeds, and says what each came to.

import { parentPort } from "node:worker_threads";
import { simulate } from "./simulate.js";
import { bugs, type Bug } from "./world/planted.js";

/** The seeds that a thread is to simulate. */
interface Work {
  readonly seeds: readonly number[];
  readonly planted: Bug | undefined;
  /** True if the journals are to be told as well. */
  readonly tellsJournals: boolean;
}

parentPort?.on("message", (work: Work) => void answer(work));
parentPort?.postMessage({ bugs });

async function answer({ seeds, planted, tellsJournals }: Work): Promise<void> {
  for (const seed of seeds) {
    const { journals, asks, ...came } = await simulate(seed, planted);
    parentPort?.postMessage({ ...came, ...(tellsJournals && { journals, asks }) });
  }
  parentPort?.postMessage("done");
}

export { simulate };
