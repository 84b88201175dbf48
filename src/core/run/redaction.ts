// Secrets: everything that leaves a run, into the journal, to watchers, to the caller, leaves without them. See docs/secrets.md.

import type { Event } from "../ports/event.js";
import { maskVolatile, type Failure } from "../data/failure.js";
import { LastcallError } from "../data/fault.js";
import type { Execution } from "../ports/hook.js";
import { toJson } from "../data/json.js";
import type { Outcome } from "../ports/outcome.js";
import type { RecordBody } from "../journal/record.js";
import type { Redactor } from "../secret/redact.js";
import type { RedactedStream } from "../secret/redact-stream.js";
import type { Runtime } from "../time/runtime.js";

/** The failure without secrets; its signature then is that of what is left. */
export function redactFailure(secrets: Redactor, failure: Failure): Failure {
  const { message, signature } = failure;
  const clear = secrets.text(message);
  const folded = maskVolatile(message);
  const head = signature.endsWith(folded) ? signature.slice(0, signature.length - folded.length) : undefined;
  const renewed = head === undefined || clear === message ? signature : head + maskVolatile(clear);
  return secrets.data({ ...failure, message: clear, signature: renewed });
}

/** What a call came to, its failure without secrets. What it is worth is redacted once it is a text. */
export function redactExecution(secrets: Redactor, execution: Execution): Execution {
  return execution.ok ? execution : { ok: false, failure: redactFailure(secrets, execution.failure) };
}

/**
 * What is recorded. Left as they are: the words of the user, the model's own replies and what it claims, the names of checks, and what
 * checks want to be reminded of. Results and checks come here without secrets already.
 */
export function redactRecord(secrets: Redactor, body: RecordBody): RecordBody {
  switch (body.type) {
    case "decision":
      return { ...body, reason: secrets.text(body.reason) };
    case "error-context":
      return { ...body, failure: redactFailure(secrets, body.failure) };
    case "notice":
    case "expiry":
    case "overflow":
    case "outcome":
    case "fold":
    case "prune":
      return secrets.data(body);
    case "baseline":
    case "check":
    case "claim":
    case "input":
    case "intent":
    case "iteration":
    case "reply":
    case "result":
    case "resume":
    case "spend":
    case "steer":
    case "stub":
      return body;
  }
}

/** The fault, its causes and their stacks without secrets; the same object where there are none. */
export function redactFault(secrets: Redactor, fault: LastcallError): LastcallError {
  const message = secrets.text(fault.message);
  const stack = secrets.text(fault.stack ?? "");
  const cause = redactCause(secrets, fault.cause, 0);
  if (message === fault.message && stack === (fault.stack ?? "") && cause === fault.cause) return fault;
  const { code, status, retryAfterMs } = fault;
  const clear = new LastcallError(code, message, {
    ...("cause" in fault && { cause }),
    ...(status !== undefined && { status }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  });
  clear.stack = stack;
  return clear;
}

/** How many causes of causes are looked at; those behind them are left out. */
const deepest = 8;

function redactCause(secrets: Redactor, cause: unknown, depth: number): unknown {
  if (cause instanceof LastcallError) return redactFault(secrets, cause);
  if (!(cause instanceof Error)) return secrets.data(cause);
  if (depth === deepest) return undefined;
  const [message, stack] = [secrets.text(cause.message), secrets.text(cause.stack ?? "")];
  const inner = redactCause(secrets, cause.cause, depth + 1);
  const isClear = message === cause.message && stack === (cause.stack ?? "") && inner === cause.cause;
  if (isClear && !tells(secrets, cause)) return cause;
  const clear = new Error(message, inner === undefined ? {} : { cause: inner });
  clear.name = cause.name;
  clear.stack = stack;
  return clear;
}

/** True where a field of the error holds a secret, as clients put requests and answers there. */
function tells(secrets: Redactor, error: Error): boolean {
  try {
    const fields = toJson(Object.fromEntries(Object.entries(error))) ?? "";
    return secrets.text(fields) !== fields;
  } catch {
    // What can't be looked at is not shown.
    return true;
  }
}

/** The runtime, what it tells people without secrets. */
export function redactWarnings(secrets: Redactor, runtime: Runtime): Runtime {
  return {
    now: () => runtime.now(),
    random: () => runtime.random(),
    id: () => runtime.id(),
    sleep: (ms, signal) => runtime.sleep(ms, signal),
    turn: () => runtime.turn(),
    warn: (fault) => {
      runtime.warn(redactFault(secrets, fault));
    },
  };
}

/** What watchers see and the caller gets. Words of a tool that come in pieces are redacted as one text. */
export async function* redactEvents(
  source: AsyncGenerator<Event, Outcome, void>,
  secrets: Redactor,
): AsyncGenerator<Event, Outcome, void> {
  const streams = new Map<string, RedactedStream>();
  for (;;) {
    const next = await source.next();
    if (next.done === true) return redactOutcome(secrets, next.value);
    const event = next.value;
    if (event.type === "call-progress") {
      yield* redactProgress(event, secrets, streams);
      continue;
    }
    const over = event.type === "call-end" ? [event.result.callId] : closes(event) ? [...streams.keys()] : [];
    for (const callId of over) yield* flush(callId, streams);
    yield redactEvent(secrets, event);
  }
}

type Progress = Extract<Event, { readonly type: "call-progress" }>;

function* redactProgress(
  event: Progress,
  secrets: Redactor,
  streams: Map<string, RedactedStream>,
): Generator<Event, void, void> {
  const { callId, progress } = event;
  if (typeof progress !== "string") {
    yield* flush(callId, streams);
    yield { ...event, progress: secrets.data(progress) };
    return;
  }
  const stream = streams.get(callId) ?? secrets.stream();
  streams.set(callId, stream);
  const shown = stream.write(progress);
  if (shown !== "" || progress === "") yield { ...event, progress: shown };
}

function* flush(callId: string, streams: Map<string, RedactedStream>): Generator<Event, void, void> {
  const rest = streams.get(callId)?.end() ?? "";
  streams.delete(callId);
  if (rest !== "") yield { type: "call-progress", callId, progress: rest };
}

/** True for what no progress of an earlier call comes after. */
function closes({ type }: Event): boolean {
  return type === "claim-accepted" || type === "iteration-end" || type === "expiry";
}

/** The reasons and texts of these events are the words of providers, permission and checks. */
const telling: ReadonlySet<Event["type"]> = new Set([
  "reply-retracted",
  "request-retry",
  "request-adjusted",
  "forcing-step",
  "notice",
  "expiry",
]);

function redactEvent(secrets: Redactor, event: Event): Event {
  if (telling.has(event.type)) return secrets.data(event);
  if (event.type === "call-decision") return { ...event, reason: secrets.text(event.reason) };
  if (event.type === "check-end") return { ...event, output: secrets.text(event.output) };
  if (event.type === "reply-failure" || event.type === "claim-retracted")
    return { ...event, failure: redactFailure(secrets, event.failure) };
  return event;
}

function redactOutcome(secrets: Redactor, outcome: Outcome): Outcome {
  if (outcome.status === "completed" || outcome.status === "waiting") return outcome;
  const { partial } = outcome;
  const message = secrets.text(outcome.message);
  const clear = { message, partial: { ...partial, text: secrets.text(partial.text) } };
  if (outcome.status === "stopped") return { ...outcome, ...clear };
  if (outcome.status === "failed") return { ...outcome, ...clear, fault: redactFault(secrets, outcome.fault) };
  return { ...outcome, ...clear };
}
