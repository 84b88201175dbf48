// Drafts: messages of AG-UI while they are made, from records or from pieces.

import { argumentsOf, type Call } from "../../core/index.js";
import type { AguiMessage } from "./agui-event.js";

/** A message while it is made. */
export interface Draft {
  readonly id: string;
  readonly role: AguiMessage["role"];
  content: string | undefined;
  calls: DraftCall[];
  /** The call that a result answers. */
  readonly callId?: string;
  /** The kind of failure, if the result is one. */
  readonly failure?: string;
}

/** A call while its arguments arrive. */
export interface DraftCall {
  readonly id: string;
  readonly name: string;
  text: string;
}

/** The id of the message with the words of a claim, if its reply has other words. */
export function wordsId(callId: string): string {
  return `${callId}/words`;
}

/** The id of the message with the result of a call. */
export function resultId(callId: string): string {
  return `${callId}/result`;
}

/** Puts a result behind the message with its call, and behind the results that are there already. So does every client. */
export function insertResult(messages: Draft[], result: Draft): void {
  const owner = messages.findLastIndex(({ calls }) => calls.some(({ id }) => id === result.callId));
  if (owner < 0) {
    messages.push(result);
    return;
  }
  let index = owner + 1;
  while (messages[index]?.role === "tool") index += 1;
  messages.splice(index, 0, result);
}

/** The message as AG-UI has it. */
export function messageOf({ id, role, content, calls, callId, failure }: Draft): AguiMessage {
  if (role === "tool") {
    const metadata = failure === undefined ? {} : { metadata: { lastcall: { failure } } };
    return { id, role, toolCallId: callId ?? "", content: content ?? "", ...metadata };
  }
  if (role !== "assistant") return { id, role, content: content ?? "" };
  const toolCalls = calls.map(({ id: call, name, text }) => ({
    id: call,
    type: "function" as const,
    function: { name, arguments: text },
  }));
  return { id, role, ...(content !== undefined && { content }), ...(toolCalls.length > 0 && { toolCalls }) };
}

/** The draft of a message. */
export function draftOf(message: AguiMessage): Draft {
  const { id, role } = message;
  const calls =
    message.role === "assistant"
      ? (message.toolCalls ?? []).map((call) => ({
          id: call.id,
          name: call.function.name,
          text: call.function.arguments,
        }))
      : [];
  const { content } = message;
  if (message.role !== "tool") return { id, role, content, calls };
  const failure = message.metadata?.lastcall["failure"];
  const { toolCallId: callId } = message;
  return { id, role, content, calls, callId, ...(typeof failure === "string" && { failure }) };
}

/** A copy that changes by itself. */
export function copyOf(message: Draft): Draft {
  return { ...message, calls: message.calls.map((call) => ({ ...call })) };
}

/** True if a client sees the same in both. */
export function sameMessage(one: Draft, other: Draft | undefined): boolean {
  return other !== undefined && JSON.stringify(messageOf(one)) === JSON.stringify(messageOf(other));
}

/** The arguments as the model wrote them. A call that was mended has the arguments that were read. */
export function argumentsShown(call: Call): string {
  if (call.type === "call" && call.repairs === undefined) return call.source ?? argumentsOf(call);
  return argumentsOf(call);
}
