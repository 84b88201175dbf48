// The calls of a message: their parts, the approvals and questions that they wait with, and their ends.

import type { Call, JournalRecord, Reply } from "../../core/index.js";
import { raiseLimit } from "../../core/internal.js";
import { approvalIdOf } from "./chat-ids.js";
import { wordsIn } from "./message-split.js";
import type { MessageStep } from "./message-step.js";
import { questionData, receiptsData } from "./record-data.js";
import type { ReplyPart } from "./reply-parts.js";
import type { ChatChunk, ChatVersion } from "./ui-chunk.js";

type Recorded<Type extends JournalRecord["type"]> = Extract<JournalRecord, { readonly type: Type }>;

/** The words of a claim, which count once it is accepted. */
interface SpokenClaim {
  readonly place: number;
  /** The chunks of the words. */
  readonly chunks: readonly ChatChunk[];
}

interface AskedApproval {
  readonly callId: string;
  readonly approvalId: string;
  /** The terms on which it was asked for. */
  readonly descriptor: Readonly<Record<string, unknown>>;
}

interface Approved {
  readonly allowed: boolean;
  readonly reason?: string;
}

/** The page that the calls are told to. */
export interface CallsOptions {
  readonly version: ChatVersion;
  /** True if the chunks go to a page. Version 6 knows fewer chunks. */
  readonly toPage: boolean;
  /** The questions that are answered already. A page that reads the message again carries no call out a second time. Default: none. */
  readonly answered?: ReadonlySet<string>;
}

const noResult = "The run ended before this call had a result.";

/** The calls of the last reply, and the calls that are parts of the message. */
export class MessageCalls {
  readonly #step: MessageStep;
  readonly #options: CallsOptions;
  /** The calls of the last reply, by id. */
  #calls = new Map<string, Call>();
  /** The message's calls that have no result yet. */
  #due = new Set<string>();
  #claims = new Map<string, SpokenClaim>();
  /** The question of a run at its limit, which no reply has; undefined if there was none. A tool may have its name. */
  #raise: string | undefined;
  /** The approvals that were asked for, by the id that an answer names. */
  readonly #approvals = new Map<string, AskedApproval>();
  /** The calls that are parts of this message. */
  readonly #shown = new Set<string>();

  constructor(step: MessageStep, options: CallsOptions) {
    this.#step = step;
    this.#options = options;
  }

  /** Another message begins. The calls that wait may end in it. */
  restart(): void {
    this.#shown.clear();
  }

