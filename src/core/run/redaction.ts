// Redaction: removes secrets from everything that leaves a run: records, events, warnings and the outcome. See docs/secrets.md.

import type { Definition } from "../data/definition.js";
import type { Event } from "../ports/event.js";
import { maskVolatile, type Failure } from "../data/failure.js";
import { explain, LastcallError } from "../data/fault.js";
import type { Execution } from "../ports/hook.js";
import type { AnyOutcome } from "../ports/outcome.js";
import type { RecordBody } from "../journal/record.js";
import type { Redactor } from "../secret/redact.js";
import type { RedactedStream } from "../secret/redact-stream.js";
import type { Runtime } from "../time/runtime.js";

/** Redacts a failure. If its message changes, the signature follows the redacted message. */
export function redactFailure(secrets: Redactor, failure: Failure): Failure {
  const { message, signature } = failure;
  const redacted = secrets.text(message);
  const masked = maskVolatile(message);
  const prefix = signature.endsWith(masked) ? signature.slice(0, signature.length - masked.length) : undefined;
  const isSame = prefix === undefined || redacted === message;
  const newSignature = isSame ? signature : prefix + maskVolatile(redacted);
  return secrets.data({ ...failure, message: redacted, signature: newSignature });
}

/** Redacts the failure of a call. A value is redacted later, when it has become a text. */
export function redactExecution(secrets: Redactor, execution: Execution): Execution {
  if (execution.ok) return execution;
  const { failure, error } = execution;
  return {
    ok: false,
    failure: redactFailure(secrets, failure),
    ...(error !== undefined && { error: redactThrown(secrets, error) }),
  };
}

/** Redacts a thrown value, its causes and their stacks. Returns the same value if it holds no secret. It never throws. */
export function redactThrown(secrets: Redactor, thrown: unknown): unknown {
  try {
    return redactCause(secrets, thrown, 0);
  } catch (unreadable) {
    return new Error(`The thrown value can't be read: ${secrets.text(explain(unreadable))}`);
  }
}

/**
 * Redacts a record. The words of the user, the model's replies and claims, the names of checks and the data of their `begin` stay the
 * same. Results and outputs of checks are redacted before they become records.
 */
export function redactRecord(secrets: Redactor, body: RecordBody): RecordBody {
  switch (body.type) {
    case "decision":
      return { ...body, reason: secrets.text(body.reason) };
    case "parked":
      return { ...body, reason: secrets.text(body.reason), ...redactPreview(secrets, body) };
    case "approval":
      return {
        ...body,
        ...(body.reason !== undefined && { reason: secrets.text(body.reason) }),
        ...redactDefinition(secrets, body),
      };
    case "answer":
    case "input":
    case "resume":
      return body.definition?.texts === undefined ? body : { ...body, ...redactDefinition(secrets, body) };
    case "error-context":
      return { ...body, failure: redactFailure(secrets, body.failure) };
    case "notice":
    case "expiry":
    case "overflow":
    case "outcome":
    case "fold":
    case "hand-over":
    case "prune":
      return secrets.data(body);
    case "question":
    case "background":
    case "background-end":
    case "baseline":
    case "check":
    case "child":
    case "fork":
    case "claim":
    case "intent":
    case "iteration":
    case "reply":
    case "result":
    case "spend":
    case "steer":
    case "stub":
      return body;
  }
}

/** The texts of a definition without secrets; nothing if it has none. Their digests stay the digests of the texts as they were sent. */
function redactDefinition(
  secrets: Redactor,
  { definition }: { readonly definition?: Definition },
): { readonly definition?: Definition } {
  if (definition?.texts === undefined) return {};
  return { definition: { ...definition, texts: secrets.data(definition.texts) } };
}

/** The preview of a parked call without secrets; nothing if it has none. */
function redactPreview(secrets: Redactor, { preview }: { readonly preview?: string }): { readonly preview?: string } {
  return preview === undefined ? {} : { preview: secrets.text(preview) };
}

