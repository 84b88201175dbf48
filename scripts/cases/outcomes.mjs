// The outcomes that a case may expect. Each is a function of the expectation and the evidence that returns the problem, or undefined.

import {
  endOf,
  eventsOfCase,
  executedByCase,
  failuresOfCase,
  harnessWords,
  nextExchange,
  sameData,
  show,
} from "./evidence.mjs";
import { mustNots } from "./must-not.mjs";
import { retryScopes } from "./retry-scopes.mjs";
import { mostRequests } from "./stage.mjs";

/** @type {ReadonlyMap<string, (expected: any, evidence: any) => string | undefined>} */
export const outcomes = new Map(
  Object.entries({ execute, feedback, mixed, reject, stopped, ask, policy, breaker, bounded, any_of: anyOf }),
);

/** The reason why an expectation does not hold, in its outcome or its `must_not` conditions; undefined if it holds. */
export function objection(expected, evidence) {
  const reason = outcomes.get(expected.outcome)(expected, evidence);
  if (reason !== undefined) return reason;
  for (const word of [expected.must_not ?? []].flat()) {
    const breach = mustNots.find(word)(evidence);
    if (breach !== undefined) return `${word}: ${breach}`;
  }
  return undefined;
}

function execute({ calls }, evidence) {
  return wrongCalls(calls, evidence) ?? wrongEnd(evidence, ["completed", "waiting"]);
}

function feedback({ feedback_mentions: mentions, counts_toward_breaker: counts }, evidence) {
  const missing = ran(evidence) ?? untold(evidence);
  if (missing !== undefined) return missing;
  const words = harnessWords(evidence);
  const unsaid = mentions.find((mention) => !words.toLowerCase().includes(mention.toLowerCase()));
  if (unsaid !== undefined) return `the feedback does not mention ${show(unsaid)}: ${show(words, 200)}`;
  return wrongCount(counts, evidence);
}

function mixed({ calls, feedback_for: blamed = [] }, evidence) {
  const wrong = wrongCalls(calls, evidence) ?? untold(evidence);
  if (wrong !== undefined) return wrong;
  const results = resultsOfCase(evidence);
  const failed = results.filter(({ ok }) => !ok);
  if (failed.length === 0 && eventsOfCase(evidence, "reply-failure").length === 0) return "no call failed";
  if (results.length - failed.length !== calls.length) return "the other calls did not all fail";
  const spared = blamed.find((key) => !failed.some(({ ids }) => ids.includes(key)));
  return spared === undefined ? undefined : `${spared} has no failed result`;
}

function reject({ counts_toward_breaker: counts, retry_scope: scope }, evidence) {
  return ran(evidence) ?? kept(evidence) ?? wrongCount(counts, evidence) ?? retryScopes.get(scope)(evidence);
}

function stopped({ reason }, evidence) {
  const wrong = ran(evidence) ?? wrongEnd(evidence, ["stopped"]);
  if (wrong !== undefined) return wrong;
  return evidence.outcome.reason === reason ? undefined : `it stopped for ${evidence.outcome.reason}, not ${reason}`;
}

function ask({ display_must_escape: escapes }, evidence) {
  const permitted = evidence.permitted.filter(({ from }) => from === "case");
  if (permitted.length === 0) return "permission was not asked";
  const thawed = permitted.find(({ call }) => !isFrozen(call.input));
  if (thawed !== undefined) return `permission saw a call of ${thawed.call.name} that is not frozen`;
  return escapes ? whyNotEscaped(permitted, evidence) : undefined;
}

/** Accepts any documented policy, if every call has its result and nothing ran after the end of the run. */
function policy(_expected, evidence) {
  if (evidence.outcome === undefined) return "there is no outcome";
  return mustNots.find("execute-after-exit-event")(evidence) ?? mustNots.find("unpaired-call")(evidence);
}

function breaker({ after_replies: exactly, after_replies_at_most: atMost }, evidence) {
  const wrong = wrongEnd(evidence, ["stopped"]);
  if (wrong !== undefined) return wrong;
  const { reason } = evidence.outcome;
  if (reason !== "circuit_open" && reason !== "stalled") return `it stopped for ${reason}`;
  const count = evidence.exchanges.filter(({ from }) => from !== "history").length;
  if (exactly !== undefined && count !== exactly) return `${count} replies, not ${exactly}`;
  return atMost !== undefined && count > atMost ? `${count} replies, more than ${atMost}` : undefined;
}