  /** A reply, and its parts that are told. `wordsOf` makes the chunks of a claim's words. */
  begin(
    { calls }: Reply,
    { all, told }: { readonly all: readonly ReplyPart[]; readonly told: readonly ReplyPart[] },
    wordsOf: (part: ReplyPart, place: number) => readonly ChatChunk[],
  ): void {
    this.#calls = new Map(calls.map((call) => [call.id, call]));
    this.#due = new Set(this.#calls.keys());
    this.#claims = new Map(
      all.flatMap((part, place) =>
        "claim" in part ? [[part.claim.id, { place, chunks: wordsOf(part, place) }] as const] : [],
      ),
    );
    for (const part of told) if (part.kind === "call") this.#shown.add(part.call.id);
  }

  claim(record: Recorded<"claim">): void {
    const { callId, ending, value } = record;
    const spoken = this.#claims.get(callId);
    this.#claims.delete(callId);
    this.#due.delete(callId);
    if (spoken !== undefined) {
      // Version 7 has seen the words.
      if (this.#options.version === 6) for (const chunk of spoken.chunks) this.#step.add(chunk);
      // Its call is a part as well if it waited for an approval.
      if (this.#shown.has(callId)) this.#output(callId, { output: value, providerExecuted: true });
    } else if (ending === "waiting") {
      this.#ask(callId);
      this.#step.add(questionData(record));
    } else this.#output(callId, { output: value });
    const receipts = ending === "completed" ? receiptsData(record) : undefined;
    if (receipts !== undefined) this.#step.add(receipts);
  }

  result({ result }: Recorded<"result">): void {
    const { callId, name, failure, text, shown = text } = result;
    this.#due.delete(callId);
    const spoken = this.#claims.get(callId);
    if (spoken !== undefined) this.#takeBack(callId, spoken);
    this.#show(callId, name);
    if (failure === undefined) this.#output(callId, { output: shown, providerExecuted: true });
    else if (failure.kind === "denied") this.#deny(callId, failure.message);
    else this.#fail(callId, failure.message);
  }

  handOver({ callId, text }: Recorded<"hand-over">): void {
    this.#output(callId, { output: text });
  }

  park({ seq, callId, name, input, digest, reason, preview, expiresAt, quorum }: Recorded<"parked">): void {
    // A run that waits at its limit is in no reply.
    if (name === raiseLimit && !this.#calls.has(callId)) {
      this.#raise = callId;
      this.#calls = new Map([...this.#calls, [callId, { type: "call", id: callId, name, input }]]);
    }
    this.#show(callId, name);
    const terms = {
      ...(preview !== undefined && { preview }),
      ...(expiresAt !== undefined && { expiresAt }),
      ...(quorum !== undefined && { missing: quorum }),
    };
    this.#request(callId, { callId, approvalId: approvalIdOf(seq, digest) }, { why: reason, ...terms });
  }

  /** `isOfClient`: the page carries the call out. */
  question(record: Recorded<"question">, isOfClient: boolean): void {
    const { seq, id, callId, value, approves, expiresAt } = record;
    this.#ask(callId, isOfClient && this.#options.answered?.has(id) === true);
    if (isOfClient) return;
    if (approves === undefined) this.#step.add(questionData(record));
    else {
      const terms = expiresAt === undefined ? {} : { expiresAt };
      this.#request(id, { callId, approvalId: approvalIdOf(seq, approves) }, { value, ...terms });
    }
  }

  /** An answer from within the message that asked. Words of the user are a separate message, and the part that asked stays as it is. */
  answer(record: Recorded<"approval" | "answer" | "input">, isResult = false): void {
    const { answers } = record;
    if (answers === undefined || (!isResult && wordsIn(record) !== undefined)) return;
    const asked = this.#approvals.get(answers);
    if (record.type === "approval" && record.missing !== undefined && asked !== undefined)
      this.#request(answers, asked, { ...asked.descriptor, missing: record.missing });
    else if (record.type === "approval") {
      this.#respond(asked, record);
      if (answers === this.#raise) this.#endRaise(answers, record);
    } else if (record.type === "input") this.#answerPart(answers, readTyped(record.text));
    else if (asked !== undefined) this.#respond(asked, record.value as unknown as Approved);
    else this.#answerPart(answers.replace(/\/ask:\d+$/, ""), record.value);
  }

  /** The run ended: the words of claims that nobody accepted are void, and calls without a result get none. */
  end(): void {
    for (const [callId, spoken] of this.#claims) {
      this.#due.delete(callId);
      this.#takeBack(callId, spoken);
    }
    for (const callId of this.#due) if (this.#shown.has(callId)) this.#fail(callId, noResult);
  }

  #takeBack(callId: string, { place }: SpokenClaim): void {
    this.#claims.delete(callId);
    if (this.#options.version === 7) this.#step.takeBack(place);
  }

  /** The run went on at its limit, or did not: no result follows. */
  #endRaise(toolCallId: string, { allowed }: Approved): void {
    if (allowed) this.#output(toolCallId, { output: "The run goes on.", providerExecuted: true });
    else if (this.#shown.has(toolCallId)) this.#step.add({ type: "tool-output-denied", toolCallId });
  }

  #answerPart(toolCallId: string, output: unknown): void {
    if (this.#shown.has(toolCallId)) this.#step.add({ type: "tool-output-available", toolCallId, output });
  }

  #output(toolCallId: string, output: { readonly output: unknown; readonly providerExecuted?: boolean }): void {
    this.#due.delete(toolCallId);
    this.#show(toolCallId, "");
    this.#step.add({ type: "tool-output-available", toolCallId, ...output });
  }

  #fail(toolCallId: string, errorText: string): void {
    this.#step.add({ type: "tool-output-error", toolCallId, errorText, providerExecuted: true });
  }

  /** A call whose part stands in an earlier message, or was words, becomes a part of this message. */
  #show(callId: string, name: string): void {
    if (this.#shown.has(callId)) return;
    this.#shown.add(callId);
    this.#step.add(inputOf(this.#calls.get(callId) ?? { type: "call", id: callId, name, input: {} }, true));
  }

  /** The call waits for the page: its part is as if it were new. `isOver`: it did, and has its answer. */
  #ask(callId: string, isOver = false): void {
    this.#shown.add(callId);
    const call = this.#calls.get(callId);
    if (call !== undefined) this.#step.add(inputOf(call, isOver));
  }

  #request(
    answers: string,
    { callId, approvalId }: Omit<AskedApproval, "descriptor">,
    descriptor: AskedApproval["descriptor"],
  ): void {
    this.#approvals.set(answers, { callId, approvalId, descriptor });
    this.#step.add({
      type: "tool-approval-request",
      approvalId,
      toolCallId: callId,
      approvalDescriptor: descriptor,
    });
  }

  #respond(asked: AskedApproval | undefined, { allowed: approved, reason }: Approved): void {
    if (asked === undefined || !this.#shown.has(asked.callId)) return;
    const { approvalId, callId } = asked;
    const call = this.#calls.get(callId);
    // Version 6 has no chunk for an answer. The part of the call is at work again.
    if (this.#options.version === 6 && this.#options.toPage) {
      if (call !== undefined) this.#step.add(inputOf(call, true));
    } else
      this.#step.add({
        type: "tool-approval-response",
        approvalId,
        approved,
        ...(reason !== undefined && { reason }),
      });
  }

  /** A denial of a rule is told as a request that nobody had to answer. */
  #deny(callId: string, reason: string): void {
    const isAsked = [...this.#approvals.values()].some((asked) => asked.callId === callId);
    if (!isAsked) {
      const approvalId = `rule.${callId}`;
      const { version, toPage } = this.#options;
      this.#step.add({
        type: "tool-approval-request",
        approvalId,
        toolCallId: callId,
        approvalDescriptor: { why: reason },
        ...(version === 7 && { isAutomatic: true }),
      });
      if (version === 7 || !toPage)
        this.#step.add({ type: "tool-approval-response", approvalId, approved: false, reason });
    }
    this.#step.add({ type: "tool-output-denied", toolCallId: callId });
  }
}

/** The chunk that makes the part of a call. The page has to answer it if it is not executed by the provider, which is the server. */
export function inputOf(call: Call, providerExecuted: boolean): ChatChunk {
  const input = call.type === "call" ? call.input : call.source;
  return {
    type: "tool-input-available",
    toolCallId: call.id,
    toolName: call.name,
    input,
    providerExecuted,
    dynamic: true,
  };
}

/** The value of an answer: an object if its text is one, as an answer with a schema is written. */
function readTyped(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : text;
  } catch {
    return text;
  }
}
