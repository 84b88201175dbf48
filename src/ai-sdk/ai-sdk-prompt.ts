// Writes the messages of a request as a prompt of the AI SDK, with native calls or with calls in XML.

import type { AssistantMessage, ModelRequest, Part, ToolMessage } from "../core/index.js";
import { isPlainObject } from "../core/internal.js";
import { filesAfter, showingFor, systemOf, wireId, wireName, xmlWriter, type TakesId } from "../model/carriers.js";
import type { AiSdkModel, ContentPart, PromptMessage, ProviderOptions } from "./ai-sdk-model.js";
import { echoed, optionsOf, textParts } from "./echo.js";

/** Options for writing a prompt. */
export interface PromptManner {
  /** The model and provider whose replies are repeated with their reasoning. Undefined if no reply is. */
  readonly from: string | undefined;
  /** The call ids that the provider takes. Another id is replaced. */
  readonly takesId: TakesId;
  /** The options to put on the messages up to which the provider caches the prompt. Undefined for none. */
  readonly breakpoint: ProviderOptions | undefined;
  /** The media types of the attachments that are sent. Other attachments are told in words. */
  readonly takes: readonly string[];
  /** The version of the AI SDK's specification, which sets the form of a file. */
  readonly version: AiSdkModel["specificationVersion"];
}

/** Writes a prompt with native calls. */
export function nativePrompt(
  request: ModelRequest,
  choice: "required" | "auto",
  manner: PromptManner,
): readonly PromptMessage[] {
  const calls = new Map<string, WrittenCall>();
  const taken = new Set<string>();
  const showing = showingFor(request, manner.takes);
  const contentOf = (parts: readonly Part[]): readonly ContentPart[] => parts.map((part) => partOf(part, manner));
  const prompt: PromptMessage[] = [{ role: "system", content: systemOf(request, choice) }];
  /** The results of one reply form one message. */
  let results: ContentPart[] = [];
  let hasFiles = false;
  let repliedAt = -1;
  for (const [at, message] of request.messages.entries()) {
    if (message.role === "tool") {
      if (results.length === 0) prompt.push({ role: "tool", content: results });
      results.push(resultPart(message, textOf(showing(message)), calls.get(message.callId)));
      hasFiles ||= message.attachments !== undefined;
      // Few providers take a file within a result, so the files follow the last result.
      const before = hasFiles ? request.messages.slice(0, at) : [];
      const files = filesAfter(message, { before, repliedAt, showing });
      if (files.length > 0) prompt.push({ role: "user", content: contentOf(files) });
      continue;
    }
    results = [];
    hasFiles = false;
    if (message.role === "user") prompt.push({ role: "user", content: contentOf(showing(message)) });
    else {
      repliedAt = at;
      for (const call of message.reply.calls) {
        const id = wireId(call, message.reply, taken, manner.takesId);
        calls.set(call.id, { id, name: wireName(call) });
      }
      const content = replyContent(message, calls, manner);
      if (content.length > 0) prompt.push({ role: "assistant", content });
    }
  }
  return withBreakpoints(prompt, manner.breakpoint);
}

/** Makes a writer of prompts in which the system prompt describes the tools, and texts hold calls and results. */
export function xmlPrompts(
  takes: readonly string[],
): (request: ModelRequest, manner: PromptManner) => readonly PromptMessage[] {
  const write = xmlWriter(() => undefined, takes);
  return (request, manner) =>
    withBreakpoints(
      write(request).messages.map(({ role, content }): PromptMessage => {
        if (role === "system") return { role, content: typeof content === "string" ? content : "" };
        return { role: role === "assistant" ? role : "user", content: xmlContent(content, manner) };
      }),
      manner.breakpoint,
    );
}

/** The content of a message that was written for chat completions: a text, or a list of parts with files as `data:` addresses. */
function xmlContent(content: unknown, { version }: PromptManner): readonly ContentPart[] {
  if (typeof content === "string") return textParts(content);
  const parts = Array.isArray(content) ? (content as readonly unknown[]).filter(isPlainObject) : [];
  return parts.flatMap(({ text, image_url: image, file }): readonly ContentPart[] => {
    if (typeof text === "string") return textParts(text);
    const { filename, ...rest } = { ...(isPlainObject(image) && image), ...(isPlainObject(file) && file) };
    const address = [rest["url"], rest["file_data"]].find((each): each is string => typeof each === "string") ?? "";
    const [, mediaType = "", base64 = ""] = /^data:([^;]*);base64,(.*)$/s.exec(address) ?? [];
    const data = version === "v3" ? base64 : { type: "data", data: base64 };
    return [{ type: "file", mediaType, data, ...(filename !== undefined && { filename }) }];
  });
}

/** A part of a message: its text, or a file in the form of the version. */
function partOf(part: Part, { version }: Pick<PromptManner, "version">): ContentPart {
  if (part.type === "text") return part;
  const { mediaType, name } = part.attachment;
  // Packages take a text or bytes by their types, and some of them only a text.
  const base64 = Buffer.from(part.bytes).toString("base64");
  const data = version === "v3" ? base64 : { type: "data", data: base64 };
  return { type: "file", mediaType, data, ...(name !== undefined && { filename: name }) };
}

function textOf([first]: readonly Part[]): string {
  return first?.type === "text" ? first.text : "";
}

/** The result of a call, with the flag for errors of its provider. */
function resultPart({ callId, ok = true }: ToolMessage, text: string, call: WrittenCall | undefined): ContentPart {
  const output = { type: ok ? "text" : "error-text", value: text };
  return { type: "tool-result", toolCallId: call?.id ?? callId, toolName: call?.name ?? "unreadable", output };
}

/** The id and the name of a call, as the provider gets them. */
interface WrittenCall {
  readonly id: string;
  readonly name: string;
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
