// The part of a simulation that a thread does: it takes seeds, and says what each came to.

import { parentPort } from "node:worker_threads";
import { simulate } from "./simulate.js";
import type { Bug } from "./world/planted.js";

/** The seeds that a thread is to simulate. */
interface Work {
  readonly seeds: readonly number[];
  readonly planted?: Bug;
}

parentPort?.on("message", (work: Work) => void answer(work));

async function answer({ seeds, planted }: Work): Promise<void> {
  for (const seed of seeds) {
    const { findings, digest, counts } = await simulate(seed, planted);
    parentPort?.postMessage({ seed, findings, digest, counts });
  }
  parentPort?.postMessage("done");
}
