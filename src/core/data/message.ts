// The messages of a prompt, in a format that does not depend on the provider.

import type { Attachment } from "./attachment.js";
import type { Reply } from "./call.js";

/** A message of the user, or of the harness when it has no call to answer. */
export interface UserMessage {
  readonly role: "user";
  readonly text: string;
  /** The files that go with the text. Default: none. */
  readonly attachments?: readonly Attachment[];
}

/** An earlier reply of the model. */
export interface AssistantMessage {
  readonly role: "assistant";
  readonly reply: Reply;
}

/** The result of one call. Each call has exactly one. */
export interface ToolMessage {
  readonly role: "tool";
  readonly callId: string;
  readonly text: string;
  /** The files that go with the text. Default: none. */
  readonly attachments?: readonly Attachment[];
  /** False if the call failed, so that a provider with a flag for errors gets it. Default: true. */
  readonly ok?: boolean;
}

/** One message of the prompt. A message never changes, so a model may cache its encoding by identity. */
export type Message = UserMessage | AssistantMessage | ToolMessage;
