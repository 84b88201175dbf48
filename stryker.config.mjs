// npm run mutation: how much of the reading of models the tests would notice if it were otherwise.

export default {
  testRunner: "vitest",
  vitest: { configFile: "stryker.vitest.config.js" },
  plugins: ["@stryker-mutator/vitest-runner"],
  coverageAnalysis: "perTest",
  ignoreStatic: true,
  concurrency: 2,
  mutate: [
    "src/model/text/{xml,xml-fields,leaf,gate,scan,quiet,prose}.ts",
    "src/model/heal/*.ts",
    "src/model/accumulate.ts",
    "src/model/accumulate-calls.ts",
    "src/model/forcing.ts",
    "src/core/{circuit,stall}.ts",
  ],
  reporters: ["clear-text", "progress-append-only", "json"],
  jsonReporter: { fileName: "coverage/mutation.json" },
  tempDirName: "coverage/stryker",
};
