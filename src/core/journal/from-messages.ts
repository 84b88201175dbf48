// Sessions from messages: turns a conversation that another program had into a session.

import { noUsage } from "../data/call.js";
import { readTurn, type AssistantTurn, type EarlierTurn } from "./earlier-turn.js";
import { explain, LastcallError } from "../data/fault.js";
import { soundData } from "../data/json.js";
import type { Message } from "../data/message.js";
import type { JournalRecord, RecordBody } from "./record.js";
import type { Session } from "./session.js";
import { isBlank } from "../text/sound.js";
import { systemRuntime } from "../time/runtime.js";

/**
 * A message as OpenAI's chat completions have it, with the role `user`, `assistant` or `tool`. The content is a text or a list of text
 * parts. The types are loose, so that messages of any client fit; `fromMessages` checks them.
 */
export interface ChatMessage {
  readonly role: string;
  readonly content?: unknown;
  /** The calls of an assistant message: `{ id, function: { name, arguments } }`, with the arguments as JSON text. */
  readonly tool_calls?: unknown;
  /** The id of the call that a tool message answers. */
  readonly tool_call_id?: unknown;
}

/**
 * Makes a session from an earlier conversation. Its prompt is these messages, and its calls count as run and allowed. If the last message
 * is the user's, it is the task: `agent.run(undefined, { session })` answers it. If it is the assistant's, give the next words as input.
 * Half a character becomes U+FFFD. Else the texts stay as they are: secrets in them are not redacted (`redactor().data(messages)` does),
 * and results are not marked as outside.
 * @param id The id of the session. Default: a random id.
 * @throws LastcallError `configuration` that names the first unusable message by its index. Each call must have exactly one result,
 * directly after its message; system messages belong into `instructions`.
 */
export function fromMessages(messages: readonly (Message | ChatMessage)[], id: string = systemRuntime.id()): Session {
  if (!Array.isArray(messages) || messages.length === 0)
    throw new LastcallError("configuration", "fromMessages needs a list of messages that is not empty.");
  const journal = new ImportedJournal(id);
  for (const [index, message] of (messages as readonly unknown[]).entries()) {
    try {
      journal.add(readTurn(message), index);
    } catch (thrown) {
      if (thrown instanceof LastcallError) throw thrown;
      throw new LastcallError("configuration", `messages[${String(index)}] ${explain(thrown)}`, { cause: thrown });
    }
  }
  return { version: 1, id, records: journal.end() };
}

/** A call of the last assistant message. */
interface ImportedCall {
  readonly id: string;
  readonly name: string;
  /** Its result; undefined until it is read. */
  text?: string;
}

/** Builds the records. Every user message begins a run; the run before it ends as aborted, because no claim ended it. */
class ImportedJournal {
  readonly #id: string;
  readonly #records: JournalRecord[] = [];
  readonly #at = systemRuntime.now();
  #run = 0;
  #iteration = 0;
  /** The calls of the last assistant message by the ids of the source, and the index of that message. */
  #open = { index: 0, calls: new Map<string, ImportedCall>() };
  /** The last message if it is an assistant message without calls. More text of the assistant is added to it. */
  #said: AssistantTurn | undefined;

  constructor(id: string) {
    this.#id = id;
  }

  add(turn: EarlierTurn, index: number): void {
    if (turn.role === "tool") {
      this.#answer(turn.sourceId, turn.text);
      return;
    }
    this.#demandResults();
    if (turn.role === "user") {
      this.#say();
      this.#begin(turn.text);
      return;
    }
    const { text = "" } = this.#said ?? {};
    const whole = { ...turn, text: [text, turn.text].filter((part) => !isBlank(part)).join("\n\n") };
    this.#said = turn.calls.length === 0 ? whole : undefined;
    if (turn.calls.length > 0) this.#reply(whole, index);
  }

  end(): readonly JournalRecord[] {
    this.#demandResults();
    if (this.#say()) this.#append({ type: "outcome", status: "aborted", message: elsewhere });
    return this.#records;
  }

  #append(body: RecordBody): void {
    this.#records.push({ ...soundData(body), seq: this.#records.length, at: this.#at });
  }

  #begin(text: string): void {
    if (this.#run > 0) this.#append({ type: "outcome", status: "aborted", message: elsewhere });
    this.#run += 1;
    this.#iteration = 0;
    this.#append({ type: "input", run: this.#run, text });
  }

  /** Records the last assistant message if it has no calls. Returns whether there was one. */
  #say(): boolean {
    const said = this.#said;
    this.#said = undefined;
    if (said === undefined) return false;
    this.#reply(said, 0);
    this.#close();
    return true;
  }

  #reply({ text, calls, extras }: AssistantTurn, index: number): void {
    if (this.#run === 0) this.#begin("");
    this.#iteration += 1;
    const key = `${this.#id}/${String(this.#run)}/call:${String(this.#iteration)}`;
    const own = calls.map(({ call }, place) => ({ ...call, id: `${key}:${String(place)}` }));
    const reply = {
      text,
      calls: own,
      finish: "complete" as const,
      usage: noUsage,
      ...(extras !== undefined && { extras }),
    };
    this.#append({ type: "reply", iteration: this.#iteration, reply });
    const open = new Map<string, ImportedCall>();
    for (const [place, { sourceId }] of calls.entries()) {
      if (open.has(sourceId)) throw new Error(`has two calls with the id ${sourceId}: give each its own.`);
      const { id = "", name = "" } = own[place] ?? {};
      open.set(sourceId, { id, name });
    }
    this.#open = { index, calls: open };
  }

  #answer(sourceId: string, text: string): void {
    const { calls } = this.#open;
    const call = calls.get(sourceId);
    if (call === undefined) throw new Error(`answers ${sourceId}, and the message before has no such call.`);
    if (call.text !== undefined) throw new Error(`answers ${sourceId} a second time: leave it out.`);
    call.text = text;
    if ([...calls.values()].some((other) => other.text === undefined)) return;
    for (const { id: callId, name, text = "" } of calls.values()) {
      this.#append({ type: "decision", callId, allowed: true, reason: elsewhere });
      this.#append({ type: "result", result: { callId, name, ok: true, text } });
    }
    this.#close();
    calls.clear();
  }

  #close(): void {
    this.#append({ type: "iteration", iteration: this.#iteration, failures: [], ephemeral: false });
  }

  #demandResults(): void {
    const { index, calls } = this.#open;
    const missing = [...calls].flatMap(([sourceId, { text }]) => (text === undefined ? [sourceId] : []));
    if (missing.length === 0) return;
    const message = `messages[${String(index)}] has a call without a result: ${missing.join(", ")}. Each call needs its result directly after the message.`;
    throw new LastcallError("configuration", message);
  }
}

/** The reason in records about things that happened before the session. */
const elsewhere = "it happened before this session began";
