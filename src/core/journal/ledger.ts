// The ledger: checks that a prompt is valid for every provider, and measures it. It only examines the messages and records that count.

import type { Attachment } from "../data/attachment.js";
import { LastcallError } from "../data/fault.js";
import type { Message } from "../data/message.js";
import { describeNotes } from "./notebook.js";
import { shownOf } from "./outside.js";
import type { JournalRecord } from "./record.js";
import { afterReply, attachedLength, grown, lengthOf, shortened, type PromptSize } from "./spent.js";

/** The estimated overhead of a message or a call, in characters. */
const frame = 16;

/**
 * The estimated characters that a message adds to a request: its text, its calls, the provider's extras and its overhead. An attachment
 * counts as many as its tokens are worth.
 */
export function sizeOf(message: Message): number {
  if (message.role !== "assistant") return message.text.length + attachedLength(message.attachments) + frame;
  const { reply } = message;
  const extras = [reply, ...reply.calls].map((part) =>
    part.extras === undefined ? 0 : JSON.stringify(part.extras).length,
  );
  const names = reply.calls.map(({ name }) => name.length + frame);
  return [...extras, ...names].reduce((sum, size) => sum + size, lengthOf(reply) + frame);
}

/** The size of the prompt after the record. `nonce` is the nonce that wraps results from outside. */
export function sizeAfter(prompt: PromptSize, record: JournalRecord, nonce: string | undefined): PromptSize {
  switch (record.type) {
    case "input":
      return grown(
        { ...prompt, longestReply: 0 },
        record.text + (describeNotes(record.notes ?? []) ?? ""),
        record.attachments,
      );
    case "reply":
      return afterReply(prompt, record.reply, record.characters);
    case "result":
      return grown(prompt, shownOf(record.result, nonce), record.result.attachments);
    case "error-context":
      return grown(prompt, record.failure.message);
    case "steer":
      return grown(prompt, record.text, record.attachments);
    case "notice":
      return grown(prompt, record.text);
    case "hand-over":
      return record.tokens === undefined ? grown(prompt, record.text) : shortened(prompt, record.tokens);
    case "stub":
    case "fold":
    case "prune":
      return shortened(prompt, record.tokens);
    case "decision":
    case "parked":
    case "approval":
    case "question":
    case "answer":
    case "child":
    case "background":
    case "background-end":
    case "intent":
    case "baseline":
    case "check":
    case "spend":
    case "claim":
    case "iteration":
    case "expiry":
    case "overflow":
    case "resume":
    case "fork":
    case "outcome":
      return prompt;
  }
}

/** True if the record only adds characters to the prompt. A later record that is counted makes up for it. */
export function onlyAdds({ type }: JournalRecord): boolean {
  return type === "result" || type === "error-context" || type === "steer" || type === "notice";
}

/** True if the size after the record does not depend on the characters that earlier records added. */
export function isCounted(record: JournalRecord): boolean {
  if (record.type === "reply") return record.reply.usage.inputTokens > 0;
  if (record.type === "hand-over") return record.tokens !== undefined;
  return record.type === "stub" || record.type === "fold" || record.type === "prune";
}

const none: readonly Attachment[] = [];

/** The current prompt of a run, and its size. */
export class Ledger {
  readonly #messages: Message[] = [];
  /** For each message, the number of characters up to its end. */
  readonly #sizes: number[] = [];
  /** The attachments, each with the index of its message. */
  readonly #attached: { readonly index: number; readonly attachment: Attachment }[] = [];

  /** The attachments of all messages, in order. */
  get attachments(): readonly Attachment[] {
    return this.#attached.length === 0 ? none : this.#attached.map(({ attachment }) => attachment);
  }

  /** The number of characters of all messages. */
  get characters(): number {
    return this.#sizes.at(-1) ?? 0;
  }

  /**
   * Takes the next prompt and returns whether it differs from the previous prompt. If `isRewritten` is false, the previous prompt is
   * its prefix, and only the new messages are examined.
   * @throws LastcallError `bug` that names the invalid message: a call without exactly one result directly after its reply, a
   * result without a call, or a last message that the model can't answer.
   */
  take(messages: readonly Message[], isRewritten: boolean): boolean {
    const previous = this.#messages;
    const difference = isRewritten ? previous.findIndex((message, index) => message !== messages[index]) : -1;
    const unchanged = difference < 0 ? Math.min(previous.length, messages.length) : difference;
    const isChanged = unchanged < previous.length || messages.length > previous.length;
    const start = groupStart(messages, unchanged);
    previous.length = start;
    this.#sizes.length = start;
    const kept = this.#attached.findLastIndex(({ index }) => index < start) + 1;
    this.#attached.length = kept;
    checkPairs(messages, start);
    for (const message of messages.slice(start)) {
      for (const attachment of attachmentsOf(message)) this.#attached.push({ index: previous.length, attachment });
      this.#sizes.push(this.characters + sizeOf(message));
      previous.push(message);
    }
    return isChanged;
  }
}

function attachmentsOf(message: Message): readonly Attachment[] {
  return message.role === "assistant" ? [] : (message.attachments ?? []);
}

/** The start of the group (a reply and its results) that ends before `index`. The next messages may be missing results of that group. */
function groupStart(messages: readonly Message[], index: number): number {
  let start = Math.max(0, index - 1);
  while (start > 0 && messages[start]?.role === "tool") start -= 1;
  return start;
}

function checkPairs(messages: readonly Message[], start: number): void {
  /** The calls of the current reply that have no result yet. */
  const unanswered = new Set<string>();
  for (let index = start; index < messages.length; index += 1) {
    const message = messages[index];
    if (message?.role === "tool") {
      if (!unanswered.delete(message.callId))
        throw broken(index, `is a result for ${message.callId}, which no call waits for`);
      continue;
    }
    if (unanswered.size > 0) throw broken(index, `comes before the result of ${[...unanswered].join(", ")}`);
    if (message?.role === "assistant") for (const { id } of message.reply.calls) unanswered.add(id);
  }
  const last = messages.length - 1;
  if (unanswered.size > 0) throw broken(last, `is the last, and there is no result for ${[...unanswered].join(", ")}`);
  if (last < 0) throw new LastcallError("bug", "The prompt is empty, so it was not sent.");
  if (messages[last]?.role === "assistant") throw broken(last, "is the last, and there is nothing in it to answer");
}

function broken(index: number, problem: string): LastcallError {
  return new LastcallError("bug", `The prompt was not sent, because message ${String(index)} of it ${problem}.`);
}
