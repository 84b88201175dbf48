import { defineConfig } from "vitest/config";
import { BaseSequencer } from "vitest/node";

/** What starts processes takes longest and comes first, so that no worker is left with a long file when the others are done. */
class LongestFirst extends BaseSequencer {
  async sort(files) {
    const isLong = ({ moduleId }) =>
      /\/test\/(?:(?:package|guide|docs)\.|(?:cli|e2e|chaos|scenarios)\/)/.test(moduleId);
    const sorted = await super.sort(files);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/global-setup.ts"],
    typecheck: { enabled: true, include: ["test/**/*.test-d.ts"], tsconfig: "test/tsconfig.types.json" },
    // For what hangs: what takes long says so itself.
    testTimeout: 60_000,
    // Each file leaves things as it found them, so that nothing has to be loaded again for the next one.
    isolate: false,
    sequence: { sequencer: LongestFirst },
    // Most of the time tests wait for processes and servers: a core that is left free only makes them wait longer.
    maxWorkers: "100%",
  },
});
