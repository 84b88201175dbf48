// Reads the body of a run of AG-UI: the thread, the last words of the user, the answers to interrupts.

import {
  LastcallError,
  type ApprovalAnswer,
  type ClientTool,
  type Input,
  type NewAttachment,
} from "../../core/index.js";
import { isPlainObject } from "../../core/internal.js";
import type { AguiMessage, AguiToolCall } from "./agui-event.js";
import { readClientTool } from "../hub/page-tools.js";
import { readFile, readFileAt } from "../hub/posted-file.js";
import { readInterruptId } from "./interrupt-id.js";

/** The words of the user that a run is for. */
export interface AguiWords {
  /** The id of the message, which is also the input's id: a message that is posted twice counts once. */
  readonly id: string;
  readonly text: string;
  /** The files of the message. None without any. */
  readonly attachments: readonly NewAttachment[];
  /** True if no message follows: these words may be new. */
  readonly isLast: boolean;
}

/** The answer to an interrupt. */
export interface AguiAnswer {
  /** The id of the call or the question. */
  readonly answers: string;
  /** The digest of the call that was approved or refused. Absent for a question. */
  readonly digest: string | undefined;
  /** The answer; undefined if the interrupt was cancelled. */
  readonly input: Input | undefined;
}

/** The result of a call that the client carried out. */
export interface AguiResult {
  /** The id of the message, which is also the input's id. */
  readonly id: string;
  readonly callId: string;
  readonly text: string;
}

/** A body that was read. */
export interface AguiInput {
  readonly threadId: string;
  readonly runId: string;
  /** The messages that the client shows. They are no history: the journal is. */
  readonly messages: readonly AguiMessage[];
  readonly state: unknown;
  /** The last message of the user. Absent without one. */
  readonly words: AguiWords | undefined;
  readonly answer: AguiAnswer | undefined;
  /** The tools that the client carries out. */
  readonly tools: readonly ClientTool[];
  /** The results behind the last message of the assistant: of calls of these tools, and of other calls. */
  readonly results: readonly AguiResult[];
}

type Fields = Readonly<Record<string, unknown>>;

/** The most characters of the id of a message. */
const longestId = 200;

/**
 * Reads the body of a run, `RunAgentInput`. `context` and `forwardedProps` are ignored, and so are fields of later versions.
 * @throws LastcallError `configuration` that says what is wrong and what to do.
 */
export function readAguiInput(body: unknown): AguiInput {
  if (!isPlainObject(body)) throw wrong("The body is no object: send a RunAgentInput.");
  const { messages = [], tools = [], resume = [], state } = body;
  if (!Array.isArray(messages)) throw wrong("messages is no array.");
  if (!Array.isArray(tools)) throw wrong("tools is no array.");
  const answer = readAnswer(resume);
  const last = messages.findLastIndex((message) => isPlainObject(message) && message["role"] === "user");
  const words = last < 0 ? undefined : readWords(messages[last] as Fields, last === messages.length - 1, answer);
  if (words === undefined && answer === undefined)
    throw wrong("There is no message of the user in messages, and no answer in resume: send one of them.");
  const threadId = textIn(body, "threadId");
  const runId = textIn(body, "runId");
  const given = { tools: tools.map(readTool), results: readResults(messages) };
  return { threadId, runId, messages: messages.flatMap(readMessage), state, words, answer, ...given };
}

/** A tool of the client. */
function readTool(tool: unknown): ClientTool {
  if (!isPlainObject(tool)) throw wrong("A tool in tools is no object.");
  return readClientTool(textIn(tool, "name"), tool);
}

/** The results of tools behind the last message of the assistant. */
function readResults(messages: readonly unknown[]): readonly AguiResult[] {
  const last = messages.findLastIndex((message) => isPlainObject(message) && message["role"] === "assistant");
  return messages.slice(last + 1).flatMap((message): readonly AguiResult[] => {
    if (!isPlainObject(message) || message["role"] !== "tool") return [];
    const { id, toolCallId, content, error } = message;
    if (typeof id !== "string" || id === "" || id.length > longestId || typeof toolCallId !== "string") return [];
    const text = [textOf(content), error].filter((part) => typeof part === "string" && part.trim() !== "").join("\n");
    return [{ id, callId: toolCallId, text }];
  });
}

function textIn(fields: Fields, name: string): string {
  const value = fields[name];
  if (typeof value === "string" && value !== "") return value;
  throw wrong(`${name} is no text: give the id of one.`);
}

function readWords(message: Fields, isLast: boolean, answer: AguiAnswer | undefined): AguiWords | undefined {
  const { id, content } = message;
  if (typeof id !== "string" || id === "" || id.length > longestId)
    throw wrong(`The last message of the user has no id of 1 to ${String(longestId)} characters.`);
  const text = textOf(content);
  if (text !== undefined && text.trim() !== "") return { id, text, isLast, attachments: filesOf(content) };
  // Answers go on without words.
  if (answer !== undefined) return undefined;
  throw wrong("The last message of the user has no text: send one, beside its files.");
}

