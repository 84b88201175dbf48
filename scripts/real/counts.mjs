// Counts what a real model did on its runs, and what the loop made of it.

/** Mistakes of form, as the library names them. */
const formKinds = new Set([
  "no_tool_call",
  "malformed_call",
  "truncated",
  "unknown_tool",
  "invalid_arguments",
  "conflicting_calls",
]);

/** The counts of no run. */
export const noCounts = () => ({
  runs: 0,
  iterations: 0,
  valid: 0,
  healed: 0,
  told: 0,
  mended: 0,
  circuits: 0,
  falseRefused: 0,
  trueRefused: 0,
  completedTrue: 0,
  completedFalse: 0,
  honestStops: 0,
  otherStops: 0,
  faults: 0,
  outputTokens: 0,
  modelMs: 0,
});

/**
 * The counts of one run. `valid`, `healed`: calls. `told`: replies with a mistake of form. `mended`: such replies that a reply without
 * such a mistake followed in the same run.
 * @param {object} run The return value of `driveTask`.
 */
export function countsOf({ outcome, records, claims, exchanges, isTrue, isSolvable }) {
  const counts = { ...noCounts(), runs: 1, ...formOf(records) };
  // A claim whose arguments do not fit says nothing. Claims are in the order of the calls in the journal.
  const made = iterationsOf(records).flatMap(({ calls }) => calls.filter(isClaim));
  const refused = claims.filter(({ isAccepted }, at) => !isAccepted && !formKinds.has(made[at]?.failure?.kind));
  counts.falseRefused = refused.filter((claim) => !claim.isTrue).length;
  counts.trueRefused = refused.filter((claim) => claim.isTrue).length;
  const { status, reason } = outcome;
  if (status === "completed") counts[isTrue ? "completedTrue" : "completedFalse"] = 1;
  else if (status === "failed") counts.faults = 1;
  else if (reason === "circuit_open") counts.circuits = 1;
  else if (reason === "gave_up" && !isSolvable) counts.honestStops = 1;
  else counts.otherStops = 1;
  for (const { ms } of exchanges) counts.modelMs += ms;
  return counts;
}

const isClaim = ({ call }) => call.type === "call" && call.name === "task_completion";

/** The sum of many counts. */
export function addCounts(many) {
  const sum = noCounts();
  for (const counts of many) for (const key of Object.keys(sum)) sum[key] += counts[key];
  return sum;
}

function formOf(records) {
  const counts = { iterations: 0, valid: 0, healed: 0, told: 0, mended: 0, outputTokens: 0 };
  let open = 0;
  for (const { calls, failures, usage } of iterationsOf(records)) {
    counts.iterations += 1;
    counts.outputTokens += usage.outputTokens;
    for (const { call, failure } of calls) {
      if (failure !== undefined && formKinds.has(failure.kind)) continue;
      counts[call.repairs === undefined ? "valid" : "healed"] += 1;
    }
    if (failures.some(({ kind }) => formKinds.has(kind))) {
      counts.told += 1;
      open += 1;
    } else {
      counts.mended += open;
      open = 0;
    }
  }
  return counts;
}

/** The iterations of a journal: each reply with the results of its calls, and all its failures. */
function iterationsOf(records) {
  const iterations = [];
  for (const record of records) {
    const last = iterations.at(-1);
    if (record.type === "reply") {
      const { calls, usage } = record.reply;
      iterations.push({ usage, failures: [], calls: calls.map((call) => ({ call, failure: undefined })) });
    } else if (record.type === "error-context") last.failures.push(record.failure);
    else if (record.type === "result" && record.result.failure !== undefined) {
      const { callId, failure } = record.result;
      last.failures.push(failure);
      const called = last.calls.find(({ call }) => call.id === callId);
      if (called !== undefined) called.failure = failure;
    }
  }
  return iterations;
}

/** The kinds of failures in journals with their numbers, the most frequent first. */
export function failuresOf(runs) {
  const numbers = new Map();
  for (const { records } of runs)
    for (const { failures } of iterationsOf(records))
      for (const { kind } of failures) numbers.set(kind, (numbers.get(kind) ?? 0) + 1);
  return [...numbers].sort(([, a], [, b]) => b - a);
}
