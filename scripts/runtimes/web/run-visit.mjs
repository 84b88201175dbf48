// Runs a file of tests on a visit at the side of Node.

import "./buffer-of-tests.mjs";
import { runFile } from "../run-file.mjs";
import { beginVisit } from "./visit.mjs";

/** The result of each test; see run-file.mjs. */
export async function runVisit(url, file, without) {
  const visit = await beginVisit(url);
  try {
    return await runFile(file, { without });
  } finally {
    visit.end();
  }
}
