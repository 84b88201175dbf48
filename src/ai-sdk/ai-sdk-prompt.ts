// Writes the messages of a request as a prompt of the AI SDK, with native calls or with calls in XML.

import type { AssistantMessage, Call, ModelRequest, ToolMessage, UserMessage } from "../core/index.js";
import { isPlainObject } from "../core/internal.js";
import { systemOf, wireId, wireName, xmlWriter } from "../model/carriers.js";
import type { ContentPart, PromptMessage, ProviderOptions } from "./ai-sdk-model.js";
import { echoed, optionsOf, textParts } from "./echo.js";

/** Options for writing a prompt. */
export interface PromptManner {
  /** The model and provider whose replies are repeated with their reasoning. Undefined if no reply is. */
  readonly from: string | undefined;
  /** The call ids that the provider takes. Another id is replaced. */
  readonly ids: RegExp;
  /** The options to put on the messages up to which the provider caches the prompt. Undefined for none. */
  readonly breakpoint: ProviderOptions | undefined;
}

/** Writes a prompt with native calls. */
export function nativePrompt(
  request: ModelRequest,
  choice: "required" | "auto",
  manner: PromptManner,
): readonly PromptMessage[] {
  const calls = new Map<string, WrittenCall>();
  const taken = new Set<string>();
  const prompt: PromptMessage[] = [{ role: "system", content: systemOf(request, choice) }];
  /** The results of one reply form one message. */
  let results: ContentPart[] = [];
  for (const message of request.messages) {
    if (message.role === "tool") {
      if (results.length === 0) prompt.push({ role: "tool", content: results });
      results.push(resultPart(message, calls.get(message.callId)));
      continue;
    }
    results = [];
    if (message.role === "user") prompt.push({ role: "user", content: contentOf(message) });
    else {
      for (const call of message.reply.calls) calls.set(call.id, writtenCall(call, taken, manner));
      const content = replyContent(message, calls, manner);
      if (content.length > 0) prompt.push({ role: "assistant", content });
    }
  }
  return withBreakpoints(prompt, manner.breakpoint);
}

/** Makes a writer of prompts in which the system prompt describes the tools, and texts hold calls and results. */
export function xmlPrompts(): (
  request: ModelRequest,
  breakpoint: ProviderOptions | undefined,
) => readonly PromptMessage[] {
  const write = xmlWriter(() => undefined);
  return (request, breakpoint) =>
    withBreakpoints(
      write(request).messages.map(({ role, content }): PromptMessage => {
        const text = typeof content === "string" ? content : "";
        return role === "system"
          ? { role, content: text }
          : { role: role === "assistant" ? role : "user", content: textParts(text) };
      }),
      breakpoint,
    );
}

/** The content of the user's message. Files of a message become parts here. */
function contentOf({ text }: UserMessage): readonly ContentPart[] {
  return [{ type: "text", text }];
}

/** The result of a call. Files of a result become its `content` here. */
function resultPart({ callId, text, ok = true }: ToolMessage, call: WrittenCall | undefined): ContentPart {
  const output = { type: ok ? "text" : "error-text", value: text };
  return { type: "tool-result", toolCallId: call?.id ?? callId, toolName: call?.name ?? "unreadable", output };
}

/** The id and the name of a call, as the provider gets them. */
interface WrittenCall {
  readonly id: string;
  readonly name: string;
}

function writtenCall(call: Call, taken: Set<string>, { ids }: PromptManner): WrittenCall {
  const { providerId, ...rest } = call;
  const kept = providerId !== undefined && ids.test(providerId) ? { ...rest, providerId } : rest;
  return { id: wireId(kept, taken), name: wireName(call) };
}

function replyContent(
  { reply }: AssistantMessage,
  written: ReadonlyMap<string, WrittenCall>,
  { from }: PromptManner,
): readonly ContentPart[] {
  const { text, calls } = reply;
  if (text === "" && calls.length === 0) return [];
  const isOwn = from !== undefined && reply.from === from;
  const parts = calls.map((call): ContentPart => {
    const { id = call.id, name = wireName(call) } = written.get(call.id) ?? {};
    // Providers take an object alone. The text of a call that can't be read is in its result.
    const input = call.type === "call" && isPlainObject(call.input) ? call.input : {};
    return { type: "tool-call", toolCallId: id, toolName: name, input, ...(isOwn && optionsOf(call)) };
  });
  return isOwn ? echoed(reply, parts) : [...textParts(text), ...parts];
}

/**
 * Puts the options on the system prompt and on the last two messages that are not the model's. The provider then finds the prompt that it
 * stored with the request before, however much the last reply added. Providers take at least four breakpoints.
 */
function withBreakpoints(
  prompt: readonly PromptMessage[],
  options: ProviderOptions | undefined,
): readonly PromptMessage[] {
  if (options === undefined) return prompt;
  const asked = prompt.flatMap(({ role }, index) => (role === "user" || role === "tool" ? [index] : []));
  const marked = new Set([0, ...asked.slice(-2)]);
  return prompt.map((message, index) => (marked.has(index) ? { ...message, providerOptions: options } : message));
}
