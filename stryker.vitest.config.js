import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: [
      "test/model/{text,heal}/*.test.ts",
      "test/model/{accumulate,reply,forcing}.test.ts",
      "test/core/{circuit,stall}.test.ts",
    ],
    testTimeout: 20_000,
  },
});
