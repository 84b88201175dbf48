// Encodes conversations for a wire. Each message is encoded once, to bytes that later requests share.

import type { Message, ModelRequest, ToolDescription } from "../../core/index.js";
import { ListBytes, sharedLength } from "./body-writer.js";
import { showingFor, type ResultPlace, type Showing } from "./parts.js";

/** One encoded message. */
export interface Encoded<Item extends object> {
  /** The wire's messages or items; empty if the message holds nothing that can be sent. */
  readonly wire: readonly Item[];
  /** The ids of its calls: pairs of our id and the wire's id. */
  readonly ids: readonly (readonly [string, string])[];
}

/** The place of a message in its conversation. */
export interface Place extends ResultPlace {
  /** Our ids of earlier calls, and the wire's. */
  readonly ids: ReadonlyMap<string, string>;
  /** The wire ids that are in use. The ids of the message's own calls are added. */
  readonly taken: Set<string>;
}

/** The format of the requests of one API, with its messages or items, and with its tools. */
export interface Format<Item extends object, Tool> {
  /** The wire's messages before the first message of the conversation. */
  begin(system: string): readonly Item[];
  encode(message: Message, place: Place): Encoded<Item>;
  tool(tool: ToolDescription): Tool;
}

/** A request in the wire's format. */
export interface WrittenRequest<Tool> {
  readonly system: string;
  /** The bytes of the conversation. */
  readonly list: ListBytes;
  readonly tools: readonly Tool[];
  readonly choice: Choice;
}

/** Whether the model must call a tool. */
export type Choice = "required" | "auto";

/** The part of a conversation that was sent already. */
interface Sent {
  readonly system: string;
  readonly messages: Message[];
  /** One entry for the beginning, then one for each message. */
  readonly list: ListBytes;
  readonly ids: Map<string, string>;
  readonly taken: Set<string>;
  /** The index of the last reply; -1 if there is none. */
  repliedAt: number;
}

/** Added to the system prompt when the server does not enforce a tool call. */
const nudge =
  "Answer with a function call, never with words alone: words alone are an error and are not read by anybody.";

/** The system prompt of a request. It says that a call is needed, unless the server enforces one or the model may choose. */
export function systemOf({ system, needsCall }: ModelRequest, choice: Choice): string {
  return choice === "auto" && needsCall ? `${system}\n\n${nudge}` : system;
}

/**
 * Makes a writer of requests with the conversation under `key`, for a model that takes attachments of these media types. Each message is
 * encoded once, to bytes that all later requests share.
 */
export function requestWriter<Item extends object, Tool>(
  key: string,
  format: Format<Item, Tool>,
  takes: readonly string[],
): (request: ModelRequest, choice: Choice) => WrittenRequest<Tool> {
  /** By the first message. Two conversations that share it are written correctly, but copy the bytes that they share. */
  const conversations = new WeakMap<Message, Sent>();
  const tools = new WeakMap<readonly ToolDescription[], readonly Tool[]>();

  function add(sent: Sent, message: Message, showing: Showing): void {
    const { ids: known, taken, messages: before, repliedAt } = sent;
    const { wire, ids } = format.encode(message, { ids: known, taken, before, repliedAt, showing });
    if (message.role === "assistant") sent.repliedAt = before.length;
    for (const [ours, named] of ids) {
      sent.ids.set(ours, named);
      sent.taken.add(named);
    }
    sent.list.push(wire);
    sent.messages.push(message);
  }

  function begin(system: string): Sent {
    const list = ListBytes.under(key);
    list.push(format.begin(system));
    return { system, messages: [], list, ids: new Map(), taken: new Set(), repliedAt: -1 };
  }

  /** The conversation as far as the request begins with the messages that were sent before. */
  function continued(system: string, { messages }: ModelRequest): Sent {
    const previous = messages[0] && conversations.get(messages[0]);
    if (previous?.system !== system) return begin(system);
    const shared = sharedLength(previous.messages, messages);
    return shared === previous.messages.length ? previous : cut(previous, shared);
  }

  return (request, choice) => {
    const [first] = request.messages;
    const system = systemOf(request, choice);
    const sent = continued(system, request);
    if (first !== undefined) conversations.set(first, sent);
    const showing = showingFor(request, takes);
    for (const message of request.messages.slice(sent.messages.length)) add(sent, message, showing);
    let described = tools.get(request.tools);
    if (described === undefined) {
      described = request.tools.map((tool) => format.tool(tool));
      tools.set(request.tools, described);
    }
    return { system, list: sent.list, tools: described, choice: request.needsCall ? choice : "auto" };
  };
}

/** The conversation up to the first so many messages. The ids of later calls are free again. */
function cut({ system, messages, list, ids, taken }: Sent, kept: number): Sent {
  const rest = { ids: new Map(ids), taken: new Set(taken) };
  for (const message of messages.slice(kept)) {
    if (message.role !== "assistant") continue;
    for (const { id } of message.reply.calls) {
      rest.taken.delete(rest.ids.get(id) ?? "");
      rest.ids.delete(id);
    }
  }
  const repliedAt = messages.slice(0, kept).findLastIndex(({ role }) => role === "assistant");
  return { system, messages: messages.slice(0, kept), list: list.startingWith(kept + 1), repliedAt, ...rest };
}
