import { lstatSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { defineConfig } from "vitest/config";
import { BaseSequencer } from "vitest/node";
import { longestFirst } from "./scripts/check/parts.mjs";
import { LeftOut } from "./scripts/left-out.mjs";
import { transportPlugins } from "./scripts/over-fetch.mjs";
import { ShortReport } from "./scripts/short-report.mjs";
import { TestReport } from "./scripts/test-report.mjs";

/** The files that take many minutes in `npm run chaos`, the longest first, and after them the longest of the other slow files. */
const chaos = ["workspace-races", "streams", "resources", "kill-points"];
const longest = [...chaos.map((name) => `test/chaos/${name}.slow.test.ts`), ...longestFirst];

/** Files that start processes take longest and come first, so that no worker is left with a long file when the others are done. */
class LongestFirst extends BaseSequencer {
  async sort(files) {
    const isLong = ({ moduleId }) => /\/test\/(?:cli|e2e|chaos|examples|scenarios|shell)\/|\.slow\./.test(moduleId);
    const rank = (file) => {
      const place = longest.findIndex((name) => file.moduleId.endsWith(`/${name}`));
      if (place >= 0) return place;
      return isLong(file) ? longest.length : longest.length + 1;
    };
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b));
  }
}

/** Every test is in one of the two suites: in the slow one if its file's name ends in `.slow.test.ts`, else in the fast one. */
const all = "test/**/*.test.ts";
const slow = "test/**/*.slow.test.ts";

/** Tests that a check runs elsewhere, or at another time: patterns with a comma between them. */
const without = (process.env["TEST_WITHOUT"] ?? "").split(",").filter(Boolean);

/** What both suites have. */
const both = {
  // For what hangs: what takes long says so itself. A hook copies folders and starts databases, beside two other workers.
  testTimeout: 60_000,
  hookTimeout: 60_000,
  // expect.poll gives up after a second if it is not told otherwise, which is little on a busy machine.
  expect: { poll: { timeout: 20_000 } },
  // A failure that is seen once in a while has to say everything the first time.
  chaiConfig: { truncateThreshold: 2000 },
  // Each file leaves things as it found them, so that nothing has to be loaded again for the next one.
  isolate: false,
};

/** Tests wait for processes and servers, so there are more workers than cores. Chaos has processes enough that it kills. */
const workers = Math.ceil(availableParallelism() * (process.env["CHAOS"] === undefined ? 1.5 : 1));

/** A file for a report in JSON, for the scripts that count tests. */
const report = process.env["TEST_REPORT"];

const packages = join(import.meta.dirname, "node_modules");

export default defineConfig({
  test: {
    reporters: [new ShortReport(), new LeftOut(), ...(report ? [new TestReport(report)] : [])],
    globalSetup: ["test/global-setup.ts"],
    sequence: { sequencer: LongestFirst },
    maxWorkers: workers,
    // A file is translated once for all runs, until its text changes: the key has the text in it. A copy with linked packages keeps nothing.
    experimental: {
      fsModuleCache: lstatSync(packages).isDirectory(),
      fsModuleCachePath: join(packages, ".cache/vitest"),
    },
    projects: [
      {
        plugins: transportPlugins(),
        test: {
          ...both,
          name: "fast",
          include: [all],
          exclude: [slow, ...without],
        },
      },
      {
        plugins: transportPlugins(),
        test: {
          ...both,
          name: "slow",
          include: [slow],
          exclude: without,
          typecheck: { enabled: true, include: ["test/**/*.test-d.ts"], tsconfig: "test/tsconfig.types.json" },
        },
      },
    ],
  },
});
