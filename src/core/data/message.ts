// The messages of a prompt, in a format that does not depend on the provider.

import { isBlank, wellFormed } from "../text/sound.js";
import type { Attachment } from "./attachment.js";
import type { Reply, WrittenCall } from "./call.js";
import { soundData } from "./json.js";

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

/**
 * The reply as the journal keeps it: sound, but U+0000 stays in the inputs of calls. They are data, which a gate decides about, and without
 * it a call is another call.
 */
export function keptReply<R extends Reply<WrittenCall>>(reply: R): R {
  const whole = soundReply(reply);
  if (whole === reply) return reply;
  const inputs = reply.calls.map((call) => (call.type === "call" ? soundData(call.input, wellFormed) : undefined));
  const calls = whole.calls.map((call, index) => {
    const input = inputs[index];
    return call.type === "call" && input !== undefined ? { ...call, input } : call;
  });
  return { ...whole, calls };
}

/** The reply with sound texts. Words that are white space alone are none. */
function soundReply<R extends Reply<WrittenCall>>(reply: R): R {
  const whole = soundData(reply);
  return whole.text !== "" && isBlank(whole.text) ? { ...whole, text: "" } : whole;
}

/** Stands for a text without words, because providers refuse a message that has none. */
const noWords = "(no text)";

/**
 * The message as every provider takes it: its texts are sound, and none is white space alone. The same object if it is so already.
 * Sessions of earlier versions, hooks and memories can bring other messages.
 */
export function soundMessage(message: Message): Message {
  if (message.role === "assistant") {
    const reply = soundReply(message.reply);
    return reply === message.reply ? message : { ...message, reply };
  }
  const whole = soundData(message);
  if (!isBlank(whole.text)) return whole;
  const isShown = whole.role === "user" && (whole.attachments ?? []).length > 0;
  const text = isShown ? "" : noWords;
  return whole.text === text ? whole : { ...whole, text };
}
