// The events and messages of AG-UI 1.0 that the server sends, as types of our own.

import type { Usage } from "../../core/index.js";

/** A call in a message of the assistant. */
export interface AguiToolCall {
  readonly id: string;
  readonly type: "function";
  readonly function: {
    readonly name: string;
    /** The arguments as JSON text. For a call that could not be read, its raw text. */
    readonly arguments: string;
  };
}

/** Our own data on a message or an interrupt. */
export interface AguiMetadata {
  readonly lastcall: Readonly<Record<string, unknown>>;
}

/** A message of a thread. */
export type AguiMessage =
  | { readonly id: string; readonly role: "user"; readonly content: string }
  | {
      readonly id: string;
      readonly role: "assistant";
      /** Absent if the reply has calls alone. */
      readonly content?: string;
      readonly toolCalls?: readonly AguiToolCall[];
    }
  | {
      readonly id: string;
      readonly role: "tool";
      readonly toolCallId: string;
      readonly content: string;
      /** `lastcall.failure` is the kind of the failure. Absent for a call that succeeded. */
      readonly metadata?: AguiMetadata;
    }
  | { readonly id: string; readonly role: "reasoning"; readonly content: string };

/** Something that a run waits for. */
export interface AguiInterrupt {
  /** The id that the answer names. The id of an approval ends with the digest of the call that was shown. */
  readonly id: string;
  /** `tool_call` for an approval, `confirmation` for a run at its limit, `input_required` for a question. */
  readonly reason: "tool_call" | "confirmation" | "input_required";
  readonly message: string;
  /** The call in the messages that it is about. Absent for a run at its limit, and for a question that ended the run by itself. */
  readonly toolCallId?: string;
  /** JSON Schema of the payload of the answer. */
  readonly responseSchema: Readonly<Record<string, unknown>>;
  /** The time after which no answer is accepted, in ISO 8601. Absent without a deadline. */
  readonly expiresAt?: string;
  readonly metadata: AguiMetadata;
}

/** The tokens of a run. The cached and the reasoning tokens are parts of the other tokens. */
export type AguiUsage = Usage & { readonly totalTokens: number };

/** The end of a run that did not fail. */
export type AguiOutcome =
  | { readonly type: "success" }
  | { readonly type: "cancelled" }
  | { readonly type: "interrupt"; readonly interrupts: readonly AguiInterrupt[] };

/** An event of AG-UI 1.0. */
export type AguiEvent =
  | {
      readonly type: "RUN_STARTED";
      readonly threadId: string;
      readonly runId: string;
      readonly protocolVersion: "1.0";
    }
  | {
      readonly type: "RUN_FINISHED";
      readonly threadId: string;
      readonly runId: string;
      readonly outcome: AguiOutcome;
      /** The accepted claim of a completed run: `by`, `value`, `verified`, `unverified`. */
      readonly result?: unknown;
      readonly usage: readonly AguiUsage[];
    }
  | {
      readonly type: "RUN_ERROR";
      readonly message: string;
      /** The reason of a stopped run, or the code of a fault. */
      readonly code: string;
      readonly usage: readonly AguiUsage[];
    }
  | { readonly type: "STEP_STARTED" | "STEP_FINISHED"; readonly stepName: string }
  | { readonly type: "TEXT_MESSAGE_START"; readonly messageId: string; readonly role: "assistant" | "user" }
  | { readonly type: "TEXT_MESSAGE_CONTENT"; readonly messageId: string; readonly delta: string }
  | { readonly type: "TEXT_MESSAGE_END"; readonly messageId: string }
  | { readonly type: "REASONING_START" | "REASONING_END"; readonly messageId: string }
  | { readonly type: "REASONING_MESSAGE_START"; readonly messageId: string; readonly role: "reasoning" }
  | { readonly type: "REASONING_MESSAGE_CONTENT"; readonly messageId: string; readonly delta: string }
  | { readonly type: "REASONING_MESSAGE_END"; readonly messageId: string }
  | {
      readonly type: "TOOL_CALL_START";
      readonly toolCallId: string;
      readonly toolCallName: string;
      readonly parentMessageId: string;
    }
  | { readonly type: "TOOL_CALL_ARGS"; readonly toolCallId: string; readonly delta: string }
  | { readonly type: "TOOL_CALL_END"; readonly toolCallId: string }
  | {
      readonly type: "TOOL_CALL_RESULT";
      readonly messageId: string;
      readonly toolCallId: string;
      readonly role: "tool";
      readonly content: string;
      readonly metadata?: AguiMetadata;
    }
  | { readonly type: "MESSAGES_SNAPSHOT"; readonly messages: readonly AguiMessage[] }
  | { readonly type: "STATE_SNAPSHOT"; readonly snapshot: Readonly<Record<string, unknown>> }
  | {
      readonly type: "STATE_DELTA";
      readonly delta: readonly { readonly op: "add"; readonly path: string; readonly value: unknown }[];
    }
  | { readonly type: "CUSTOM"; readonly name: `lastcall.${string}`; readonly value: unknown };
