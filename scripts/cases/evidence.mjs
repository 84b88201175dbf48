// Queries on the evidence of a run: the effects of the case's replies, and the messages that the model got about them.

import { isDeepStrictEqual } from "node:util";

/** Calls that ran because of the case's replies, in order. A claim counts only if it was accepted. */
export function executedByCase({ executed, outcome, names }) {
  const records = outcome?.session.records ?? [];
  const claims = new Set(records.filter(({ type }) => type === "claim").map(({ callId }) => callId));
  const breaking = new Set(["task_completion", "ask_question", "converse"]);
  return executed
    .filter(({ from, id, name }) => from === "case" && (!breaking.has(name) || claims.has(id)))
    .map((call) => ({ ...call, name: names.restore(call.name) }));
}

/** Events of this type that followed a reply of the case. */
export function eventsOfCase({ happened }, type) {
  return happened.filter(({ event, from }) => from === "case" && event.type === type).map(({ event }) => event);
}

/** Failures that the case's replies caused, of calls and of whole replies. */
export function failuresOfCase(evidence) {
  const ofCalls = eventsOfCase(evidence, "call-end").flatMap(({ result }) => result.failure ?? []);
  return [...ofCalls, ...eventsOfCase(evidence, "reply-failure").map(({ failure }) => failure)];
}

/** The exchanges that sent the case's replies. */
export function caseExchanges({ exchanges }) {
  return exchanges.filter(({ from }) => from === "case");
}

/** The first exchange after the case's replies; undefined if there was no further request. */
export function nextExchange({ exchanges }) {
  return exchanges[exchanges.findLastIndex(({ from }) => from === "case") + 1];
}

/** The exchanges after the first reply of the case. */
export function laterExchanges({ exchanges }) {
  const first = exchanges.findIndex(({ from }) => from === "case");
  return first < 0 ? [] : exchanges.slice(first + 1);
}

/** The text that the harness added in the next request, compared with the request that the case's reply answered. */
export function harnessWords(evidence) {
  const before = caseExchanges(evidence).at(-1)?.body.messages ?? [];
  const after = nextExchange(evidence)?.body.messages ?? [];
  const same = after.findIndex((message, index) => !isDeepStrictEqual(message, before[index]));
  const added = same < 0 ? [] : after.slice(same);
  return added
    .filter(({ role }) => role !== "assistant" && role !== "system")
    .map(({ content }) => textOf(content))
    .join("\n");
}

function textOf(content) {
  if (typeof content === "string") return content;
  return Array.isArray(content) ? content.map((part) => part?.text ?? "").join("") : "";
}

/** True if the values are deeply equal, ignoring prototypes. */
export function sameData(value, other) {
  return isDeepStrictEqual(plain(value), plain(other));
}

function plain(value) {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null) return value;
  return new Map(
    Object.entries(value)
      .map(([key, part]) => [key, plain(part)])
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

/** All texts in a value, including keys. With `nested`, texts that are JSON are parsed and searched too. */
export function textsIn(value, { nested = false } = {}) {
  if (typeof value === "string") {
    const inner = nested && /^\s*[[{]/.test(value) ? parsed(value) : undefined;
    return inner === undefined ? [value] : [value, ...textsIn(inner, { nested })];
  }
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, part]) => [key, ...textsIn(part, { nested })]);
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The problem with the pairs of calls and results in the messages of a request; undefined if there is none. */
export function pairingProblem({ messages }) {
  const ids = messages.flatMap(({ tool_calls: calls = [] }) => (calls ?? []).map(({ id }) => id));
  const answers = messages.filter(({ role }) => role === "tool").map(({ tool_call_id: id }) => id);
  if (ids.some((id) => typeof id !== "string" || id === "")) return "a call has no id";
  if (new Set(ids).size < ids.length) return `an id is there twice: ${ids.join(", ")}`;
  const odd = [...ids, ...answers].find(
    (id) => !ids.includes(id) || answers.filter((answer) => answer === id).length !== 1,
  );
  return odd === undefined ? undefined : `${odd} is no whole pair`;
}

/** The problem with the pairs in the journal; undefined if there is none. A claim counts as the result of its call. */
export function journalProblem({ outcome }) {
  const records = outcome?.session.records ?? [];
  const calls = records.flatMap((record) => (record.type === "reply" ? record.reply.calls : []));
  const results = records.flatMap((record) => {
    if (record.type === "result") return [record.result.callId];
    return record.type === "claim" ? [record.callId] : [];
  });
  const odd = calls.find(({ id }) => results.filter((result) => result === id).length !== 1);
  if (odd !== undefined) return `${odd.name} has no single result in the journal`;
  return new Set(calls.map(({ id }) => id)).size < calls.length ? "an id is in the journal twice" : undefined;
}

/** The ending of the run in brackets; empty if it did not end. */
export function endOf({ outcome }) {
  const code = outcome?.status === "failed" ? `: ${outcome.fault.code}, ${show(outcome.fault.message)}` : "";
  return outcome === undefined ? "" : ` (${outcome.status}${code})`;
}

/** A short text for a value. */
export function show(value, maxLength = 120) {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? String(value));
  return text.length <= maxLength ? text : `${text.slice(0, maxLength - 1)}…`;
}
