// The ids of traces and spans: hashes of the keys of runs and effects, so that one effect has one id wherever it is told of.

import { createHash, randomBytes } from "node:crypto";

/** Makes the ids of an SDK's traces and spans. It fits the `idGenerator` of every tracer provider. */
export interface IdGenerator {
  /** Returns 32 hexadecimal digits. */
  generateTraceId(): string;
  /** Returns 16 hexadecimal digits. */
  generateSpanId(): string;
}

/** The keys of a span. */
export interface SpanKeys {
  /** The key of the run, `<session>/<life>/<run>`. */
  readonly run: string;
  /** The key of the span: an effect's key, or the run's key. */
  readonly span: string;
}

/** The keys of the span that is starting; undefined at any other time. A span starts at once, so two never start together. */
let starting: SpanKeys | undefined;

/** Starts a span with the ids of its keys, if the SDK has our generator. */
export function startKeyed<Span>(keys: SpanKeys | undefined, start: () => Span): Span {
  starting = keys;
  try {
    return start();
  } finally {
    starting = undefined;
  }
}

/**
 * A generator of ids for an SDK: `new NodeTracerProvider({ idGenerator: idGenerator() })`. Spans of lastcall get the ids that `traceOf`
 * gives them, all other spans random ids. A run within a span of the host has the trace id of that span.
 */
export function idGenerator(): IdGenerator {
  return {
    generateTraceId: () => (starting === undefined ? randomBytes(16).toString("hex") : traceIdOf(starting.run)),
    generateSpanId: () => (starting === undefined ? randomBytes(8).toString("hex") : spanIdOf(starting.span)),
  };
}

/** The trace id of a run. */
export function traceIdOf(run: string): string {
  return digits(`trace ${run}`, 32);
}

/** The span id of a key. */
export function spanIdOf(key: string): string {
  return digits(`span ${key}`, 16);
}

/** The key of the part of a run that one process does: the run's key for the first part, and with a record's number for a later part. */
export function partKey(run: string, record: { readonly type: string; readonly seq: number }): string {
  return record.type === "input" ? run : `${run}@${String(record.seq)}`;
}

/** The key of the run that an effect belongs to: all before the last slash. */
export function runKeyOf(effect: string): string {
  return effect.slice(0, effect.lastIndexOf("/"));
}

/** The id of a call in the reply to a request: the request's key with the place of the call instead of `model`. */
export function callIdOf(request: string, iteration: number, index: number): string {
  const [, later = ""] = /\/model:[^:/]+(:[^/]+)?$/.exec(request) ?? [];
  return `${runKeyOf(request)}/call:${String(iteration)}:${String(index)}${later}`;
}

function digits(text: string, length: number): string {
  return createHash("sha256").update(text).digest("hex").slice(0, length);
}
