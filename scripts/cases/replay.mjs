// The replay of cases: runs each through the whole library and checks its expectations.

import { executedByCase, failuresOfCase, show } from "./evidence.mjs";
import { disputed as allDisputed } from "./disputed.mjs";
import { sideObjection } from "./invariants.mjs";
import { listOf, unknownIn } from "./known.mjs";
import { mustNots } from "./must-not.mjs";
import { metOutcome, objection } from "./outcomes.mjs";
import { formsOf, mostRequests, runCase } from "./stage.mjs";

/** The timeout of a run in milliseconds. Cases with large generated input get more time. */
const usualBound = 5000;
const generatorBound = 20_000;

/**
 * The result of a case.
 * @typedef {object} Result
 * @property {string} id
 * @property {string} category
 * @property {"ok" | "FAIL" | "disputed" | "not carried"} verdict
 * @property {string} outcome the expected outcome; if there are alternatives, the one that held
 * @property {string} reason the reason why it failed, is disputed, or is not carried
 * @property {readonly string[]} notes details of the run
 */

/**
 * Replays the cases, several at a time. Those that measure memory come last, one by one.
 * `library` is `{ createAgent, tool, openai, preview?, withoutThinking? }`.
 * @returns {Promise<readonly Result[]>} in the order of the cases
 */
export async function replayAll(cases, { library, concurrency = 4, bound, disputed, notCarried }) {
  const results = new Array(cases.length);
  const alone = cases.map(measuresMemory);
  const replay = async (index) => {
    results[index] = await replayCase(cases[index], { library, bound, disputed, notCarried });
  };
  const indexes = [...cases.keys()];
  const together = indexes.filter((index) => !alone[index])[Symbol.iterator]();
  const work = async () => {
    for (const index of together) await replay(index);
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  for (const index of indexes) if (alone[index]) await replay(index);
  return results;
}

/** Replays one case in all its forms. It passes only if every form passes. @returns {Promise<Result>} */
export async function replayCase(given, { library, bound, disputed = allDisputed, notCarried = new Map() }) {
  const { id, category = "none" } = given;
  const dispute = disputed.get(id);
  const { reason, outcome, notes } = await judge(given, library, bound);
  const shown = { id: String(id), category, outcome, notes };
  if (dispute !== undefined) {
    const found = reason === undefined ? "it holds all the same" : reason;
    return { ...shown, verdict: "disputed", reason: dispute, notes: [...notes, `found: ${found}`] };
  }
  const loss = notCarried.get(id);
  if (loss !== undefined && reason !== undefined)
    return { ...shown, verdict: "not carried", reason: loss, notes: [...notes, `found: ${reason}`] };
  if (loss !== undefined)
    return { ...shown, verdict: "FAIL", reason: "it holds: take it off the list of those not carried" };
  return { ...shown, verdict: reason === undefined ? "ok" : "FAIL", reason: reason ?? "" };
}

async function judge(given, library, bound) {
  const problems = given.problem === undefined ? unknownIn(given) : [given.problem];
  const expected = given.expect?.outcome ?? "none";
  if (problems.length > 0) return { reason: problems.join("; "), outcome: String(expected), notes: [] };
  const timeout = bound ?? (given.raw_kind === "generator" ? generatorBound : usualBound);
  const forms = [];
  for (const form of formsOf(given)) forms.push(await judgeForm(given, form, { library, bound: timeout }));
  const reasons = forms.flatMap(({ reason }) => reason ?? []);
  return {
    reason: reasons.length === 0 ? undefined : reasons.join("; "),
    outcome: [...new Set(forms.map(({ outcome }) => outcome))].join("+"),
    notes: forms.flatMap(({ notes }) => notes),
  };
}

async function judgeForm(given, form, { library, bound }) {
  const { expected, label } = form;
  const mark = (text) => (label === "" ? text : `${label}: ${text}`);
  try {
    const { preview, withoutThinking } = library;
    const evidence = { ...(await runCase(given, form, { library, bound })), preview, withoutThinking };
    const reason = whyNot(given, expected, evidence);
    const outcome = reason === undefined ? metOutcome(expected, evidence) : expected.outcome;
    return { reason: reason && mark(reason), outcome, notes: notesOf(evidence).map(mark) };
  } catch (thrown) {
    return { reason: mark(`the replay broke: ${thrown?.stack ?? thrown}`), outcome: expected.outcome, notes: [] };
  }
}

/** The reason why the case fails; undefined if it passes. */
function whyNot(given, expected, evidence) {
  const { thrown, hangs, tooMany, outcome } = evidence;
  if (thrown !== undefined) return `the run could not be started: ${thrown.message}`;
  if (hangs) return "hang: the run did not end in time";
  if (tooMany && expected.outcome !== "bounded") return `infinite-loop: more than ${mostRequests} requests`;
  if (outcome?.status === "failed" && outcome.fault.code === "bug") return `a bug: ${outcome.fault.message}`;
  const reason = objection(expected, evidence);
  if (reason !== undefined) return reason;
  for (const word of listOf(given.must_not)) {
    const breach = mustNots.find(word)(evidence);
    if (breach !== undefined) return `${word}: ${breach}`;
  }
  return sideObjection(given, evidence);
}

/** Details of the run, as lines. */
function notesOf(evidence) {
  const { names, exchanges, happened, outcome, process } = evidence;
  const types = happened.map(({ event }) => event.type).filter((type) => !type.endsWith("-delta"));
  return [
    ...names.changed.map(([from, to]) => `the tool ${JSON.stringify(from)} is registered as ${to}`),
    `requests: ${exchanges.map(({ from }) => from).join(", ")}`,
    `executed: ${
      executedByCase(evidence)
        .map(({ name, input }) => `${name} ${show(input)}`)
        .join(", ") || "nothing"
    }`,
    ...failuresOfCase(evidence).map(({ kind, message }) => `told: ${kind}: ${show(message, 300)}`),
    `events: ${types.join(" ")}`,
    `ended: ${outcome === undefined ? "not at all" : endingOf(outcome)}; grew by ${Math.round(process.growth / 1024)} KiB`,
  ];
}

function endingOf({ status, reason, fault, by }) {
  return [status, reason ?? by ?? "", fault === undefined ? "" : `${fault.code}: ${show(fault.message, 200)}`]
    .filter((word) => word !== "")
    .join(" ");
}

function measuresMemory(given) {
  return JSON.stringify([given.must_not, given.expect, given.expect_native_only]).includes('"unbounded-memory"');
}
