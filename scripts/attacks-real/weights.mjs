// How often the programs come up in generated commands.

import { handingSamples, handingWeights } from "./hand-on.mjs";

/** How often a program comes up, if not once. The ones that open many files come up most. */
export const weights = {
  ...handingWeights,
  grep: 14,
  rg: 12,
  diff: 9,
  find: 6,
  sort: 4,
  uniq: 4,
  sed: 4,
  cat: 5,
  ls: 4,
  head: 3,
  tail: 3,
  wc: 3,
  cmp: 3,
  tree: 2,
  awk: 4,
  jq: 4,
  git: 10,
  test: 3,
  "[": 3,
  xargs: 2,
};

/** Commands of programs that the gate may not let through at all. If it does not, the program comes up rarely. */
export const samplesOf = new Map([
  ...handingSamples,
  ["awk", "awk 1 a"],
  ["jq", "jq . package.json"],
  ["git", "git status"],
  ["test", "test -f a"],
  ["[", "[ -f a ]"],
  ["xargs", "echo a | xargs"],
  ["ps", "ps"],
  ["env", "env"],
  ["npm", "npm -v"],
]);
