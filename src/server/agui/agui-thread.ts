// The thread: the messages of AG-UI that follow from the records of a session.

import { replay, type Call, type JournalRecord, type State } from "../../core/index.js";
import { effectKey, isOfClient, isPlainObject, step } from "../../core/internal.js";
import type { AguiMessage } from "./agui-event.js";
import type { SpokenTools } from "../chat/reply-parts.js";
import { claimNames, wordsOf } from "./agui-words.js";
import { argumentsShown, insertResult, messageOf, resultId, wordsId, type Draft } from "./agui-draft.js";

type Recorded<Type extends JournalRecord["type"]> = Extract<JournalRecord, { readonly type: Type }>;

type Changes = { readonly [Type in JournalRecord["type"]]?: (record: Recorded<Type>) => void };

/**
 * The messages of a session, record by record. The words of an accepted claim are text of the assistant; every other call is a tool call.
 * A call whose tool may end a run is neither before its record says which: it is undecided.
 */
export class Thread {
  readonly #session: string;
  #state: State = replay([]);
  readonly #claims: Set<string>;
  /** The calls of the last reply that are undecided, by their ids. */
  readonly #undecided = new Map<string, Call>();
  #reply: Recorded<"reply">["reply"] | undefined;
  #replyId = "";
  /** The records that change the messages, and how they do. */
  readonly #changes: Changes = {
    input: ({ sent, seq, text }) => {
      this.#settle();
      this.#say(sent, seq, text);
    },
    steer: ({ sent, seq, text }) => {
      this.#say(sent, seq, text);
    },
    approval: ({ sent, seq, text = "" }) => {
      this.#say(sent, seq, text);
    },
    answer: ({ answers, sent, seq, value }) => {
      const ofClient = this.#clientCalls.get(answers);
      if (ofClient !== undefined) {
        if (sent !== undefined) this.#results.set(ofClient, sent);
        return;
      }
      // The answer to the approval of a call of an agent below is no words.
      const isApproval = isPlainObject(value) && typeof value["allowed"] === "boolean";
      if (!isApproval) this.#say(sent, seq, typeof value === "string" ? value : JSON.stringify(value));
    },
    reply: this.#begin.bind(this),
    "error-context": this.#voidCut.bind(this),
    parked: this.#showCallOf.bind(this),
    question: ({ id, name, callId }) => {
      this.#showCall(callId);
      if (isOfClient(this.#state, name)) this.#clientCalls.set(id, callId);
    },
    child: this.#showCallOf.bind(this),
    background: this.#showCallOf.bind(this),
    result: ({ result: { callId, shown, text, failure } }) => {
      this.#end(callId, shown ?? text, failure?.kind);
    },
    "hand-over": ({ callId, text }) => {
      this.#end(callId, text, undefined);
    },
    claim: this.#claim.bind(this),
    outcome: ({ status }) => {
      if (status !== "waiting") this.#showAll();
    },
  };
  /** The calls that the client carries out, by the ids of their questions. */
  readonly #clientCalls = new Map<string, string>();
  /** The ids of the messages with their results, by call. */
  readonly #results = new Map<string, string>();
  readonly messages: Draft[] = [];
  /** The index of the first message that a record can still change. */
  base = 0;

  /** @param words the tools of one's own that talk. */
  constructor(session: string, words: SpokenTools = {}) {
    this.#session = session;
    this.#claims = new Set([...claimNames, ...Object.keys(words)]);
  }

  get state(): State {
    return this.#state;
  }

  /** The id of the message of the reply that the model writes next. */
  get nextReplyId(): string {
    return `${this.#runKey}/reply:${String(this.#state.iteration + 1)}`;
  }

  /** The id of a call of the reply that the model writes next. */
  nextCallId(index: number): string {
    return effectKey(this.#runKey, `call:${String(this.#state.iteration + 1)}:${String(index)}`, this.#state);
  }

  /** True if the call is undecided. */
  isUndecided(callId: string): boolean {
    return this.#undecided.has(callId);
  }

  /** True if the call has no result yet, and its client carries it out. */
  awaitsClient(callId: string): boolean {
    return this.#state.unanswered.some((call) => call.callId === callId && isOfClient(this.#state, call.name));
  }

  /** True if the message has, or may get, the words of an undecided call. */
  mayHaveWords(id: string): boolean {
    if (this.#undecided.size === 0) return false;
    return id === this.#replyId || [...this.#undecided.keys()].some((callId) => wordsId(callId) === id);
  }

  /** True if calls of the tool are undecided until a record says what they are. */
  mayClaim(tool: string): boolean {
    return this.#claims.has(tool);
  }

  /** Calls of this tool are undecided from now on: it showed words as a claim. */
  learnClaim(tool: string): void {
    this.#claims.add(tool);
  }

  apply(record: JournalRecord): void {
    this.#state = step(this.#state, record);
    const change = this.#changes[record.type] as ((record: JournalRecord) => void) | undefined;
    change?.(record);
  }

  get #runKey(): string {
    const { life, run } = this.#state;
    return [this.#session, ...(life === undefined ? [] : [life]), String(run)].join("/");
  }

  /** The words of a person. */
  #say(sent: string | undefined, seq: number, text: string): void {
    if (text === "") return;
    this.messages.push({ id: sent ?? `input:${String(seq)}`, role: "user", content: text, calls: [] });
  }

  #begin({ reply }: Recorded<"reply">): void {
    this.#settle();
    this.#reply = reply;
    this.#replyId = `${this.#runKey}/reply:${String(this.#state.iteration)}`;
    if (reply.text !== "") this.#ownReply().content = reply.text;
    for (const call of reply.calls) {
      if (this.#claims.has(call.name)) this.#undecided.set(call.id, call);
      else this.#addCall(call);
    }
  }

  /** No record changes the messages so far any more. */
  #settle(): void {
    this.#showAll();
    this.#reply = undefined;
    this.base = this.messages.length;
  }

  #showAll(): void {
    for (const callId of [...this.#undecided.keys()]) this.#showCall(callId);
  }

  /** The index of the message of the last reply; -1 without one. */
  #replyIndex(): number {
    let index = this.messages.length - 1;
    while (index >= this.base && this.messages[index]?.id !== this.#replyId) index -= 1;
    return index >= this.base ? index : -1;
  }

  /** The message of the last reply, which is made if it is not there. */
  #ownReply(): Draft {
    const known = this.messages[this.#replyIndex()];
    if (known !== undefined) return known;
    const made: Draft = { id: this.#replyId, role: "assistant", content: undefined, calls: [] };
    this.messages.splice(this.base, 0, made);
    return made;
  }

  /** Adds a call to the message of its reply, in the order in which the model wrote them. */
  #addCall(call: Call): void {
    const message = this.#ownReply();
    const order = this.#reply?.calls ?? [];
    const place = order.indexOf(call);
    const index = message.calls.findIndex(({ id }) => order.findIndex((other) => other.id === id) > place);
    const added = { id: call.id, name: call.name, text: argumentsShown(call) };
    message.calls.splice(index < 0 ? message.calls.length : index, 0, added);
  }

  /** An undecided call turns out to be a tool call. */
  #showCall(callId: string): void {
    const call = this.#undecided.get(callId);
    this.#undecided.delete(callId);
    if (call !== undefined) this.#addCall(call);
  }

  #showCallOf({ callId }: { readonly callId: string }): void {
    this.#showCall(callId);
  }

