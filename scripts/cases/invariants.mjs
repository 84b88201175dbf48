// Conditions besides the outcome of a run: the invariants of a case, forbidden output, and the text that a person sees.

import {
  executedByCase,
  journalProblem,
  laterExchanges,
  nextExchange,
  pairingProblem,
  sameData,
  show,
  textsIn,
} from "./evidence.mjs";

/** The invariants by name. Each is a function of the evidence that returns the problem, or undefined. */
const invariants = new Map(
  Object.entries({
    "gate_input === executed_input": gateDiffers,
    "history.isWellFormed()": isTorn,
    "ids unique and non-empty": idsDiffer,
    "ids unique": idsDiffer,
    "ids unique over the session; both pairs valid": idsDiffer,
    "budget totals finite and monotone": usageIsOdd,
    "permission saw what ran": gateDiffers,
    "no text is torn": isTorn,
    "every call has one answer": (evidence) => journalProblem(evidence) ?? idsDiffer(evidence),
    "usage is a finite number": usageIsOdd,
  }),
);

/** The invariants with a number in them. */
const counted = [
  [/^at most (\d+) calls run$/, (evidence) => executedByCase(evidence).length, "calls ran"],
  [/^at most (\d+) requests are sent$/, ({ exchanges }) => exchanges.length, "requests were sent"],
];

/** The invariant of a name; undefined for a name that the replay does not know. */
export function invariantOf(name) {
  const own = invariants.get(name);
  if (own !== undefined) return own;
  for (const [pattern, count, what] of counted) {
    const most = pattern.exec(name)?.[1];
    if (most === undefined) continue;
    return (evidence) => (count(evidence) <= Number(most) ? undefined : `${count(evidence)} ${what}`);
  }
  return undefined;
}

/** The reason why a case fails, apart from its outcome; undefined if it passes. */
export function sideObjection(given, evidence) {
  for (const name of [given.invariant ?? []].flat()) {
    const problem = invariantOf(name)(evidence);
    if (problem !== undefined) return `${name}: ${problem}`;
  }
  return wroteWrongly(given, evidence) ?? isShownWrongly(given, evidence);
}

/** Checks that each tool ran with the arguments that permission saw, and that those were not changed in between. */
function gateDiffers({ executed, permitted }) {
  for (const { id, name, input } of executed) {
    const gated = permitted.find(({ call }) => call.id === id);
    if (gated === undefined) return `${name} ran and permission was not asked`;
    if (!sameData(gated.copy, gated.call.input)) return `the input of ${name} was changed after permission saw it`;
    if (!sameData(gated.copy, input)) return `${name} ran with another input than permission saw`;
  }
  return undefined;
}

/** Checks for lone surrogates: a provider would refuse a request with one, and every later request of the session. */
function isTorn(evidence) {
  if (nextExchange(evidence) === undefined) return "no request followed the reply";
  const torn = laterExchanges(evidence)
    .flatMap(({ body }) => textsIn(body, { nested: true }))
    .find((text) => !text.isWellFormed());
  return torn === undefined ? undefined : `a lone surrogate in ${JSON.stringify(show(torn))}`;
}

function idsDiffer(evidence) {
  const next = nextExchange(evidence);
  if (next === undefined) return "no request followed the reply";
  for (const { body } of laterExchanges(evidence)) {
    const problem = pairingProblem(body);
    if (problem !== undefined) return problem;
  }
  const calls = next.body.messages.flatMap(({ tool_calls: each }) => each ?? []);
  return calls.length > 0 ? undefined : "the next request has no calls";
}

function usageIsOdd({ outcome }) {
  if (outcome === undefined) return "there is no outcome";
  const odd = Object.entries(outcome.usage).find(([, count]) => !Number.isFinite(count) || count < 0);
  return odd === undefined ? undefined : `${odd[0]} is ${odd[1]}`;
}

function wroteWrongly({ must_not_write: forbidden }, evidence) {
  if (forbidden === undefined) return undefined;
  const written = executedByCase(evidence).find(({ input }) => textsIn(input).some((text) => text.includes(forbidden)));
  return written === undefined ? undefined : `must_not_write: ${written.name} got ${JSON.stringify(forbidden)}`;
}

function isShownWrongly({ user_visible_result: expected }, { outcome, withoutThinking }) {
  if (expected === undefined) return undefined;
  if (withoutThinking === undefined) return "what the command shows of a result can't be reached";
  if (outcome?.status !== "completed") return "user_visible_result: the run did not complete";
  const shown = withoutThinking(outcome.value?.result ?? "");
  return shown === expected ? undefined : `user_visible_result: ${show(shown)}`;
}
