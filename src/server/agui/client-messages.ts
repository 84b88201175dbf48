// The messages that a client has, and the events that bring them to the messages of the thread.

import type { AguiEvent, AguiMessage } from "./agui-event.js";
import { copyOf, insertResult, messageOf, sameMessage, type Draft } from "./agui-draft.js";
import { ClientReasoning } from "./agui-reasoning.js";
import type { Thread } from "./agui-thread.js";

/** The messages that a client has. Each change is an event for the client. */
export class ClientMessages {
  #messages: Draft[];
  /** The same by id. */
  #byId: Map<string, Draft>;
  /** The words of the user for this run, which the client has, and no record tells yet. */
  #own: Draft | undefined;
  /** The results of calls that the client carried out, which it has, and no record tells yet. */
  #ownResults: readonly Draft[];
  /** True once the client has got another result behind its own. */
  #isBehindResults = false;
  /** True once the client has got another message behind its own words. */
  #isBehindOwn = false;
  readonly #reasoning: ClientReasoning;
  #events: AguiEvent[] = [];
  #openText: string | undefined;
  readonly #openCalls = new Set<string>();

  constructor(messages: readonly Draft[], own: Draft | undefined, ownResults: readonly Draft[] = []) {
    this.#ownResults = ownResults;
    const shown = messages.filter((message) => message.role !== "reasoning" && !ownResults.includes(message));
    this.#messages = shown.map(copyOf);
    this.#byId = new Map(this.#messages.map((message) => [message.id, message]));
    this.#own = own;
    this.#reasoning = new ClientReasoning(messages.filter(({ role }) => role === "reasoning"));
  }

  /** The message of this id; undefined if the client has none. */
  find(id: string): Draft | undefined {
    return this.#byId.get(id);
  }

  /** Takes the events since the last time. */
  take(): readonly AguiEvent[] {
    const taken = this.#events;
    this.#events = [];
    return taken;
  }

  emit(...events: readonly AguiEvent[]): void {
    this.#events.push(...events);
  }

