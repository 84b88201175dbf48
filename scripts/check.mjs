// Checks everything that must hold before a change lands: `npm run check`. The last line counts the tests of all runs. The failed ones
// are named above it.
//
// The README's commands run on a bare machine first, and some of the slow tests that need no program. Then follow, on this machine, an install, types, lint, the package and the tests.
// Fast tests that need no program ran on the bare machine already. They take turns with other parts that are too long for each check.
// At the end the files of failed tests run once more, each alone. Tests that pass then are listed as flaky, and do not fail the check;
// scripts/check/judge.mjs has the terms. The script needs no node_modules. CI passes `-- --install`, which installs the programs that some
// tests need before the second part.

import { resolve } from "node:path";
import { commitOf, filesAlike, partsFor, slowInTurn } from "./check/parts.mjs";
import { runCheck } from "./check/run-check.mjs";

const root = resolve(import.meta.dirname, "..");

/** The tests in which models send requests, for the second transport. `npm run test:fetch` without them runs all. */
const overFetch = ["--project", "fast", "test/model", "test/e2e", "test/scenarios"];

/** A second try over fetch builds `dist` for it, so it is built as usual again. */
const onceOverFetch = 'npm run test:fetch -- --project fast "$0"; code=$?; npm run --silent build && exit $code';

/** A part of the chaos suite and one more of the parts that take turns: see scripts/check/parts.mjs. */
const alike = filesAlike(root);
const commit = commitOf(root);
const { chaos, runtimes, other, bare, left, turn } = partsFor(commit, alike);
/** Tests of many trials make a share of them in each check: test/turn.ts. */
process.env["TEST_TURN"] = String(turn);
const chaosPart = ["npm", "run", "chaos", "--", "--part", chaos];
console.log(
  `Of the parts that take turns, the commit ${commit.slice(0, 12)} has: chaos ${chaos}, ${other.map(({ name }) => name).join(", ")}; TEST_TURN is ${turn}.`,
);

/** Next and Nitro, of which one slow test makes servers, have many megabytes: they are brought for its turn. */
const hasFrameworks = other.some(({ slow }) => slow === slowInTurn.beside);
const programs = ["node", "scripts/install-programs.mjs", ...(hasFrameworks ? [] : ["--without-frameworks"])];
const install = process.argv.includes("--install") ? [{ name: "programs", command: programs }] : [];

const inRuntimes = ["npm", "run", "test:runtimes", "--", "--part"];

/** Slow tests that once were fast, and so ran on the bare machine: an eighth of them does. */
const slowOnBare = `TEST_TURN=${turn} npm run test:slow -- ${bare.join(" ")}`;

/** The types of the tests were checked with all others before. */
const slowTests = ["npm", "run", "test:slow", "--", "--typecheck.enabled=false"];

const slowAgain = (file) => ["npm", "run", "test:slow", "--", file];

const others = other.map(({ name, command, files, slow }) => {
  if (slow !== undefined) return { name, command: [...slowTests, ...slow], again: slowAgain };
  if (files !== undefined) return fastTests(name, files);
  return command === undefined ? testsOverFetch(name) : { name, command };
});

/** The fast tests of these files. Default: all but the ones that ran on the bare machine and have nothing new to show here. */
function fastTests(name, files = []) {
  const without = files.length === 0 ? [`TEST_WITHOUT=${alike.join(",")}`] : [];
  const command = ["env", ...without, "npm", "test", "--", ...files];
  return { name, command, again: (file) => ["npm", "test", "--", file] };
}

function testsOverFetch(name) {
  return {
    name,
    command: ["npm", "run", "test:fetch", "--", ...overFetch],
    again: (file) => ["sh", "-c", onceOverFetch, file],
  };
}

/** Nothing runs beside tests, because they measure times and wait for processes. */
const phases = [
  [
    [
      {
        name: "tests on a bare machine",
        command: ["node", "scripts/bare.mjs", "--then", slowOnBare],
        again: (file) => ["node", "scripts/bare.mjs", `npx vitest run '${file}'`],
      },
      { name: "install", command: ["npm", "ci"] },
    ],
  ],
  [
    // The tests of the site build it, and are left out without its packages.
    [...install, { name: "packages of the site", command: ["npm", "run", "site", "--", "--install"] }],
    [{ name: "lint", command: ["npm", "run", "lint:rules"] }],
    [
      { name: "types", command: ["npm", "run", "types"] },
      { name: "format", command: ["npm", "run", "lint:format"] },
      { name: "api reference", command: ["npm", "run", "docs"] },
      // The install has built it. In a lane with the shorter steps it takes no time of its own.
      { name: "package", command: ["npm", "run", "package"] },
    ],
  ],
  [
    [
      // It brings servers for a slow test, too.
      { name: `other runtimes, part ${runtimes}`.replace("/", " of "), command: [...inRuntimes, runtimes] },
      fastTests("fast tests"),
      {
        name: "slow tests",
        command: [
          "env",
          `TEST_WITHOUT=${["test/chaos/**", ...Object.values(slowInTurn).flat(), ...left].join(",")}`,
          ...slowTests,
        ],
        again: slowAgain,
      },
      { name: `chaos, part ${chaos}`.replace("/", " of "), command: chaosPart, again: () => chaosPart },
      ...others,
    ],
  ],
  // The tests over fetch have built it for themselves.
  [[{ name: "build", command: ["node", "scripts/build.mjs", "--if-changed"] }]],
];

process.exitCode = (await runCheck(phases)) ? 0 : 1;
