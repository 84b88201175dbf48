// Makes a request sound, whoever wrote it: a memory, a hook, a judge, or a caller of the model itself.

import type { Message, ModelRequest } from "../core/index.js";
import { sound, soundData, soundMessage } from "../core/internal.js";

/** The messages and lists of tools that were seen before, each with its sound form. */
const seen = new WeakMap<object, object>();

/**
 * The request as every provider takes it: no text has half a character or U+0000, and no message is white space alone. A sound request is
 * returned as it is. Each message is examined once, and its sound form is always the same object, so that its encoding can be kept.
 */
export function soundRequest(request: ModelRequest): ModelRequest {
  const system = sound(request.system);
  const tools = once(request.tools, soundData);
  const messages = soundMessages(request.messages);
  const isSame = system === request.system && tools === request.tools && messages === request.messages;
  return isSame ? request : { ...request, system, tools, messages };
}

function soundMessages(messages: readonly Message[]): readonly Message[] {
  let changed: Message[] | undefined;
  for (const [index, message] of messages.entries()) {
    const whole = once(message, soundMessage);
    if (whole !== message) (changed ??= [...messages])[index] = whole;
  }
  return changed ?? messages;
}

function once<T extends object>(given: T, make: (given: T) => T): T {
  const known = seen.get(given) as T | undefined;
  if (known !== undefined) return known;
  const made = make(given);
  seen.set(given, made);
  return made;
}
