// Failures: errors as data, with a message for the model and a signature for the circuit.

import { canonical, digest } from "./json.js";
import { headOf } from "../text/cut.js";

/** Mistakes of form: the model cannot have meant to write this. */
export const formKinds = [
  "no_tool_call",
  "malformed_call",
  "truncated",
  "unknown_tool",
  "invalid_arguments",
  "conflicting_calls",
] as const;

/** The kind of a failure: a mistake of form, or a fact about the world that the loop or a tool reports. */
export type FailureKind =
  | (typeof formKinds)[number]
  | "claim_refused"
  | "denied"
  | "tool_error"
  | "tool_timeout"
  | "check_failed"
  | "interrupted"
  | "closing";

/** One failure, as the model reads it and as the journal stores it. */
export interface Failure {
  readonly kind: FailureKind;
  /** The tool that the failure is about, if any. */
  readonly tool?: string;
  /** The problem. */
  readonly message: string;
  /** The advice for the next step. */
  readonly advice: string;
  /** Extra advice when the failure repeats. It is not part of the signature. */
  readonly hint?: string;
  /** The identity of the failure. Numbers, temporary paths and times in the message do not change it. */
  readonly signature: string;
}

/** The parts of a failure that the caller gives. */
export interface FailureFacts {
  readonly tool?: string;
  readonly message: string;
  readonly advice: string;
  /** The arguments of the call, if they are part of the mistake. They become part of the signature. */
  readonly input?: unknown;
}

/** Makes a failure with its signature. */
export function failure(kind: FailureKind, facts: FailureFacts): Failure {
  const { tool, message, advice } = facts;
  const input = "input" in facts ? digest(canonical(facts.input)) : "";
  const signature = [kind, tool ?? "", input, maskVolatile(message)].join("|");
  return { kind, ...(tool !== undefined && { tool }), message, advice, signature };
}

/** The text of a failure for the model. */
export function describeFailure({ kind, tool, message, advice, hint }: Failure): string {
  const words = `ERROR ${kind}${tool === undefined ? "" : ` (${tool})`}: ${message}\nWhat to do: ${advice}`;
  return hint === undefined ? words : `${words}\n${hint}`;
}

/** True if the failure is a mistake of form. */
export function isMistakeOfForm({ kind }: Failure): boolean {
  return (formKinds as readonly FailureKind[]).includes(kind);
}

const volatile: readonly (readonly [RegExp, string])[] = [
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, "<uuid>"],
  [/(?<![\w.~/-])(?:\/private)?(?:\/tmp|\/var\/tmp|\/var\/folders)\/[^\s"'`:,)]*/g, "<temp>"],
  [/\b0x[0-9a-f]+\b|\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,}\b/gi, "<n>"],
  [/\d+(?:[.,:]\d+)*/g, "<n>"],
];

/** Only the first characters of a message can matter to its signature: these limits apply before and after masking. */
const maxRead = 100_000;
const maxMasked = 2000;

/** Replaces parts that differ from one occurrence to the next: uuids, temporary paths, hex, numbers, times and durations. */
export function maskVolatile(text: string): string {
  const read = headOf(text, maxRead);
  return headOf(
    volatile.reduce((masked, [pattern, name]) => masked.replace(pattern, name), read),
    maxMasked,
  );
}
