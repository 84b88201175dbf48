// Content: messages, instructions and tools as the JSON of the conventions, without secrets. It is recorded only on demand.

import {
  argumentsOf,
  type Attachment,
  type Call,
  type Message,
  type Redactor,
  type Reply,
  type ToolDescription,
  type ToolMessage,
  type UserMessage,
} from "../../core/index.js";
import { reasoningIn, toJson } from "../../core/internal.js";

/** One part of a message in the format of the conventions. */
type Part = Readonly<Record<string, unknown>>;

/** The messages of a request, as JSON text. */
export function inputMessages(messages: readonly Message[], secrets: Redactor): string {
  return write(messages.map(partsOf), secrets);
}

/** The words of the user that begin a run, and the files that go with them, as JSON text. */
export function userMessage({ text, attachments }: Omit<UserMessage, "role">, secrets: Redactor): string {
  return write([partsOf({ role: "user", text, ...(attachments !== undefined && { attachments }) })], secrets);
}

/** Files without their bytes, as JSON text. */
export function fileList(attachments: readonly Attachment[], secrets: Redactor): string {
  return write(attachments.map(filePart), secrets);
}

/** A reply with its reasoning, as JSON text. */
export function outputMessages(reply: Reply, secrets: Redactor): string {
  const reasoning = reasoningIn(reply.extras).map((content) => ({ type: "reasoning", content }));
  const parts = [...reasoning, ...replyParts(reply)];
  return write([{ role: "assistant", parts, finish_reason: finishReason(reply) }], secrets);
}

/** The value of a completed run, or the question of a waiting run, as JSON text. */
export function outputValue(value: unknown, secrets: Redactor): string {
  const content = typeof value === "string" ? value : (toJson(value) ?? "");
  return write([{ role: "assistant", parts: [textPart(content)], finish_reason: "stop" }], secrets);
}

/** The system prompt, as JSON text. */
export function instructions(system: string, secrets: Redactor): string {
  return write([textPart(system)], secrets);
}

/** The descriptions of the tools, as JSON text. */
export function definitions(tools: readonly ToolDescription[], secrets: Redactor): string {
  return write(
    tools.map(({ name, description, parameters }) => ({ type: "function", name, description, parameters })),
    secrets,
  );
}

/** The arguments of a call, as the model's JSON text, or its raw text if it could not be read. */
export function callArguments(call: Call, secrets: Redactor): string {
  return call.type === "call" ? write(call.input, secrets) : secrets.text(argumentsOf(call));
}

/** The reason why a reply ended, in a word of the conventions. */
export function finishReason({ finish, calls }: Pick<Reply, "finish" | "calls">): string {
  if (finish === "cut") return "length";
  if (finish === "refused") return "content_filter";
  return calls.length > 0 ? "tool_call" : "stop";
}

function partsOf(message: Message): Part {
  switch (message.role) {
    case "user":
      return { role: "user", parts: [textPart(message.text), ...filesOf(message)] };
    case "assistant":
      return { role: "assistant", parts: replyParts(message.reply) };
    case "tool":
      return {
        role: "tool",
        parts: [{ type: "tool_call_response", id: message.callId, response: message.text }, ...filesOf(message)],
      };
  }
}

function replyParts({ text, calls }: Reply): readonly Part[] {
  const words = text === "" ? [] : [textPart(text)];
  return [
    ...words,
    ...calls.map((call) => ({
      type: "tool_call",
      id: call.id,
      name: call.name,
      arguments: call.type === "call" ? call.input : call.source,
    })),
  ];
}

function filesOf({ attachments = [] }: UserMessage | ToolMessage): readonly Part[] {
  return attachments.map(filePart);
}

/**
 * A file as the conventions name a file that is kept elsewhere. Its bytes are never recorded, nor its name, which may be a person's name.
 */
function filePart({ mediaType, digest, size }: Attachment): Part {
  const [kind = ""] = mediaType.split("/");
  const modality = ["image", "audio", "video"].includes(kind) ? kind : "document";
  return { type: "file", modality, mime_type: mediaType, file_id: digest, size };
}

function textPart(content: string): Part {
  return { type: "text", content };
}

/** Redacts the data first, by the names of its fields too, and then the text that is recorded. */
function write(data: unknown, secrets: Redactor): string {
  return secrets.text(toJson(secrets.data(data)) ?? "null");
}
