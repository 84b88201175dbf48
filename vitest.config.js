import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/global-setup.ts"],
    typecheck: { enabled: true, include: ["test/**/*.test-d.ts"], tsconfig: "test/tsconfig.types.json" },
    // For what hangs: what takes long says so itself.
    testTimeout: 60_000,
    // Each file leaves things as it found them, so that nothing has to be loaded again for the next one.
    isolate: false,
    // Most of the time tests wait for processes and servers: a core that is left free only makes them wait longer.
    maxWorkers: "100%",
  },
});
