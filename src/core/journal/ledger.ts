// The ledger: the prompt as it was recalled last, held against what every server takes, and measured. Only what changed is looked at.

import { LastcallError } from "../data/fault.js";
import type { Message } from "../data/message.js";
import { lengthOf } from "./spent.js";

/** Characters that a message takes besides its words, as a rule. */
const frame = 16;

/** The characters that a message adds to a request, roughly: its words, its calls, what is sent back with it, its frame. */
export function sizeOf(message: Message): number {
  if (message.role !== "assistant") return message.text.length + frame;
  const { reply } = message;
  const extras = [reply, ...reply.calls].map((part) =>
    part.extras === undefined ? 0 : JSON.stringify(part.extras).length,
  );
  const names = reply.calls.map(({ name }) => name.length + frame);
  return [...extras, ...names].reduce((sum, one) => sum + one, lengthOf(reply) + frame);
}

/** The prompts of one run, one after the other. */
export class Ledger {
  readonly #messages: Message[] = [];
  /** For each message, the characters up to its end. */
  readonly #sizes: number[] = [];

  /** Characters of the messages. */
  get characters(): number {
    return this.#sizes.at(-1) ?? 0;
  }

  /**
   * Takes the next prompt. Where it is not rewritten, it has the one before in front, and only what is new is looked at.
   * Returns whether it differs from the one before.
   * @throws LastcallError `bug` that names the message: a call without exactly one result right behind its reply, a
   * result without a call, an end that the model can't answer.
   */
  take(messages: readonly Message[], isRewritten: boolean): boolean {
    const known = this.#messages;
    const same = isRewritten ? known.findIndex((message, index) => message !== messages[index]) : -1;
    const kept = same < 0 ? Math.min(known.length, messages.length) : same;
    const isChanged = kept < known.length || messages.length > known.length;
    const start = groupStart(messages, kept);
    known.length = start;
    this.#sizes.length = start;
    checkPairs(messages, start);
    for (const message of messages.slice(start)) {
      this.#sizes.push(this.characters + sizeOf(message));
      known.push(message);
    }
    return isChanged;
  }
}

/** Where the group begins that the message before this place is part of: what follows may have to complete it. */
function groupStart(messages: readonly Message[], place: number): number {
  let start = Math.max(0, place - 1);
  while (start > 0 && messages[start]?.role === "tool") start -= 1;
  return start;
}

function checkPairs(messages: readonly Message[], start: number): void {
  const owed = new Set<string>();
  for (let index = start; index < messages.length; index += 1) {
    const message = messages[index];
    if (message?.role === "tool") {
      if (!owed.delete(message.callId))
        throw broken(index, `is a result for ${message.callId}, which no call waits for`);
      continue;
    }
    if (owed.size > 0) throw broken(index, `comes before the result of ${[...owed].join(", ")}`);
    if (message?.role === "assistant") for (const { id } of message.reply.calls) owed.add(id);
  }
  const last = messages.length - 1;
  if (owed.size > 0) throw broken(last, `is the last, and there is no result for ${[...owed].join(", ")}`);
  if (last < 0) throw new LastcallError("bug", "The prompt is empty, so it was not sent.");
  if (messages[last]?.role === "assistant") throw broken(last, "is the last, and there is nothing in it to answer");
}

function broken(index: number, what: string): LastcallError {
  return new LastcallError("bug", `The prompt was not sent, because message ${String(index)} of it ${what}.`);
}
