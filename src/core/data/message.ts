// What a model is shown: messages in no provider's format.

import type { Reply } from "./call.js";

/** Words of the user, or of the harness where nobody called a tool that could be answered. */
export interface UserMessage {
  readonly role: "user";
  readonly text: string;
}

/** A reply of the model, shown back to it. */
export interface AssistantMessage {
  readonly role: "assistant";
  readonly reply: Reply;
}

/** The one result of one call. */
export interface ToolMessage {
  readonly role: "tool";
  readonly callId: string;
  readonly text: string;
}

/** One message of the prompt. A message never changes, so a model may keep its encoding by identity. */
export type Message = UserMessage | AssistantMessage | ToolMessage;
