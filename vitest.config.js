import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/global-setup.ts"],
    typecheck: { enabled: true, include: ["test/**/*.test-d.ts"], tsconfig: "test/tsconfig.types.json" },
    testTimeout: 20_000,
    // Most of the time tests wait for processes and servers: a core that is left free only makes them wait longer.
    maxWorkers: "100%",
  },
});
