// The parts of the runs with real models, for the tests.

export { openCache } from "./cache.mjs";
export { models } from "./models.mjs";
export { withRun } from "./page.mjs";
export { runModel } from "./run-model.mjs";
export { lookAgain } from "./second-look.mjs";
export { lookedAt, rowsOf } from "./summary.mjs";
export { tableOf } from "./table.mjs";
export { chooseTasks } from "./tasks.mjs";
