// npm run mutation: how much of the reading of models the tests would notice if it were otherwise.

export default {
  testRunner: "vitest",
  vitest: { configFile: "stryker.vitest.config.js" },
  plugins: ["@stryker-mutator/vitest-runner"],
  coverageAnalysis: "perTest",
  ignoreStatic: true,
  concurrency: 2,
  mutate: [
    "src/model/text/{safe-prefix,scan,prose}.ts",
    "src/model/text/reading/quiet.ts",
    "src/model/text/xml/{read-xml,xml-fields,leaf}.ts",
    "src/model/heal/*.ts",
    "src/model/wire/accumulate.ts",
    "src/model/wire/accumulate-calls.ts",
    "src/model/forcing.ts",
    "src/core/journal/{circuit,stall}.ts",
  ],
  reporters: ["clear-text", "progress-append-only", "json"],
  jsonReporter: { fileName: "coverage/mutation.json" },
  tempDirName: "coverage/stryker",
};
