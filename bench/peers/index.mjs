// The parts of the comparison with peers, for the tests.

export { armOf, ownArms, peersEvaluation } from "./arms.mjs";
export { characters, knownTasks, replyTo } from "./characters.mjs";
export { countsOf } from "./counts.mjs";
export { comingFrom, findPeer, peers, versionOf } from "./packages.mjs";
export { withFigures, withRun } from "./page.mjs";
