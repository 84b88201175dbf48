// The exports of lastcall/evals where there are no files: the figures and the reports.

import { onlyOnNode } from "../web/index.js";

export { modelledUser } from "./plan/user.js";
export { tableOf } from "./report/table.js";
export { junitOf } from "./report/junit.js";
export { readReport } from "./report/read-report.js";
export { compareReports, compareVariants, comparisonLines, gateOf } from "./report/compare-reports.js";

export const evaluation = onlyOnNode("evaluation");
export const folder = onlyOnNode("folder");
export const gitRef = onlyOnNode("gitRef");
export const harborTasks = onlyOnNode("harborTasks");
export const hidden = onlyOnNode("hidden");
export const evaluate = onlyOnNode("evaluate");
export const estimate = onlyOnNode("estimate");
export const truthSuite = onlyOnNode("truthSuite");
export const rounds = onlyOnNode("rounds");
export const rivals = onlyOnNode("rivals");
