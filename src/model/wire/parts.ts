// Attachments as parts of a chat completion's message.

import {
  partsOf,
  type Message,
  type ModelRequest,
  type Part,
  type ToolMessage,
  type UserMessage,
} from "../../core/index.js";
import type { ChatPart } from "./chat-shapes.js";

/** Tells the parts of a message in one request. */
export type Showing = (message: UserMessage | ToolMessage) => readonly Part[];

/** Makes the function that tells the parts of the request's messages for a model that takes these media types. */
export function showingFor(request: ModelRequest, takes: readonly string[]): Showing {
  return (message) => partsOf(message, request, takes);
}

/** The text of these parts; empty if there is none. */
export function textIn(parts: readonly Part[]): string {
  const [first] = parts;
  return first?.type === "text" ? first.text : "";
}

/** A file as a `data:` address. */
export function dataUrl({ attachment, bytes }: Extract<Part, { readonly type: "attachment" }>): string {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
  return `data:${attachment.mediaType};base64,${text}`;
}

/** The name under which a file is sent. Servers want one for each file. */
export function fileName({ attachment: { name, mediaType } }: Extract<Part, { readonly type: "attachment" }>): string {
  return name ?? `file.${mediaType.split("/")[1] ?? "bin"}`;
}

/** The content of a message: a text, or a list of parts if files go with it. */
export function chatContent(parts: readonly Part[]): string | readonly ChatPart[] {
  return parts.some(({ type }) => type === "attachment") ? parts.map(chatPart) : textIn(parts);
}

function chatPart(part: Part): ChatPart {
  if (part.type === "text") return part;
  if (part.attachment.mediaType.startsWith("image/")) return { type: "image_url", image_url: { url: dataUrl(part) } };
  return { type: "file", file: { filename: fileName(part), file_data: dataUrl(part) } };
}

/** The place of a result: the messages before it, the index of the last reply among them, and the parts that are shown. */
export interface ResultPlace {
  readonly before: readonly Message[];
  readonly repliedAt: number;
  readonly showing: Showing;
}

/**
 * The parts of the files that go with the results of the last reply, if `message` is the last of these results: with chat completions a
 * result is a text only, and no other message may stand between the results. Empty otherwise.
 */
export function filesAfter(message: ToolMessage, { before, repliedAt, showing }: ResultPlace): readonly Part[] {
  const reply = before[repliedAt];
  if (reply?.role !== "assistant" || before.length - repliedAt < reply.reply.calls.length) return [];
  const results = [...before.slice(repliedAt + 1), message].filter((one) => one.role === "tool");
  if (results.every(({ attachments }) => attachments === undefined)) return [];
  const names = new Map(reply.reply.calls.map(({ id, name }) => [id, name]));
  return results.flatMap((result) => {
    const files = showing(result).filter(({ type }) => type === "attachment");
    const from = names.get(result.callId) ?? "a call";
    const label: Part = { type: "text", text: `[The files of the result of ${from}:]` };
    return files.length === 0 ? [] : [label, ...files];
  });
}
