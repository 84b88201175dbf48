// The known parts of a case. Any unknown part fails the case, so that no expectation is ignored.

import { invariantOf } from "./invariants.mjs";
import { mustNots } from "./must-not.mjs";
import { outcomes } from "./outcomes.mjs";
import { rawKinds, unknownInRaw } from "./replies.mjs";
import { retryScopes } from "./retry-scopes.mjs";

const shapes = new Set(["native", "xml", "text"]);

/** Keys of a case; the ones after `what` only describe it. */
const caseKeys = new Set([
  ...["id", "category", "shape", "raw_kind", "raw", "tools", "expect", "expect_native_only", "finish_reason"],
  ...["history", "invariant", "must_not", "must_not_write", "user_visible_result"],
  ...["source", "fidelity", "reconstructed", "what_is_wrong", "ideal", "dialect", "note"],
]);

/** Keys of an expectation, by its outcome. */
const expectationKeys = {
  execute: ["calls"],
  feedback: ["calls", "feedback_mentions", "counts_toward_breaker"],
  mixed: ["calls", "feedback_for"],
  reject: ["calls", "counts_toward_breaker", "retry_scope"],
  stopped: ["calls", "reason"],
  ask: ["calls", "display_must_escape"],
  policy: ["calls"],
  breaker: ["after_replies", "after_replies_at_most"],
  bounded: [],
  any_of: ["any_of"],
};

/** Describes every part of a case that the runner can't enforce. */
export function unknownIn(given) {
  const problems = [];
  const say = (what, value) => problems.push(`unknown ${what} ${JSON.stringify(value)}`);
  for (const key of Object.keys(given)) if (!caseKeys.has(key)) say("key", key);
  if (typeof given.id !== "string" || given.id === "") problems.push("no id");
  if (!Array.isArray(given.tools)) problems.push("no list of tools");
  if (!shapes.has(given.shape)) say("shape", given.shape);
  if (!rawKinds.has(given.raw_kind)) say("raw_kind", given.raw_kind);
  problems.push(...unknownInRaw(given));
  for (const word of listOf(given.must_not)) if (mustNots.find(word) === undefined) say("must_not", word);
  for (const name of listOf(given.invariant)) if (invariantOf(name) === undefined) say("invariant", name);
  problems.push(...unknownInExpectation(given.expect));
  if (given.expect_native_only !== undefined) problems.push(...unknownInExpectation(given.expect_native_only));
  return problems;
}

function unknownInExpectation(expected) {
  const problems = [];
  const say = (what, value) => problems.push(`unknown ${what} ${JSON.stringify(value)}`);
  if (!outcomes.has(expected?.outcome)) return [`unknown outcome ${JSON.stringify(expected?.outcome)}`];
  const keys = new Set(["outcome", "must_not", ...expectationKeys[expected.outcome]]);
  for (const key of Object.keys(expected)) if (!keys.has(key)) say(`key of ${expected.outcome}`, key);
  for (const word of listOf(expected.must_not)) if (mustNots.find(word) === undefined) say("must_not", word);
  if (expected.outcome === "reject" && !retryScopes.has(expected.retry_scope)) say("retry_scope", expected.retry_scope);
  if (expected.outcome !== "any_of") return [...problems, ...missingIn(expected)];
  if (!Array.isArray(expected.any_of) || expected.any_of.length === 0) return [...problems, "an any_of of nothing"];
  return [...problems, ...expected.any_of.flatMap(unknownInExpectation)];
}

/** The parts that an expectation lacks to be able to fail. */
function missingIn({ outcome, calls, feedback_mentions: mentions, reason, ...rest }) {
  if ((outcome === "execute" || outcome === "mixed") && !(calls?.length > 0)) return [`${outcome} without calls`];
  if (outcome !== "execute" && outcome !== "mixed" && calls?.length > 0) return [`${outcome} with calls`];
  if (outcome === "feedback" && !Array.isArray(mentions)) return ["feedback without feedback_mentions"];
  if (outcome === "stopped" && typeof reason !== "string") return ["stopped without a reason"];
  const { after_replies: exactly, after_replies_at_most: atMost } = rest;
  if (outcome === "breaker" && ![exactly, atMost].some(Number.isInteger))
    return ["breaker without a number of replies"];
  return [];
}

/** Wraps a single value in a list; a list stays unchanged, and no value gives an empty list. */
export function listOf(value) {
  return value === undefined || value === null ? [] : [value].flat();
}