/** The text of a content, or of its parts of text; undefined if it is no content. */
function textOf(content: unknown): string | undefined {
  if (typeof content === "string") return content;
  if (!Array.isArray(content) || !content.every(isPlainObject)) return undefined;
  const texts = content.filter(({ type }) => type === "text").map(({ text }) => text);
  return texts.every((text) => typeof text === "string") ? texts.join("\n") : undefined;
}

/** The files of a content: parts with a source, and the binary parts of earlier versions. */
function filesOf(content: unknown): readonly NewAttachment[] {
  const parts = Array.isArray(content) ? (content as readonly Fields[]) : [];
  return parts.filter(({ type }) => type !== "text").map(readPart);
}

function readPart({ type, source, metadata, data, url, mimeType, filename }: Fields): NewAttachment {
  if (!["image", "audio", "video", "document", "binary"].includes(String(type)))
    throw wrong(`The last message of the user has a part of the type ${JSON.stringify(type)}: send text and files.`);
  const from = isPlainObject(source)
    ? source
    : { type: data === undefined ? "url" : "data", value: data ?? url, mimeType };
  const named = isPlainObject(metadata) ? metadata["filename"] : undefined;
  const about = { mediaType: from["mimeType"], name: named ?? filename };
  return from["type"] === "data" ? readFile({ ...about, data: from["value"] }) : readFileAt(from["value"], about);
}

function readAnswer(resume: unknown): AguiAnswer | undefined {
  if (!Array.isArray(resume)) throw wrong("resume is no array.");
  if (resume.length > 1) throw wrong("resume has several answers, and a run waits for one thing at a time: send one.");
  const [entry] = resume as readonly unknown[];
  if (entry === undefined) return undefined;
  if (!isPlainObject(entry)) throw wrong("The answer in resume is no object.");
  const { status, payload } = entry;
  const { answers, digest } = readInterruptId(textIn(entry, "interruptId"));
  if (status !== "resolved" && status !== "cancelled")
    throw wrong("The status of the answer in resume is neither resolved nor cancelled.");
  if (status === "cancelled") return { answers, digest, input: undefined };
  return { answers, digest, input: digest === undefined ? readReply(payload) : readApproval(payload, digest) };
}

/**
 * The answer to a question. A reply that looks like an approval becomes text, which fits a question's schema as well, and approves nothing.
 */
function readReply(payload: unknown): Input {
  if (typeof payload === "string" && payload.trim() !== "") return payload;
  if (isPlainObject(payload))
    return typeof payload["allowed"] === "boolean" ? JSON.stringify(payload) : (payload as Exclude<Input, string>);
  throw wrong("The payload of the answer in resume is neither a text nor an object: see responseSchema.");
}

/** A yes or no to a call: `true`, `false`, or an object as the interrupt's schema has it. */
function readApproval(payload: unknown, digest: string): ApprovalAnswer {
  const fields = typeof payload === "boolean" ? { approved: payload } : payload;
  if (!isPlainObject(fields)) throw wrong("The payload of an approval is no object: send { approved: true }.");
  const { approved, reason, always, ...others } = fields;
  const [other] = Object.keys(others);
  if (other !== undefined)
    throw wrong(
      `An approval has no field ${other}: a call runs as it was shown, or not. Send approved, reason, always.`,
    );
  if (typeof approved !== "boolean") throw wrong("approved is neither true nor false.");
  if (reason !== undefined && typeof reason !== "string") throw wrong("reason is no text.");
  if (always !== undefined && typeof always !== "boolean") throw wrong("always is neither true nor false.");
  return { allowed: approved, digest, ...(reason !== undefined && { reason }), ...(always === true && { always }) };
}

/** A message of the client, as far as it can be compared with lastcall's. A message of another role is left out. */
function readMessage(message: unknown): readonly AguiMessage[] {
  if (!isPlainObject(message) || typeof message["id"] !== "string") return [];
  const { id, role } = message;
  const content = textOf(message["content"]);
  switch (role) {
    case "user":
    case "reasoning":
      return [{ id, role, content: content ?? "" }];
    case "assistant":
      return [{ id, role, ...(content !== undefined && { content }), ...readCalls(message["toolCalls"]) }];
    case "tool": {
      const { toolCallId = "", metadata } = message;
      const lastcall = isPlainObject(metadata) ? metadata["lastcall"] : undefined;
      const own = isPlainObject(lastcall) && { metadata: { lastcall } };
      return [{ id, role, toolCallId: String(toolCallId), content: content ?? "", ...own }];
    }
    default:
      return [];
  }
}

function readCalls(calls: unknown): { readonly toolCalls?: readonly AguiToolCall[] } {
  if (!Array.isArray(calls) || calls.length === 0) return {};
  const read = calls.flatMap((call: unknown): readonly AguiToolCall[] => {
    if (!isPlainObject(call) || !isPlainObject(call["function"])) return [];
    const { name, arguments: text } = call["function"];
    return [{ id: String(call["id"]), type: "function", function: { name: String(name), arguments: String(text) } }];
  });
  return { toolCalls: read };
}

function wrong(message: string): LastcallError {
  return new LastcallError("configuration", message);
}
