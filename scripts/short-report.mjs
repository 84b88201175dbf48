// A reporter for vitest with few lines: a file that passed has no line of its own if many files run. Failures are told in full, as by
// vitest's default reporter.

import { DefaultReporter } from "vitest/node";

/** With more files than these, a file that passed has no line of its own. */
const most = 20;

/** After this many files there is a line that says how far the run is, unless a terminal shows it. */
const step = 50;

/** An entry for `reporters` in the configuration of vitest. */
export class ShortReport extends DefaultReporter {
  #files = 0;
  #ended = 0;

  onTestRunStart(specifications) {
    this.#files = specifications.length;
    this.#ended = 0;
    super.onTestRunStart(specifications);
  }

  printTestModule(module) {
    this.#ended += 1;
    if (this.#files <= most || module.state() === "failed") super.printTestModule(module);
    else if (!this.isTTY && this.#ended % step === 0) this.log(` ${this.#ended} of ${this.#files} files`);
  }

  /** In a file that failed, only the tests that failed have a line. The others passed or were left out. */
  printTestCase(state, test) {
    if (this.#files <= most || test.result().state === "failed") super.printTestCase(state, test);
  }
}