/** Redacts a fault, its causes and their stacks. Returns the same object if it holds no secret. */
export function redactFault(secrets: Redactor, fault: LastcallError): LastcallError {
  const message = secrets.text(fault.message);
  const stack = secrets.text(fault.stack ?? "");
  const cause = redactCause(secrets, fault.cause, 0);
  if (message === fault.message && stack === (fault.stack ?? "") && cause === fault.cause) return fault;
  const { code, status, retryAfterMs } = fault;
  const redacted = new LastcallError(code, message, {
    ...("cause" in fault && { cause }),
    ...(status !== undefined && { status }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  });
  redacted.stack = stack;
  return redacted;
}

/** The length to which a chain of causes is redacted. Causes further down are left out. */
const maxCauses = 8;

function redactCause(secrets: Redactor, cause: unknown, depth: number): unknown {
  if (cause instanceof LastcallError) return redactFault(secrets, cause);
  if (!(cause instanceof Error)) return secrets.data(cause);
  if (depth === maxCauses) return undefined;
  const [message, stack] = [secrets.text(cause.message), secrets.text(cause.stack ?? "")];
  const inner = redactCause(secrets, cause.cause, depth + 1);
  const isSame = message === cause.message && stack === (cause.stack ?? "") && inner === cause.cause;
  if (isSame && !hasSecretField(secrets, cause)) return cause;
  const redacted = new Error(message, inner === undefined ? {} : { cause: inner });
  redacted.name = cause.name;
  redacted.stack = stack;
  return redacted;
}

/**
 * True if a field of the error holds a secret, or if an error in a field does. Clients store requests, responses and other errors in
 * such fields.
 */
function hasSecretField(secrets: Redactor, error: Error): boolean {
  try {
    const fields = JSON.stringify(error, (_key, value: unknown) => (value instanceof Error ? fieldsOf(value) : value));
    return secrets.text(fields) !== fields;
  } catch {
    // Fields that cannot be read may hold a secret.
    return true;
  }
}

/** All own fields of an error. Some fields have no JSON: the message, the stack, and the errors of an AggregateError. */
function fieldsOf(error: Error): object {
  return Object.fromEntries(Object.getOwnPropertyNames(error).map((name) => [name, error[name as keyof Error]]));
}

/** Wraps a runtime so that its warnings are redacted. */
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

/**
 * Redacts the events and the outcome of a run. The progress texts of one call are redacted as one text, since a secret may be split
 * between two texts.
 */
export async function* redactEvents(
  source: AsyncGenerator<Event, AnyOutcome, void>,
  secrets: Redactor,
): AsyncGenerator<Event, AnyOutcome, void> {
  const open: OpenProgress = new Map();
  for (;;) {
    const next = await source.next();
    if (next.done === true) return redactOutcome(secrets, next.value);
    yield* redactOne(secrets, next.value, open);
  }
}

/** The progress of the calls in progress, by the path to their run, and by call. */
type OpenProgress = Map<string, Map<string, RedactedStream>>;

/** Redacts one event, and shows what was held back of a progress that has ended. */
function* redactOne(secrets: Redactor, event: Event, open: OpenProgress): Generator<Event, void, void> {
  if (event.type !== "child-event") {
    yield* redactOwn(secrets, event, streamsOf(open, ""));
    return;
  }
  const key = event.path.join("\n");
  for (const inner of redactOwn(secrets, event.event, streamsOf(open, key))) {
    // The agent knows its own secrets. This run may know other secrets.
    yield { ...event, event: inner.type === "call-end" ? secrets.data(inner) : inner };
  }
  if (event.event.type === "run-end") open.delete(key);
}

function streamsOf(open: OpenProgress, key: string): Map<string, RedactedStream> {
  const streams = open.get(key) ?? new Map<string, RedactedStream>();
  open.set(key, streams);
  return streams;
}

function* redactOwn(
  secrets: Redactor,
  event: Event,
  streams: Map<string, RedactedStream>,
): Generator<Event, void, void> {
  if (event.type === "call-progress") {
    yield* redactProgress(event, secrets, streams);
    return;
  }
  const ended = event.type === "call-end" ? [event.result.callId] : endsProgress(event) ? [...streams.keys()] : [];
  for (const callId of ended) yield* flush(callId, streams);
  yield redactEvent(secrets, event);
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

/** True for an event that no progress of an earlier call follows. */
function endsProgress({ type }: Event): boolean {
  return type === "claim-accepted" || type === "iteration-end" || type === "expiry";
}

/** Events that are redacted as a whole: they hold words of providers, checks and hooks. */
const redactedWhole: ReadonlySet<Event["type"]> = new Set([
  "reply-retracted",
  "request-retry",
  "request-adjusted",
  "forcing-step",
  "notice",
  "expiry",
]);

function redactEvent(secrets: Redactor, event: Event): Event {
  if (redactedWhole.has(event.type)) return secrets.data(event);
  if (event.type === "call-parked") return { ...event, why: secrets.text(event.why), ...redactPreview(secrets, event) };
  if (event.type === "call-asking") {
    const { rule } = event;
    return { ...event, why: secrets.text(event.why), ...(rule !== undefined && { rule: secrets.text(rule) }) };
  }
  if (event.type === "call-decision") return { ...event, reason: secrets.text(event.reason) };
  if (event.type === "check-end") return { ...event, output: secrets.text(event.output) };
  if (event.type === "reply-failure" || event.type === "claim-retracted")
    return { ...event, failure: redactFailure(secrets, event.failure) };
  return event;
}

function redactOutcome(secrets: Redactor, outcome: AnyOutcome): AnyOutcome {
  if (outcome.status === "completed" || outcome.status === "waiting") return outcome;
  const { partial } = outcome;
  const message = secrets.text(outcome.message);
  const redacted = { message, partial: { ...partial, text: secrets.text(partial.text) } };
  if (outcome.status === "stopped") return { ...outcome, ...redacted };
  if (outcome.status === "failed") return { ...outcome, ...redacted, fault: redactFault(secrets, outcome.fault) };
  return { ...outcome, ...redacted };
}