function bounded(_expected, evidence) {
  if (evidence.tooMany) return `more than ${mostRequests} requests`;
  return wrongEnd(evidence, ["stopped"]);
}

function anyOf({ any_of: alternatives }, evidence) {
  const reasons = alternatives.map((expected) => objection(expected, evidence));
  if (reasons.includes(undefined)) return undefined;
  return reasons.map((reason, index) => `not ${alternatives[index].outcome} (${reason})`).join("; ");
}

/** The outcome that holds; for `any_of`, the alternative that does. */
export function metOutcome(expected, evidence) {
  if (expected.outcome !== "any_of") return expected.outcome;
  const met = expected.any_of.find((alternative) => objection(alternative, evidence) === undefined);
  return met === undefined ? "any_of" : `any_of:${met.outcome}`;
}

function ran(evidence) {
  const [first] = executedByCase(evidence);
  return first === undefined ? undefined : `${first.name} ran with ${show(first.input)}`;
}

function wrongCalls(calls, evidence) {
  const executed = executedByCase(evidence);
  const listed = executed.map(({ name, input }) => `${name} ${show(input)}`).join(", ");
  const failed = failuresOfCase(evidence)[0]?.message;
  const why = failed === undefined ? "" : `; the model was told: ${show(failed, 160)}`;
  if (executed.length !== calls.length) {
    return `${executed.length} calls ran, not ${calls.length}${listed === "" ? "" : `: ${listed}`}${why}`;
  }
  const wrong = calls.findIndex(({ name, args }, index) => {
    const call = executed[index];
    return call.name !== name || !sameData(call.input, args);
  });
  if (wrong < 0) return undefined;
  return `call ${wrong + 1} should be ${calls[wrong].name} ${show(calls[wrong].args)}; what ran: ${listed}`;
}

function wrongEnd({ outcome }, statuses) {
  if (outcome === undefined) return "there is no outcome";
  if (statuses.includes(outcome.status)) return undefined;
  const detail = outcome.status === "failed" ? ` (${outcome.fault.code}: ${show(outcome.fault.message)})` : "";
  return `the run ended ${outcome.status}${detail}`;
}

/** The reason why the model was not told of a problem with the reply; undefined if it was. */
function untold(evidence) {
  const failures = failuresOfCase(evidence);
  if (failures.length === 0) return `the reply was blamed for nothing${endOf(evidence)}`;
  if (nextExchange(evidence) === undefined) return `no request followed the reply${endOf(evidence)}`;
  return harnessWords(evidence) === "" ? "the next request says nothing about the reply" : undefined;
}

function wrongCount(counts, evidence) {
  const count = eventsOfCase(evidence, "circuit-failure").length;
  if (counts === true && count === 0) return "it did not count for the circuit";
  return counts === false && count > 0 ? "it counted for the circuit" : undefined;
}

/** The results of the case's calls, each with the names and ids of the call. */
function resultsOfCase(evidence) {
  const calls = eventsOfCase(evidence, "reply-end").flatMap(({ reply }) => reply.calls);
  return eventsOfCase(evidence, "call-end").map(({ result: { callId, name, ok } }) => {
    const providerId = calls.find(({ id }) => id === callId)?.providerId;
    return { ok, ids: [callId, providerId, name, evidence.names.restore(name)] };
  });
}

/** Checks that a rejected reply is not in the journal. */
function kept(evidence) {
  return mustNots.find("commit-as-complete-turn")(evidence);
}

function whyNotEscaped(permitted, { preview }) {
  if (preview === undefined) return "the preview of a call can't be reached";
  const shown = permitted.map(({ call }) => preview(call)).join("\n");
  const raw = shown.replaceAll("\n", "").match(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)?.[0];
  return raw === undefined
    ? undefined
    : `a person would be shown U+${raw.codePointAt(0).toString(16).padStart(4, "0")}`;
}

function isFrozen(value) {
  if (typeof value !== "object" || value === null) return true;
  return Object.isFrozen(value) && Object.values(value).every(isFrozen);
}
