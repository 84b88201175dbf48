// A reporter for vitest: its report in JSON, and in it also the folder of the files, the errors that belong to no test, and the words of
// hooks that failed. A script that reads the report can tell a run that failed by its tests from one that failed otherwise.

import { JsonReporter } from "vitest/node";
import { leftOutOf } from "./left-out.mjs";

/** An entry for `reporters` in the configuration of vitest, with the path of the file. */
export class TestReport extends JsonReporter {
  #modules = [];
  #errors = [];

  constructor(outputFile) {
    super({ outputFile });
  }

  async onTestRunEnd(modules, errors, reason) {
    this.#modules = modules;
    this.#errors = [
      ...errors.map((error) => error.stack ?? error.message),
      ...(reason === "interrupted" ? ["The run was interrupted."] : []),
      ...leftOutOf(this.ctx, modules).silent.map((test) => `left out without a reason: ${test.fullName}`),
    ];
    await super.onTestRunEnd(modules);
  }

  async writeReport(text) {
    const report = JSON.parse(text);
    const words = new Map(this.#modules.map((module) => [module.moduleId, hookFailure(module)]));
    const testResults = report.testResults.map((one) => ({
      ...one,
      message: one.message || (words.get(one.name) ?? ""),
    }));
    await super.writeReport(
      JSON.stringify({ ...report, testResults, root: this.ctx.config.root, errors: this.#errors }),
    );
  }
}

/** The words of the first failed hook of a group of tests. */
function hookFailure(module) {
  const failed = [...module.children.allSuites()].find((suite) => suite.errors().length > 0);
  return failed && `${failed.fullName}: ${failed.errors()[0].message}`;
}
