// Metrics: durations, tokens, endings, circuits, refused claims and cost, by the names of the conventions where they have one.

import type { Usage } from "../../core/index.js";
import type { Attributes, Meter } from "../data/api.js";
import type { RunEnding } from "../describe/describe-run.js";
import { attribute, metric, operation } from "../data/names.js";

/** Bounds of durations, in seconds, as the conventions have them for requests. */
const seconds = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92];
/** Bounds of the duration of a run, in seconds. */
const longSeconds = [0.1, 0.5, 1, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200, 14_400];
/** Bounds of tokens, as the conventions have them. */
const tokenBounds = [1, 4, 16, 64, 256, 1024, 4096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216];
const iterationBounds = [1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 377, 610, 987];
const costBounds = [0.0001, 0.001, 0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 100];

/** The metrics of runs. Durations are in milliseconds; they are recorded in seconds. */
export interface Metrics {
  /** A request was answered, or failed with the type of an error. */
  request(of: Attributes, ended: { readonly duration: number; readonly usage?: Usage; readonly error?: string }): void;
  retry(of: Attributes): void;
  call(of: Attributes, ended: { readonly tool: string; readonly duration: number; readonly failure?: string }): void;
  /** A claim to end the run was refused, with the kind of the failure. */
  claimRefused(of: Attributes, refused: { readonly tool: string; readonly failure: string }): void;
  check(of: Attributes, ended: { readonly check: string; readonly duration: number; readonly passed: boolean }): void;
  /** The circuit opened by failures of this kind. */
  circuitOpen(of: Attributes, cause: { readonly failure: string; readonly tool: string }): void;
  run(of: Attributes, ended: { readonly ending: RunEnding; readonly duration: number }): void;
}

/** True for the meter of a program without a meter provider: it gives the same instrument for every name. */
export function isIdle(meter: Meter): boolean {
  return (meter.createCounter(metric.runs) as unknown) === meter.createCounter(metric.retries);
}

/** Makes the instruments on a meter. */
export function makeMetrics(meter: Meter): Metrics {
  const histogram = (name: string, unit: string, description: string, explicitBucketBoundaries: number[]) =>
    meter.createHistogram(name, { unit, description, advice: { explicitBucketBoundaries } });
  const counter = (name: string, unit: string, description: string) => meter.createCounter(name, { unit, description });
  const requests = histogram(metric.chatDuration, "s", "Duration of a request to a model, with its retries", seconds);
  const tokens = histogram(metric.tokens, "{token}", "Tokens of a request and of its reply", tokenBounds);
  const retries = counter(metric.retries, "{retry}", "Requests that were sent again");
  const calls = histogram(metric.callDuration, "s", "Duration of a call of a tool", seconds);
  const refusals = counter(metric.claimsRefused, "{claim}", "Claims to end the run that were refused");
  const checks = histogram(metric.checkDuration, "s", "Duration of a check", longSeconds);
  const openings = counter(metric.circuitOpenings, "{opening}", "Openings of the circuit by failures in a row");
  const runs = counter(metric.runs, "{run}", "Runs that ended, by outcome");
  const durations = histogram(metric.runDuration, "s", "Duration of a run", longSeconds);
  const iterations = histogram(metric.iterations, "{iteration}", "Replies of the model in a run", iterationBounds);
  const costs = histogram(metric.cost, "1", "Cost of a run, in the currency of the prices", costBounds);
  return {
    request(of, { duration, usage, error }) {
      const about = { ...of, [attribute.operation]: operation.chat };
      requests.record(duration / 1000, error === undefined ? about : { ...about, [attribute.errorType]: error });
      if (usage === undefined || usage.inputTokens + usage.outputTokens === 0) return;
      tokens.record(usage.inputTokens, { ...about, [attribute.tokenType]: "input" });
      tokens.record(usage.outputTokens, { ...about, [attribute.tokenType]: "output" });
    },
    retry: (of) => {
      retries.add(1, of);
    },
    call(of, { tool, duration, failure }) {
      const about = { ...of, [attribute.tool]: tool };
      calls.record(duration / 1000, failure === undefined ? about : { ...about, [attribute.errorType]: failure });
    },
    claimRefused: (of, { tool, failure }) => {
      refusals.add(1, { ...of, [attribute.tool]: tool, [attribute.errorType]: failure });
    },
    check: (of, { check, duration, passed }) => {
      checks.record(duration / 1000, { ...of, [attribute.check]: check, [attribute.passed]: passed });
    },
    circuitOpen: (of, { failure, tool }) => {
      openings.add(1, { ...of, [attribute.errorType]: failure, ...(tool !== "" && { [attribute.tool]: tool }) });
    },
    run(of, { ending: { status, cause, iterations: count, cost }, duration }) {
      const about = {
        ...of,
        [attribute.outcome]: status,
        ...(cause !== undefined && { [attribute.errorType]: cause }),
      };
      runs.add(1, about);
      durations.record(duration / 1000, about);
      iterations.record(count, about);
      if (cost !== undefined) costs.record(cost, about);
    },
  };
}
