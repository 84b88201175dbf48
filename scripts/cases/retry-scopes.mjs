// Expectations about the request after a rejected reply. Each is a function of the evidence, as in outcomes.mjs.

import { caseExchanges, endOf, eventsOfCase, nextExchange } from "./evidence.mjs";

/** The time in which a run that gives up without waiting must end, in milliseconds. */
const giveUpDeadline = 2000;

/** Fault codes of an unavailable provider. */
const unavailable = new Set(["provider_unavailable", "provider_circuit_open"]);

/** The expectations by the names that the cases use. */
export const retryScopes = new Map(
  Object.entries({ "same-request-with-backoff": whyNotRetried, "compact-or-stop": whyRetriedBlindly }),
);

function whyNotRetried(evidence) {
  const sent = caseExchanges(evidence).at(-1);
  const { outcome, took } = evidence;
  const asksToWait = Object.keys(evidence.given.raw?.headers ?? {}).some((name) => /^retry-after/i.test(name));
  const gaveUp = outcome?.status === "failed" && unavailable.has(outcome.fault.code);
  if (asksToWait && gaveUp) {
    return took < giveUpDeadline ? undefined : `it took ${Math.round(took)} ms to give up`;
  }
  if (eventsOfCase(evidence, "request-retry").length === 0) return `there was no retry${endOf(evidence)}`;
  const next = nextExchange(evidence);
  if (next === undefined) return `there was no second request${endOf(evidence)}`;
  return next.text === sent?.text ? undefined : "the second request is another one";
}

function whyRetriedBlindly(evidence) {
  const sent = caseExchanges(evidence).at(-1);
  const next = nextExchange(evidence);
  if (next !== undefined) return next.text === sent?.text ? "the same request was sent again" : undefined;
  const { outcome } = evidence;
  if (outcome?.status === "stopped" && outcome.reason === "context_full") return undefined;
  return `it does not stop context_full${endOf(evidence)}`;
}
