// Reads the request of a page: the only thing in it that is new. The journal has the conversation, so nothing else counts.

import { LastcallError, type ClientTool, type NewAttachment } from "../../core/index.js";
import { isPlainObject } from "../../core/internal.js";
import { readClientTool } from "../hub/page-tools.js";
import { readFileAt } from "../hub/posted-file.js";
import { isAnswerInput } from "./chat-ids.js";

/** The new thing in a request. */
export type ChatNews =
  | {
      readonly type: "words";
      readonly id: string;
      readonly text: string;
      /** The files of the message. None without any. */
      readonly attachments: readonly NewAttachment[];
    }
  | { readonly type: "answers"; readonly answers: readonly ChatAnswer[] }
  | { readonly type: "again" };

/** An answer that a page has added to the part of a call. */
export interface ChatAnswer {
  readonly callId: string;
  readonly approval?: { readonly id: string; readonly allowed: boolean; readonly reason?: string };
  /** The output that the page gave. Absent if there is none. */
  readonly output?: unknown;
}

/** A request that was read. */
export interface ChatRequest {
  /** The id of the chat, which is also its session's id. */
  readonly chat: string;
  readonly agent: string | undefined;
  /** The tools that the page carries out. Absent in a request that names none: the tools of the chat so far hold. */
  readonly tools: readonly ClientTool[] | undefined;
  readonly news: ChatNews;
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * Reads the body of a request of `useChat`. Fields of the page's own are passed over.
 * @throws LastcallError `configuration` for a body that is none, with what is wrong and what to do.
 */
export function readChatRequest(body: Fields): ChatRequest {
  const { id, messages, trigger = "submit-message", agent, tools: given } = body;
  if (typeof id !== "string" || id === "") throw wrong("id is no text", "give the id of the chat");
  if (agent !== undefined && typeof agent !== "string") throw wrong("agent is no text", "give the name of an agent");
  const tools = given === undefined ? undefined : readTools(given);
  if (trigger === "regenerate-message") return { chat: id, agent, tools, news: { type: "again" } };
  if (trigger !== "submit-message")
    throw wrong(`trigger is ${JSON.stringify(trigger)}`, "give submit-message or regenerate-message");
  const last: unknown = Array.isArray(messages) ? messages.at(-1) : undefined;
  if (!isPlainObject(last)) throw wrong("messages has no last message", "send at least the message that is new");
  return { chat: id, agent, tools, news: last["role"] === "user" ? readWords(last) : readAnswers(last) };
}

/** The tools of the page, by name. */
function readTools(tools: unknown): readonly ClientTool[] {
  if (!isPlainObject(tools))
    throw wrong("tools is no object", "give each tool by its name: { name: { description, parameters } }");
  return Object.entries(tools).map(([name, tool]) => readClientTool(name, tool));
}

function readWords(message: Fields): ChatNews {
  const { id } = message;
  if (typeof id !== "string" || id === "" || id.length > 200 || isAnswerInput(id))
    throw wrong("the last message has no id of 1 to 200 characters", "send it as useChat made it");
  const parts = partsOf(message);
  const other = parts.find(({ type }) => type !== "text" && type !== "file");
  if (other !== undefined)
    throw wrong(
      `the last message has a part of the type ${JSON.stringify(other["type"])}`,
      "send its text and its files alone",
    );
  const texts = parts.flatMap(({ type, text }) => (type === "text" && typeof text === "string" ? [text] : []));
  const text = texts.join("\n\n");
  if (text.trim() === "") throw wrong("the last message has no text", "send one, beside its files");
  const attachments = parts.flatMap(({ type, url, mediaType, filename: name }) =>
    type === "file" ? [readFileAt(url, { mediaType, name })] : [],
  );
  return { type: "words", id, text, attachments };
}

function readAnswers(message: Fields): ChatNews {
  if (message["role"] !== "assistant")
    throw wrong(`the last message is of the role ${JSON.stringify(message["role"])}`, "send one of the user");
  const answers = partsOf(message).flatMap((part): readonly ChatAnswer[] => {
    const { toolCallId: callId, state, approval, output, errorText } = part;
    if (typeof callId !== "string") return [];
    if (state === "approval-responded") return [{ callId, approval: readApproval(approval) }];
    if (state === "output-available") return [{ callId, output }];
    return state === "output-error" ? [{ callId, output: errorText }] : [];
  });
  return { type: "answers", answers };
}

function readApproval(approval: unknown): NonNullable<ChatAnswer["approval"]> {
  const { id, approved: allowed, reason } = isPlainObject(approval) ? approval : {};
  if (typeof id !== "string" || typeof allowed !== "boolean" || (reason !== undefined && typeof reason !== "string"))
    throw wrong("the approval of the last message has no id and no yes or no", "send it as useChat made it");
  return { id, allowed, ...(reason !== undefined && { reason }) };
}

function partsOf({ parts }: Fields): readonly Fields[] {
  if (Array.isArray(parts) && parts.every(isPlainObject)) return parts;
  throw wrong("the last message has no list of parts", "send it as useChat made it");
}

function wrong(problem: string, remedy: string): LastcallError {
  return new LastcallError("configuration", `In the request of the chat ${problem}: ${remedy}.`);
}
