// Bundles a worker into one file for workerd, with the entries of the package as a worker gets them.

import { resolve } from "node:path";
import { build } from "rolldown";
import "./dist.js";

const root = resolve(import.meta.dirname, "..");

/** Bundles the file of this repository into `file`. */
export async function bundleWorker(input: string, file: string): Promise<void> {
  await build({
    cwd: root,
    input,
    platform: "neutral",
    // The settings of this repository lead to its sources.
    tsconfig: false,
    resolve: { conditionNames: ["workerd", "import", "default"], mainFields: ["module", "main"] },
    output: { file, codeSplitting: false },
  });
}
