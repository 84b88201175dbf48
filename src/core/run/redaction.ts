// Redaction: removes secrets from records, events, warnings and the outcome. The model's own words stay. See docs/secrets.md.

import type { Definition } from "../data/definition.js";
import type { Event, Stage } from "../ports/event.js";
import { maskVolatile, type Failure } from "../data/failure.js";
import { explain, LastcallError } from "../data/fault.js";
import { soundData } from "../data/json.js";
import type { Execution } from "../ports/hook.js";
import type { AnyOutcome } from "../ports/outcome.js";
import type { RecordBody } from "../journal/record.js";
import type { Redactor } from "../secret/redact.js";
import type { RedactedStream } from "../secret/redact-stream.js";
import { sound } from "../text/sound.js";
import { eachOf } from "../time/stage.js";
import type { Runtime } from "../time/runtime.js";

/** Redacts a failure. A signature ends with the masked message, so its end is made again if the message changes. */
export function redactFailure(secrets: Redactor, failure: Failure): Failure {
  const { message, signature } = failure;
  const redacted = secrets.text(sound(message));
  const masked = maskVolatile(message);
  const prefix = signature.endsWith(masked) ? signature.slice(0, signature.length - masked.length) : undefined;
  const isSame = prefix === undefined || redacted === message;
  const newSignature = isSame ? signature : prefix + maskVolatile(redacted);
  return secrets.data(soundData({ ...failure, message: redacted, signature: newSignature }));
}

/** Redacts the failure and the error of a call. The value of a successful call is redacted once it is a text. */
export function redactExecution(secrets: Redactor, execution: Execution): Execution {
  if (execution.ok) return execution;
  const { failure, error } = execution;
  return {
    ok: false,
    failure: redactFailure(secrets, failure),
    ...(error !== undefined && { error: redactThrown(secrets, error) }),
  };
}

/**
 * Redacts a thrown value, its causes and their stacks. Returns the same value if it holds no secret and has at most eight causes. It never
 * throws.
 */
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
      return body.definition === undefined ? body : { ...body, ...redactDefinition(secrets, body) };
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

/** The field `definition`, with its texts redacted; no field without texts. The digests are the digests of the texts as they were sent. */
function redactDefinition(
  secrets: Redactor,
  { definition }: { readonly definition?: Definition },
): { readonly definition?: Definition } {
  if (definition === undefined) return {};
  const { texts, clientTools } = definition;
  const redacted = {
    ...(texts !== undefined && { texts: secrets.data(texts) }),
    ...(clientTools !== undefined && { clientTools: secrets.data(clientTools) }),
  };
  return { definition: { ...definition, ...redacted } };
}

/** The field `preview`, redacted; no field if the call has no preview. */
function redactPreview(secrets: Redactor, { preview }: { readonly preview?: string }): { readonly preview?: string } {
  return preview === undefined ? {} : { preview: secrets.text(preview) };
}