  #end(callId: string, text: string, failure: string | undefined): void {
    this.#showCall(callId);
    const id = this.#results.get(callId) ?? resultId(callId);
    const result = { id, role: "tool" as const, content: text, calls: [], callId };
    insertResult(this.messages, { ...result, ...(failure !== undefined && { failure }) });
  }

  #claim({ callId, by, value }: Recorded<"claim">): void {
    this.#claims.add(by);
    this.#undecided.delete(callId);
    const message = this.messages[this.#replyIndex()];
    if (message !== undefined) message.calls = message.calls.filter(({ id }) => id !== callId);
    const words = wordsOf(value);
    if (message?.content !== undefined)
      this.messages.push({ id: wordsId(callId), role: "assistant", content: words, calls: [] });
    else this.#ownReply().content = words;
  }

  /** Words that the length limit cut are no answer. */
  #voidCut(): void {
    if (this.#reply?.finish !== "cut") return;
    const index = this.#replyIndex();
    if (index >= 0) this.messages.splice(index, 1);
  }
}

/**
 * The messages of a thread from the records of its session alone.
 * @param session the id of the session, which is also the thread's id.
 */
export function aguiMessages(session: string, records: readonly JournalRecord[]): readonly AguiMessage[] {
  const thread = new Thread(session);
  for (const record of records) thread.apply(record);
  return thread.messages.map(messageOf);
}
