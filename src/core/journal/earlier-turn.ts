// Reads one message of an earlier conversation, in the form of a chat-completions request or of a prompt of lastcall.

import { isBlank } from "../text/sound.js";
import type { Call, ReadableCall, Reply, WrittenCall } from "../data/call.js";
import { explain } from "../data/fault.js";
import { isPlainObject, type Json, type JsonObject } from "../data/json.js";

/** A call, and the id by which its result names it. */
export interface SourceCall {
  readonly sourceId: string;
  readonly call: WrittenCall;
}

/** A message of the assistant. */
export interface AssistantTurn {
  readonly role: "assistant";
  readonly text: string;
  readonly calls: readonly SourceCall[];
  readonly extras?: JsonObject | undefined;
}

/** One message, in the same form for each kind of list. */
export type EarlierTurn =
  | { readonly role: "user"; readonly text: string }
  | AssistantTurn
  | { readonly role: "tool"; readonly sourceId: string; readonly text: string };

/**
 * Reads a message.
 * @throws Error whose message goes on after the name of the message, such as "has no text".
 */
export function readTurn(message: unknown): EarlierTurn {
  if (!isObject(message)) throw new Error("is no message: give { role, content }.");
  const { role, content, text = textOf(content) } = message;
  if (typeof text !== "string") throw new Error("has a text of another type: give a string.");
  switch (role) {
    case "user":
      if (isBlank(text)) throw new Error("has no text: leave it out.");
      return { role, text };
    case "assistant":
      return readAssistant(message, text);
    case "tool": {
      const sourceId = message["callId"] ?? message["tool_call_id"];
      if (typeof sourceId !== "string") throw new Error("does not say which call it answers: give tool_call_id.");
      return { role, sourceId, text };
    }
    case "system":
    case "developer":
      throw new Error(`has the role ${role}: leave it out, and give its text to createAgent as \`instructions\`.`);
    default:
      throw new Error(`has the role ${explain(role)}: it must be user, assistant or tool.`);
  }
}

type Fields = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Messages of client libraries may be class instances, so any object counts. */
function readAssistant({ reply, tool_calls: calls, refusal }: Fields, words: string): AssistantTurn {
  if (isObject(reply)) return readReply(reply as unknown as Reply);
  const text = words === "" && typeof refusal === "string" ? refusal : words;
  const list = calls ?? [];
  if (!Array.isArray(list)) throw new Error("has tool_calls that are no list.");
  if (isBlank(text) && list.length === 0) throw new Error("has neither text nor calls: leave it out.");
  return { role: "assistant", text, calls: list.map(readCall) };
}

function readReply({ text, calls, extras }: Reply): AssistantTurn {
  if (typeof (text as unknown) !== "string" || !Array.isArray(calls))
    throw new Error("has a reply without text and calls: give the reply as lastcall made it.");
  return { role: "assistant", text, calls: calls.map(({ id, ...call }: Call) => ({ sourceId: id, call })), extras };
}

function readCall(value: unknown): SourceCall {
  const { id, function: called } = isObject(value) ? value : {};
  if (typeof id !== "string" || !isObject(called) || typeof called["name"] !== "string")
    throw new Error("has a call in another form than { id, function: { name, arguments } }.");
  const { name, arguments: given } = called;
  const source = typeof given === "string" ? given.trim() || "{}" : JSON.stringify(given ?? {});
  const input = parse(source);
  if (!isPlainObject(input)) throw new Error(`has the call ${id}, whose arguments are no JSON object.`);
  const call: ReadableCall = { type: "call", name, input: input as Json, providerId: id };
  return { sourceId: id, call: JSON.stringify(input) === source ? call : { ...call, source } };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The text of a content: a text, or a list of text parts. */
function textOf(content: unknown): string {
  if (content === undefined || content === null) return "";
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) throw new Error("has a content that is neither a text nor a list of text parts.");
  return content.map(textOfPart).join("");
}

function textOfPart(part: unknown): string {
  if (typeof part === "string") return part;
  const { type, text } = isObject(part) ? part : {};
  if (typeof text === "string") return text;
  throw new Error(`has a part of the type ${explain(type)}: only texts can be taken over.`);
}