/** Redacts a fault, its causes and their stacks. Returns the same object if it holds no secret. `depth` counts the errors around it. */
export function redactFault(secrets: Redactor, fault: LastcallError, depth = 0): LastcallError {
  const message = secrets.text(fault.message);
  const stack = secrets.text(fault.stack ?? "");
  const cause = redactCause(secrets, fault.cause, depth + 1);
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

/** The maximum number of nested causes. Deeper causes are left out. */
const maxCauses = 8;

function redactCause(secrets: Redactor, cause: unknown, depth: number): unknown {
  if (!(cause instanceof Error)) return redactValue(secrets, cause);
  if (depth > maxCauses) return undefined;
  if (cause instanceof LastcallError) return redactFault(secrets, cause, depth);
  const [message, stack] = [secrets.text(cause.message), secrets.text(cause.stack ?? "")];
  const inner = redactCause(secrets, cause.cause, depth + 1);
  const isSame = message === cause.message && stack === (cause.stack ?? "") && inner === cause.cause;
  if (isSame && !hasSecretField(secrets, cause)) return cause;
  const redacted = new Error(message, inner === undefined ? {} : { cause: inner });
  redacted.name = cause.name;
  redacted.stack = stack;
  return redacted;
}

/** Redacts a thrown value that is no error. An object that holds a secret where `data` does not look becomes an error with its words. */
function redactValue(secrets: Redactor, value: unknown): unknown {
  const redacted = secrets.data(value);
  const mayHide = typeof value === "object" && value !== null && redacted === value;
  return mayHide && hasSecretField(secrets, value) ? new Error(secrets.text(explain(value))) : redacted;
}

/**
 * True if a field of the object holds a secret, or if an object in a field does. Clients store requests, responses and other errors in
 * fields of an error.
 */
function hasSecretField(secrets: Redactor, object: object): boolean {
  try {
    const fields = JSON.stringify(fieldsOf(object), function (this: Record<string, unknown>, key) {
      // The value that JSON gives has been through its own `toJSON`, which may leave fields out.
      return readable(this[key]);
    });
    return secrets.text(fields) !== fields;
  } catch {
    // Fields that cannot be read may hold a secret.
    return true;
  }
}

/** A value as JSON shows it whole: bytes as text, the entries of maps and headers, all own fields of other objects. */
function readable(value: unknown): unknown {
  if (typeof value === "bigint") return String(value);
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  if (ArrayBuffer.isView(value)) return new TextDecoder().decode(value as Uint8Array);
  const { entries } = value as { readonly entries?: () => Iterable<unknown> };
  return typeof entries === "function" ? [...entries.call(value)] : fieldsOf(value);
}

/** All own fields of an object, and what an error says, which JSON leaves out. */
function fieldsOf(object: object): object {
  const names = Object.getOwnPropertyNames(object).filter((name) => name !== "toJSON");
  if (object instanceof Error) names.push("message", "stack");
  return Object.fromEntries(names.map((name) => [name, object[name as keyof object]]));
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
export function* redactEvents(run: Stage<AnyOutcome>, secrets: Redactor): Stage<AnyOutcome> {
  const open: OpenProgress = new Map();
  return redactOutcome(secrets, yield* eachOf(run, (event) => redactOne(secrets, event, open)));
}

/** The progress of the calls in progress, by the path to their run, and by call. */
type OpenProgress = Map<string, Map<string, RedactedStream>>;

/** Redacts one event, and shows what was held back of a progress that has ended. */
function* redactOne(secrets: Redactor, event: Event, open: OpenProgress): Iterable<Event> {
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

function* redactOwn(secrets: Redactor, event: Event, streams: Map<string, RedactedStream>): Iterable<Event> {
  if (event.type === "call-progress") {
    yield* redactProgress(event, secrets, streams);
    return;
  }
  const ended = event.type === "call-end" ? [event.result.callId] : endsProgress(event) ? [...streams.keys()] : [];
  for (const callId of ended) yield* flush(callId, streams);
  yield redactEvent(secrets, event);
}

type Progress = Extract<Event, { readonly type: "call-progress" }>;

function* redactProgress(event: Progress, secrets: Redactor, streams: Map<string, RedactedStream>): Iterable<Event> {
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

function* flush(callId: string, streams: Map<string, RedactedStream>): Iterable<Event> {
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

/** Redacts the outcome of a run. */
export function redactOutcome(secrets: Redactor, outcome: AnyOutcome): AnyOutcome {
  if (outcome.status === "completed" || outcome.status === "waiting") return outcome;
  const { partial } = outcome;
  const message = secrets.text(outcome.message);
  const redacted = { message, partial: { ...partial, text: secrets.text(partial.text) } };
  if (outcome.status === "stopped") return { ...outcome, ...redacted };
  if (outcome.status === "failed") return { ...outcome, ...redacted, fault: redactFault(secrets, outcome.fault) };
  return { ...outcome, ...redacted };
}