  /** Brings a client with its own messages to the messages of the thread. */
  begin(thread: Thread): void {
    const { messages } = thread;
    const isSame = (message: Draft, index: number): boolean => sameMessage(message, messages[index]);
    const wrong = this.#messages.findIndex((message, index) => !isSame(message, index));
    if (wrong < 0 && this.#messages.length === messages.length) return;
    const own = this.#own;
    this.#own = undefined;
    // A client keeps the order of the messages that it has, so the messages behind the first wrong message have to
    // leave first.
    if (wrong >= 0) this.#snapshot(messages.slice(0, wrong));
    if (this.#messages.length < messages.length) this.#snapshot(messages);
    this.#own = own;
    if (own === undefined) return;
    this.#writeText(own, own.content ?? "");
    this.endAll();
  }

  /** A piece of text of a message of the assistant. */
  addText(id: string, delta: string): void {
    this.#writeText(this.find(id) ?? { id, role: "assistant", content: undefined, calls: [] }, delta);
  }

  /** A piece of the model's reasoning about the reply that it writes. */
  addReasoning(id: string, delta: string): void {
    if (delta === "") return;
    if (this.#reasoning.hasOld(id)) {
      this.#reasoning.void(id);
      this.#snapshot(this.#messages);
    }
    this.#endText();
    this.emit(...this.#reasoning.add(id, delta));
  }

  /** The reasoning so far belongs to a reply that is kept. */
  keepReasoning(): void {
    this.#reasoning.keep();
  }

  /** A piece of the arguments of a call. */
  addCall(parent: string, call: { readonly id: string; readonly name: string }, delta: string): void {
    this.#endText();
    this.emit(...this.#reasoning.end());
    const message = this.find(parent) ?? this.#push({ id: parent, role: "assistant", content: undefined, calls: [] });
    let known = message.calls.find(({ id }) => id === call.id);
    if (known === undefined || !this.#openCalls.has(call.id)) {
      this.#openCalls.add(call.id);
      this.emit({ type: "TOOL_CALL_START", toolCallId: call.id, toolCallName: call.name, parentMessageId: parent });
    }
    if (known === undefined) message.calls.push((known = { ...call, text: "" }));
    if (known.name !== call.name || delta === "") return;
    known.text += delta;
    this.emit({ type: "TOOL_CALL_ARGS", toolCallId: call.id, delta });
  }

  /**
   * Brings the messages from an index on to the messages of the thread: by pieces that are missing, or by a snapshot without the wrong
   * messages first. Nothing is open afterwards.
   */
  sync(thread: Thread, base: number): void {
    const isVoid = this.#reasoning.voidPending();
    if (isVoid || !this.#fits(thread, base)) {
      let right = base;
      while (right < thread.messages.length && thread.messages[right]?.id === this.#messages[right]?.id) right += 1;
      this.#snapshot(thread.messages.slice(0, right));
    }
    for (const message of thread.messages.slice(base)) this.#complete(message);
    this.endAll();
  }

  /** Tells all messages once more. */
  tellAll(): void {
    this.#snapshot(this.#messages);
  }

  /** Ends all that is open. */
  endAll(): void {
    this.#endText();
    this.emit(...this.#reasoning.end());
    for (const toolCallId of this.#openCalls) this.emit({ type: "TOOL_CALL_END", toolCallId });
    this.#openCalls.clear();
  }

  #endText(): void {
    if (this.#openText !== undefined) this.emit({ type: "TEXT_MESSAGE_END", messageId: this.#openText });
    this.#openText = undefined;
  }

  #push(message: Draft): Draft {
    this.#messages.push(message);
    this.#byId.set(message.id, message);
    this.#isBehindOwn = true;
    return message;
  }

  #writeText(message: Draft, delta: string): void {
    const { id, role } = message;
    const known = this.find(id) ?? (message === this.#own ? message : this.#push(message));
    if (this.#openText !== id) {
      this.#endText();
      this.emit(...this.#reasoning.end());
      this.emit({ type: "TEXT_MESSAGE_START", messageId: id, role: role === "user" ? "user" : "assistant" });
      this.#openText = id;
    }
    if (delta === "") return;
    if (known !== this.#own) known.content = (known.content ?? "") + delta;
    this.emit({ type: "TEXT_MESSAGE_CONTENT", messageId: id, delta });
  }

  #fits(thread: Thread, base: number): boolean {
    const told = thread.messages.slice(base);
    const ids = new Set(told.map(({ id }) => id));
    // The words of an undecided call may be shown already, or not yet.
    const isExtra = ({ id }: Draft): boolean => !ids.has(id) && thread.mayHaveWords(id);
    const shown = this.#messages.slice(base).filter((message) => !isExtra(message));
    let at = 0;
    for (const message of told) {
      const known = shown[at];
      if (known?.id === message.id) {
        if (!isPartOf(known, message, thread)) return false;
        at += 1;
      } else if (message.role !== "tool" && at < shown.length) return false;
    }
    return at === shown.length;
  }

  /** Sends what is missing of a message. */
  #complete(message: Draft): void {
    if (message.role === "user") {
      this.#completeOwn(message);
    } else if (message.role === "tool") {
      if (this.find(message.id) === undefined) this.#addResult(message);
      return;
    }
    const known = this.find(message.id);
    const rest = message.content?.slice(known?.content?.length ?? 0) ?? "";
    if (rest !== "" || (message.content !== undefined && known?.content === undefined))
      this.#writeText(known ?? { ...message, content: undefined, calls: [] }, rest);
    for (const { id, name, text } of message.calls) {
      const shown = this.find(message.id)?.calls.find((call) => call.id === id);
      if (shown?.text !== text) this.addCall(message.id, { id, name }, text.slice(shown?.text.length ?? 0));
    }
  }

  /** The client has its own words. They move to their place, if it has got other messages meanwhile. */
  #completeOwn({ id, content }: Draft): void {
    const own = this.#own;
    if (own?.id !== id) return;
    this.#own = undefined;
    if (this.#isBehindOwn || own.content !== content) this.#snapshot(this.#messages);
    else {
      this.#messages.push(own);
      this.#byId.set(id, own);
    }
  }

  #addResult(result: Draft): void {
    this.endAll();
    const own = this.#ownResults.find(({ id }) => id === result.id);
    this.#ownResults = this.#ownResults.filter((one) => one !== own);
    // A client keeps the order of the messages that it has: its result leaves before it comes to its place.
    const isMoved = own !== undefined && this.#isBehindResults;
    if (isMoved) this.#snapshot(this.#messages);
    const copy = copyOf(result);
    insertResult(this.#messages, copy);
    this.#byId.set(copy.id, copy);
    if (own !== undefined) {
      if (isMoved || !sameMessage(own, result)) this.#snapshot(this.#messages);
      return;
    }
    this.#isBehindResults ||= this.#ownResults.length > 0;
    this.#isBehindOwn = true;
    const { id: messageId, callId: toolCallId = "", content = "", failure } = result;
    const metadata = failure === undefined ? {} : { metadata: { lastcall: { failure } } };
    this.emit({ type: "TOOL_CALL_RESULT", messageId, toolCallId, role: "tool", content, ...metadata });
  }

  /** The client has these messages from here on, its reasoning, and its own words that no record tells yet. */
  #snapshot(drafts: readonly Draft[]): void {
    this.endAll();
    this.#messages = drafts.map(copyOf);
    this.#byId = new Map(this.#messages.map((message) => [message.id, message]));
    const own = this.#own === undefined ? [] : [messageOf(this.#own)];
    const shown = [...drafts];
    for (const result of this.#ownResults) insertResult(shown, result);
    const messages: AguiMessage[] = [...shown.map(messageOf), ...own, ...this.#reasoning.told()];
    this.emit({ type: "MESSAGES_SNAPSHOT", messages });
  }
}

/** True if events can turn the first message into the second. Calls that are undecided count for nothing. */
function isPartOf(shown: Draft, told: Draft, thread: Thread): boolean {
  if (told.role === "tool") return shown.content === told.content;
  const { content = "" } = shown;
  const mayHaveMore = told.content === undefined && thread.mayHaveWords(told.id);
  if (!mayHaveMore && !(told.content ?? "").startsWith(content)) return false;
  const calls = shown.calls.filter(({ id }) => !thread.isUndecided(id));
  return calls.every(({ id, name, text }, index) => {
    const call = told.calls[index];
    return call?.id === id && call.name === name && call.text.startsWith(text);
  });
}
