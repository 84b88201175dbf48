// The replay of case files, for the command and the tests.

export { notCarried } from "./not-carried.mjs";
export { readCases } from "./read.mjs";
export { replayAll } from "./replay.mjs";
export { countsOf, isGood, lineOf, tableOf } from "./report.mjs";
