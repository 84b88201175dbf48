// Encodes conversations for a wire. Each message is encoded once and reused in later requests.

import type { Message, ModelRequest, ToolDescription } from "../../core/index.js";

/** A message in the wire's format, or an item of the Responses API. */
export type WireMessage = Readonly<Record<string, unknown>>;

/** One encoded message. */
export interface Encoded {
  /** The wire's messages; empty if the message holds nothing that can be sent. */
  readonly wire: readonly WireMessage[];
  /** The ids of its calls: pairs of our id and the wire's id. */
  readonly ids: readonly (readonly [string, string])[];
}

/** The format of the requests of one API. */
export interface Format {
  /** The wire's messages before the first message of the conversation. */
  begin(system: string): readonly WireMessage[];
  /** Encodes one message. `ids` maps our ids of earlier calls to the wire's; the wire ids of its own calls are added to `taken`. */
  encode(message: Message, ids: ReadonlyMap<string, string>, taken: Set<string>): Encoded;
  tool(tool: ToolDescription): unknown;
}

/** A request in the wire's format. */
export interface WrittenRequest {
  readonly system: string;
  readonly messages: readonly WireMessage[];
  readonly tools: readonly unknown[];
  readonly choice: "required" | "auto";
}

/** The part of a conversation that was sent already. */
interface Sent {
  readonly system: string;
  readonly messages: Message[];
  readonly wire: WireMessage[];
  readonly ids: Map<string, string>;
  readonly taken: Set<string>;
}

/** Added to the system prompt when the server does not enforce a tool call. */
const nudge =
  "Answer with a function call, never with words alone: words alone are an error and are not read by anybody.";

/** Makes a writer of requests. It caches encoded messages, and appends to the conversation that it sent last. */
export function requestWriter(
  format: Format,
): (request: ModelRequest, choice: WrittenRequest["choice"]) => WrittenRequest {
  const encoded = new WeakMap<Message, Encoded>();
  /** By the first message. Two conversations that share it are written correctly, but without the cache. */
  const conversations = new WeakMap<Message, Sent>();
  const tools = new WeakMap<readonly ToolDescription[], readonly unknown[]>();

  function add(sent: Sent, message: Message): void {
    let known = encoded.get(message);
    if (known === undefined) {
      known = format.encode(message, sent.ids, sent.taken);
      encoded.set(message, known);
    }
    for (const [ours, wire] of known.ids) {
      sent.ids.set(ours, wire);
      sent.taken.add(wire);
    }
    sent.wire.push(...known.wire);
    sent.messages.push(message);
  }

  function begin(system: string): Sent {
    return { system, messages: [], wire: [...format.begin(system)], ids: new Map(), taken: new Set() };
  }

  return (request, choice) => {
    const [first] = request.messages;
    const previous = first && conversations.get(first);
    const mayChoose = choice === "auto" && request.needsCall;
    const system = mayChoose ? `${request.system}\n\n${nudge}` : request.system;
    const sent = previous !== undefined && continues(system, request, previous) ? previous : begin(system);
    if (first !== undefined) conversations.set(first, sent);
    for (const message of request.messages.slice(sent.messages.length)) add(sent, message);
    let described = tools.get(request.tools);
    if (described === undefined) {
      described = request.tools.map((tool) => format.tool(tool));
      tools.set(request.tools, described);
    }
    return { system, messages: [...sent.wire], tools: described, choice: request.needsCall ? choice : "auto" };
  };
}

/** True if the request begins with everything that was sent before, unchanged. */
function continues(system: string, { messages }: ModelRequest, sent: Sent): boolean {
  return system === sent.system && sent.messages.every((message, index) => message === messages[index]);
}
