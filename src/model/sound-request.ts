// Makes a request sound, whoever wrote it: a memory, a hook, a judge, or a caller of the model itself.

import type { Message, ModelRequest } from "../core/index.js";
import { sound, soundData, soundMessage } from "../core/internal.js";
import { sharedLength } from "./wire/body-writer.js";

/** The sound form of each list of tools. */
const lists = new WeakMap<ModelRequest["tools"], ModelRequest["tools"]>();

/** The sound form of each message that has another. Sound messages are not kept: a weak entry for each costs every collection. */
const mended = new WeakMap<Message, Message>();

/** The messages of a conversation that were examined. */
interface Examined {
  readonly messages: Message[];
  /** The index of the first message that is not its own sound form; -1 if there is none. */
  mendedAt: number;
}

/** By the first message. Of two conversations that share it, each examines again what it does not share with the other. */
const conversations = new WeakMap<Message, Examined>();

/**
 * The request as every provider takes it: no text has half a character or U+0000, and no message is white space alone. A sound request is
 * returned as it is. Each message is examined once, and its sound form is always the same object, so that its encoding can be kept.
 */
export function soundRequest(request: ModelRequest): ModelRequest {
  const system = sound(request.system);
  const tools = soundTools(request.tools);
  const messages = soundMessages(request.messages);
  const isSame = system === request.system && tools === request.tools && messages === request.messages;
  return isSame ? request : { ...request, system, tools, messages };
}

function soundMessages(messages: readonly Message[]): readonly Message[] {
  const [first] = messages;
  if (first === undefined) return messages;
  return examined(first, messages).mendedAt < 0 ? messages : messages.map((message) => mended.get(message) ?? message);
}

/** Examines the messages that this conversation did not have the last time. */
function examined(first: Message, messages: readonly Message[]): Examined {
  const known = conversations.get(first) ?? { messages: [], mendedAt: -1 };
  const shared = sharedLength(known.messages, messages);
  known.messages.length = shared;
  if (known.mendedAt >= shared) known.mendedAt = -1;
  for (const message of messages.slice(shared)) {
    const whole = mended.get(message) ?? soundMessage(message);
    if (whole !== message) {
      mended.set(message, whole);
      if (known.mendedAt < 0) known.mendedAt = known.messages.length;
    }
    known.messages.push(message);
  }
  conversations.set(first, known);
  return known;
}

function soundTools(given: ModelRequest["tools"]): ModelRequest["tools"] {
  const known = lists.get(given) ?? soundData(given);
  lists.set(given, known);
  return known;
}
