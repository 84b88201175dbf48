// lastcall/evals: tasks with a truth, trials that survive a crash, and a report whose figures hold.

export { evaluation, type EvalLimits, type Evaluation, type EvaluationOptions } from "./plan/evaluation.js";
export type { CheckedTask, EvalTask } from "./plan/eval-task.js";
export { folder, gitRef, type WorkspaceSource, type WriteFiles } from "./plan/workspace-source.js";
export { harborTasks } from "./harbor/harbor-tasks.js";
export { hidden, type Answer, type AskFiles, type Truth } from "./plan/truth.js";
export { modelledUser, type AnswerQuestion, type AskedOfUser } from "./plan/user.js";
export type { StubStep } from "./plan/stub-tool.js";
export type { CommandVariant, EvaluatedAgent, TrialPlace, TrialRunOptions, Variant } from "./plan/variant.js";
export { evaluate, type EvalEvent, type EvaluateOptions } from "./run/evaluate.js";
export type { Counted, Interval, Rate } from "./figures/wilson.js";
export type { ClaimRow, TrialRow } from "./trial/trial-row.js";
export type { ArmReport, Report, Spread, TaskCount } from "./report/eval-report.js";
export type { ReportedTask } from "./report/reported-task.js";
export type { Truthfulness } from "./report/truthfulness.js";
export type { Arm } from "./plan/trial-list.js";
export { tableOf } from "./report/table.js";
export { junitOf } from "./report/junit.js";
export { readReport } from "./report/read-report.js";
export {
  compareReports,
  compareVariants,
  comparisonLines,
  gateOf,
  type CompareOptions,
  type Comparison,
  type Flip,
} from "./report/compare-reports.js";
export type { Difference } from "./figures/difference.js";
export type { Verdict } from "./figures/verdict.js";
export { estimate, type Estimate } from "./run/estimate.js";
export { truthSuite, type TruthSuite, type TruthSuiteOptions } from "./suite/truth-suite.js";
export type { SuiteCheck } from "./suite/stated-task.js";
export { rivals, type RivalsOptions } from "./tries/rivals.js";
export { rounds, type RoundsOptions } from "./tries/rounds.js";
export type { TriesOutcome, Tried, TryEvent } from "./tries/tried.js";
