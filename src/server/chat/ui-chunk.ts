// The stream of the AI SDK's chat: the chunks that its pages read, and the messages that the chunks make.

import type { Json } from "../../core/index.js";

/** The major version of the AI SDK in the page. */
export type ChatVersion = 6 | 7;

/** One chunk of the stream of a message. `reset-step` and `tool-approval-response` are of version 7. */
export type ChatChunk =
  | { readonly type: "start"; readonly messageId: string }
  | { readonly type: "start-step" | "finish-step" | "reset-step" }
  | { readonly type: "text-start" | "text-end" | "reasoning-start" | "reasoning-end"; readonly id: string }
  | { readonly type: "text-delta" | "reasoning-delta"; readonly id: string; readonly delta: string }
  | {
      readonly type: "tool-input-start";
      readonly toolCallId: string;
      readonly toolName: string;
      readonly providerExecuted: boolean;
      readonly dynamic: true;
    }
  | { readonly type: "tool-input-delta"; readonly toolCallId: string; readonly inputTextDelta: string }
  | {
      readonly type: "tool-input-available";
      readonly toolCallId: string;
      readonly toolName: string;
      readonly input: unknown;
      readonly providerExecuted: boolean;
      readonly dynamic: true;
    }
  | {
      readonly type: "tool-approval-request";
      readonly approvalId: string;
      readonly toolCallId: string;
      readonly approvalDescriptor?: unknown;
      readonly isAutomatic?: true;
    }
  | {
      readonly type: "tool-approval-response";
      readonly approvalId: string;
      readonly approved: boolean;
      readonly reason?: string;
    }
  | {
      readonly type: "tool-output-available";
      readonly toolCallId: string;
      readonly output: unknown;
      readonly providerExecuted?: boolean;
    }
  | {
      readonly type: "tool-output-error";
      readonly toolCallId: string;
      readonly errorText: string;
      readonly providerExecuted?: boolean;
    }
  | { readonly type: "tool-output-denied"; readonly toolCallId: string }
  | ChatDataChunk
  | { readonly type: "message-metadata"; readonly messageMetadata: ChatMetadata }
  | { readonly type: "finish"; readonly finishReason: string; readonly messageMetadata?: ChatMetadata }
  | { readonly type: "abort"; readonly reason: string }
  | { readonly type: "error"; readonly errorText: string };

/** A part that the AI SDK has no type for: a check, a notice, an outcome. */
export interface ChatDataChunk {
  readonly type: `data-${string}`;
  readonly id?: string;
  readonly data: unknown;
  /** True if it is told, and no part of the message. Default false. */
  readonly transient?: true;
}

/** The metadata of a message: how its run ended, as far as it has. */
export interface ChatMetadata {
  readonly outcome: {
    readonly status: "completed" | "waiting" | "stopped" | "aborted" | "failed";
    /** The reason of a stopped run, or the code of the fault. Null if there is none. */
    readonly reason: string | null;
    /** The reason in words for people. Null if there is none. */
    readonly message: string | null;
  };
}

/** One part of a message, as `useChat` has it. */
export type ChatPart = Readonly<Record<string, Json | undefined>> & { readonly type: string };

/** A message, as `useChat` has it (`UIMessage`). */
export interface ChatUiMessage {
  readonly id: string;
  readonly role: "user" | "assistant";
  readonly metadata?: ChatMetadata;
  readonly parts: readonly ChatPart[];
}
