// Checks everything that must hold before a change lands: `npm run check`. The last line counts the tests of all runs. The failed ones
// are named above it.
//
// The README's commands run on a bare machine first. Then follow, on this machine, an install, all tests, types, lint, build and package.
// At the end the files of failed tests run once more, each alone. Tests that pass then are listed as flaky, and do not fail the check;
// scripts/check/judge.mjs has the terms. The script needs no node_modules. CI passes `-- --install`, which installs the programs that some
// tests need before the second part.

import { runCheck } from "./check/run-check.mjs";

const install = process.argv.includes("--install")
  ? [{ name: "programs", command: ["node", "scripts/install-programs.mjs"] }]
  : [];

/** The tests in which models send requests, for the second transport. `npm run test:fetch` without them runs all. */
const overFetch = ["--project", "fast", "test/model", "test/e2e", "test/scenarios"];

/** A second try over fetch builds `dist` for it, so it is built as usual again. */
const onceOverFetch = 'npm run test:fetch -- --project fast "$0"; code=$?; npm run --silent build && exit $code';

/** Nothing runs beside tests, because they measure times and wait for processes. */
const phases = [
  [
    [
      {
        name: "tests on a bare machine",
        command: ["node", "scripts/bare.mjs"],
        again: (file) => ["node", "scripts/bare.mjs", `npm test -- '${file}'`],
      },
      ...install,
      { name: "install", command: ["npm", "ci"] },
    ],
  ],
  [
    [
      { name: "fast tests", command: ["npm", "test"], again: (file) => ["npm", "test", "--", file] },
      {
        name: "slow tests",
        command: ["npm", "run", "test:slow"],
        again: (file) => ["npm", "run", "test:slow", "--", file],
      },
      {
        name: "tests over fetch",
        command: ["npm", "run", "test:fetch", "--", ...overFetch],
        again: (file) => ["sh", "-c", onceOverFetch, file],
      },
    ],
  ],
  [
    [{ name: "lint", command: ["npm", "run", "lint:rules"] }],
    [
      { name: "types", command: ["npm", "run", "types"] },
      { name: "format", command: ["npm", "run", "lint:format"] },
      { name: "api reference", command: ["npm", "run", "docs"] },
    ],
  ],
  [
    [
      { name: "build", command: ["npm", "run", "build"] },
      { name: "package", command: ["npm", "run", "package"] },
    ],
  ],
];

process.exitCode = (await runCheck(phases)) ? 0 : 1;
