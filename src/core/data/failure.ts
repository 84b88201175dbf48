// Failures: mistakes as data, with words for the model and a signature for the circuit.

import { canonical, digest } from "./json.js";

/** Mistakes of form: the model can only have meant something else. */
export const formKinds = [
  "no_tool_call",
  "malformed_call",
  "truncated",
  "unknown_tool",
  "invalid_arguments",
  "conflicting_calls",
] as const;

/** The kind of a failure: a mistake of form, or a fact about the world that the loop or a tool states. */
export type FailureKind =
  | (typeof formKinds)[number]
  | "claim_refused"
  | "denied"
  | "tool_error"
  | "tool_timeout"
  | "check_failed"
  | "interrupted"
  | "closing";

/** One failure, as the model is told of it and as the journal keeps it. */
export interface Failure {
  readonly kind: FailureKind;
  /** The tool it is about, if any. */
  readonly tool?: string;
  /** What was wrong. */
  readonly message: string;
  /** What to do next. */
  readonly advice: string;
  /** What is said besides where the failure repeats itself; never part of the signature. */
  readonly hint?: string;
  /** The same for the same mistake, whatever the numbers, paths and times in its message. */
  readonly signature: string;
}

/** What a failure is made from. */
export interface FailureFacts {
  readonly tool?: string;
  readonly message: string;
  readonly advice: string;
  /** The arguments of the call, where they belong to the mistake. */
  readonly input?: unknown;
}

/** Makes a failure and its signature. */
export function failure(kind: FailureKind, facts: FailureFacts): Failure {
  const { tool, message, advice } = facts;
  const input = "input" in facts ? digest(canonical(facts.input)) : "";
  const signature = [kind, tool ?? "", input, maskVolatile(message)].join("|");
  return { kind, ...(tool !== undefined && { tool }), message, advice, signature };
}

/** The words the model reads. */
export function describeFailure({ kind, tool, message, advice, hint }: Failure): string {
  const words = `ERROR ${kind}${tool === undefined ? "" : ` (${tool})`}: ${message}\nWhat to do: ${advice}`;
  return hint === undefined ? words : `${words}\n${hint}`;
}

/** True for the first six kinds. */
export function isMistakeOfForm({ kind }: Failure): boolean {
  return (formKinds as readonly FailureKind[]).includes(kind);
}

const volatile: readonly (readonly [RegExp, string])[] = [
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, "<uuid>"],
  [/(?<![\w.~/-])(?:\/private)?(?:\/tmp|\/var\/tmp|\/var\/folders)\/[^\s"'`:,)]*/g, "<temp>"],
  [/\b0x[0-9a-f]+\b|\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,}\b/gi, "<n>"],
  [/\d+(?:[.,:]\d+)*/g, "<n>"],
];

/** How much of a message can matter to its signature, before and after folding. */
const mostRead = 100_000;
const mostKept = 2000;

/** Folds what changes from one time to the next: uuids, temporary paths, hex, numbers, times, durations. */
export function maskVolatile(text: string): string {
  const read = text.slice(0, mostRead);
  return volatile.reduce((folded, [pattern, name]) => folded.replace(pattern, name), read).slice(0, mostKept);
}
