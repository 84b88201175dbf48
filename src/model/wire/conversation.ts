// Conversations as a wire has them: each message is encoded once, whatever the number of requests it is sent in.

import type { Message, ModelRequest, ToolDescription } from "../../core/index.js";

/** A message as the wire has it, or an item of the Responses API. */
export type WireMessage = Readonly<Record<string, unknown>>;

/** One message of ours, encoded. */
export interface Encoded {
  /** Empty where there is nothing that could be sent. */
  readonly wire: readonly WireMessage[];
  /** The ids of its calls: ours to the wire's. */
  readonly ids: readonly (readonly [string, string])[];
}

/** What the requests of one API are made of. */
export interface Format {
  /** What stands before the first message. */
  begin(system: string): readonly WireMessage[];
  /** Encodes one message, given the ids of the calls before it, ours to the wire's; its own are then `taken`. */
  encode(message: Message, ids: ReadonlyMap<string, string>, taken: Set<string>): Encoded;
  tool(tool: ToolDescription): unknown;
}

/** A request in the wire's words. */
export interface WrittenRequest {
  readonly system: string;
  readonly messages: readonly WireMessage[];
  readonly tools: readonly unknown[];
  readonly choice: "required" | "auto";
}

/** A conversation as far as it was sent. */
interface Sent {
  readonly system: string;
  readonly messages: Message[];
  readonly wire: WireMessage[];
  readonly ids: Map<string, string>;
  readonly taken: Set<string>;
}

/** What the prompt says where the server does not see to it that a tool is called. */
const nudge =
  "Answer with a function call, never with words alone: words alone are an error and are not read by anybody.";

/** Makes a writer of requests. It keeps the encoding of messages it has seen, and goes on from what it sent last. */
export function requestWriter(
  format: Format,
): (request: ModelRequest, choice: WrittenRequest["choice"]) => WrittenRequest {
  const encoded = new WeakMap<Message, Encoded>();
  /** By the first message. Two that shared one would be written right, only anew each time. */
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
    const before = first && conversations.get(first);
    const mayChoose = choice === "auto" && request.needsCall;
    const system = mayChoose ? `${request.system}\n\n${nudge}` : request.system;
    const sent = before !== undefined && goesOn(system, request, before) ? before : begin(system);
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

/** True where the request has everything that was sent before, as it was and in front. */
function goesOn(system: string, { messages }: ModelRequest, sent: Sent): boolean {
  return system === sent.system && sent.messages.every((message, index) => message === messages[index]);
}
