// A reporter for vitest. It lists the skipped tests by reason. A test that is skipped without a reason fails the run.

/** The reason at the end of the name of a test or of a suite around it, as in `(left out: there is no git)`; undefined without one. */
function reasonFor(test) {
  for (let at = test; at.type !== "module"; at = at.parent) {
    const [, reason] = /\(left out: (.*)\)$/s.exec(at.name) ?? [];
    if (reason !== undefined) return reason;
  }
  return undefined;
}

/** True if the test did not run because a hook around it failed. */
function isCutOff(test) {
  for (let at = test.parent; ; at = at.parent) {
    if (at.errors().length > 0) return true;
    if (at.type === "module") return false;
  }
}

/** The numbers of skipped tests by reason, and the skipped tests without one. None if a person selected some of the tests. */
export function leftOutOf(vitest, modules) {
  const tests = modules.flatMap((module) => [...module.children.allTests()]);
  const byReason = new Map();
  const silent = [];
  if (vitest.config.testNamePattern !== undefined || tests.some(({ options }) => options.mode === "only"))
    return { byReason, silent };
  for (const test of tests.filter((one) => one.result().state === "skipped" && !isCutOff(one))) {
    const reason = reasonFor(test);
    if (reason === undefined) silent.push(test);
    else byReason.set(reason, (byReason.get(reason) ?? 0) + 1);
  }
  return { byReason, silent };
}

/** An entry for `reporters` in the configuration of vitest. */
export class LeftOut {
  onInit(vitest) {
    this.vitest = vitest;
  }

  onTestRunEnd(modules) {
    const { byReason, silent } = leftOutOf(this.vitest, modules);
    if (byReason.size > 0) console.log("\nLeft out:");
    for (const [reason, count] of byReason) console.log(`  ${count} ${count === 1 ? "test" : "tests"}: ${reason}`);
    if (silent.length === 0) return;
    console.log(
      "\nLeft out without a reason. Give a reason at the end of the name, as in (left out: there is no git):",
    );
    for (const test of silent) console.log(`  ${test.module.relativeModuleId} > ${test.fullName}`);
    process.exitCode = 1;
  }
}
