// The mapper: the frames of a session as the events of one run of AG-UI.

import type { Event, JournalRecord } from "../../core/index.js";
import { checkOptions, needed, listOf, recordOf, type OptionKinds, isPlainObject, takes } from "../../core/internal.js";
import type { Frame } from "../feed/frame.js";
import type { AguiEvent, AguiMessage } from "./agui-event.js";
import { customOf, customOfEvent } from "./agui-custom.js";
import { draftOf, wordsId, type Draft } from "./agui-draft.js";
import { endOf, usageOf } from "./agui-end.js";
import { ClientMessages } from "./client-messages.js";
import { Thread } from "./agui-thread.js";

/** The options of `aguiMapper`. */
export interface AguiMapperOptions {
  /** The thread, which is the session. */
  readonly threadId: string;
  readonly runId: string;
  /** The records before the run. Default: none. */
  readonly history?: readonly JournalRecord[] | undefined;
  /** The messages that the client has. If they differ from the history's messages, it gets these first. Default: none. */
  readonly messages?: readonly AguiMessage[] | undefined;
  /** The state that the client has. The state of lastcall stands in it under `lastcall`. Default: none. */
  readonly state?: unknown;
  /** The id of the input whose run is shown: the run is over at the end behind it. Default: at the next end. */
  readonly inputId?: string | undefined;
  /** The id of the call that the input answers, as `inputId`. */
  readonly answers?: string | undefined;
  /**
   * Tools of your own that talk: a run that waits behind their words ends as a success, and the next words of the user go on. The keys are
   * their names, as in `chat.words` of `createHandler`. Default: none besides `converse`.
   */
  readonly words?: Readonly<Record<string, string>> | undefined;
}

/** The frames of a session as the events of one run. It does no I/O and knows no time. */
export interface AguiMapper {
  /** The first events. Call it once, before any frame. */
  start(): readonly AguiEvent[];
  /** The events of one more frame behind the history. None once the run is over. */
  frame(frame: Frame): readonly AguiEvent[];
  /** Ends a run whose journal has no end. */
  fail(code: string, message: string): readonly AguiEvent[];
  /** True once the last event was told. */
  readonly isOver: boolean;
}

const mapperOptions = {
  threadId: needed("text"),
  runId: needed("text"),
  history: listOf("object"),
  messages: listOf("object"),
  state: "any",
  inputId: "text",
  answers: "text",
  words: recordOf("text"),
} satisfies OptionKinds<AguiMapperOptions>;

/**
 * Makes a mapper for one run.
 * @throws LastcallError `configuration` for an unknown option.
 */
export function aguiMapper(options: AguiMapperOptions): AguiMapper {
  checkOptions("aguiMapper", options, mapperOptions);
  return new RunMapper(options);
}

class RunMapper implements AguiMapper {
  readonly #options: AguiMapperOptions;
  readonly #thread: Thread;
  readonly #client: ClientMessages;
  #step: string | undefined;
  /** The call whose words the message of the reply has. */
  #wordsOf: string | undefined;
  #isTaken: boolean;
  #isOver = false;

  constructor(options: AguiMapperOptions) {
    const { threadId, history = [], messages = [], inputId, answers, words } = options;
    this.#options = options;
    this.#isTaken = inputId === undefined && answers === undefined;
    this.#thread = new Thread(threadId, words);
    for (const record of history) this.#thread.apply(record);
    const drafts = messages.map(draftOf);
    const isOwn = ({ id, role }: Draft): boolean => role === "user" && id === inputId;
    const isToCome = this.#thread.messages.every((message) => !isOwn(message));
    const own = isToCome ? drafts.find(isOwn) : undefined;
    const shown = own === undefined ? drafts : drafts.filter((draft) => draft !== own);
    this.#client = new ClientMessages(
      shown,
      own,
      shown.filter((draft) => this.#isOwnResult(draft)),
    );
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** True for the result of a call of a tool of the client that the thread has no result of. */
  #isOwnResult({ role, callId }: Draft): boolean {
    if (role !== "tool" || callId === undefined) return false;
    return this.#thread.awaitsClient(callId);
  }

  start(): readonly AguiEvent[] {
    const { threadId, runId } = this.#options;
    this.#client.emit({ type: "RUN_STARTED", threadId, runId, protocolVersion: "1.0" });
    this.#client.begin(this.#thread);
    this.#tellState("running", true);
    return this.#client.take();
  }

  frame(frame: Frame): readonly AguiEvent[] {
    if (this.#isOver) return [];
    if ("record" in frame) this.#record(frame.record);
    else if ("event" in frame) this.#event(frame.event);
    else return this.fail("reset", `${frame.reset} Post the message again to see the session as it is now.`);
    return this.#client.take();
  }

  fail(code: string, message: string): readonly AguiEvent[] {
    if (this.#isOver) return [];
    this.#client.endAll();
    this.#endStep();
    this.#client.emit({ type: "RUN_ERROR", code, message, usage: [usageOf(this.#thread.state)] });
    this.#isOver = true;
    return this.#client.take();
  }

  #record(record: JournalRecord): void {
    const { base, state: before } = this.#thread;
    this.#wordsOf = undefined;
    this.#thread.apply(record);
    const { answers } = this.#options;
    // A yes after which more people have to say yes takes the answer of its giver alone.
    const isAnswer = answers !== undefined && "answers" in record && record.answers === answers;
    this.#isTaken ||= isAnswer || takes(record, this.#options);
    const { state } = this.#thread;
    if (record.type === "reply") this.#client.keepReasoning();
    if (record.type === "reply" || (goesOn.has(record.type) && state.open)) this.#beginStep(state.iteration);
    this.#client.sync(this.#thread, base);
    this.#custom(customOf(record, { before, after: state }));
    if (record.type === "iteration" || record.type === "expiry") {
      this.#endStep();
      this.#tellState("running", false);
    } else if (record.type === "outcome") {
      this.#endStep();
      if (this.#isTaken) this.#end(record);
    }
  }

  #event(event: Event): void {
    if (event.type === "iteration-start") this.#beginStep(event.iteration);
    else if (event.type === "text-delta") this.#text(event);
    else if (event.type === "reasoning-delta")
      this.#client.addReasoning(`${this.#thread.nextReplyId}/reasoning`, event.text);
    else if (event.type === "call-delta") this.#call(event);
    else if (event.type === "reply-retracted") this.#retract();
    else this.#custom(customOfEvent(event));
  }

  #custom(event: AguiEvent | undefined): void {
    if (event !== undefined) this.#client.emit(event);
  }

  /** The reply is void as far as it was shown. */
  #retract(): void {
    this.#wordsOf = undefined;
    this.#client.sync(this.#thread, this.#thread.base);
  }

  /** A piece of a call. The name may not be whole before there are arguments. The words of a claim come as text. */
  #call({ index, name, text }: Extract<Event, { readonly type: "call-delta" }>): void {
    if (text === "" || this.#thread.mayClaim(name)) return;
    this.#client.addCall(this.#thread.nextReplyId, { id: this.#thread.nextCallId(index), name }, text);
  }

  /** A piece of text. The words of a claim are the text of the reply, if it has no other. */
  #text({ text, tool, index = 0, claim }: Extract<Event, { readonly type: "text-delta" }>): void {
    const replyId = this.#thread.nextReplyId;
    if (tool === undefined) {
      this.#client.addText(replyId, text);
    } else if (claim === true) {
      this.#thread.learnClaim(tool);
      const callId = this.#thread.nextCallId(index);
      const reply = this.#client.find(replyId);
      if (reply?.content === undefined) this.#wordsOf = callId;
      this.#client.addText(this.#wordsOf === callId ? replyId : wordsId(callId), text);
    }
  }

  #beginStep(iteration: number): void {
    const stepName = `iteration ${String(iteration)}`;
    if (this.#step === stepName) return;
    this.#endStep();
    this.#step = stepName;
    this.#client.emit({ type: "STEP_STARTED", stepName });
  }

  #endStep(): void {
    if (this.#step !== undefined) this.#client.emit({ type: "STEP_FINISHED", stepName: this.#step });
    this.#step = undefined;
  }

  #end(outcome: Extract<JournalRecord, { readonly type: "outcome" }>): void {
    const end = endOf(this.#options, outcome, this.#thread.state);
    const isInterrupt = end.type === "RUN_FINISHED" && end.outcome.type === "interrupt";
    // The client that answers may not have seen the run: the protocol has the whole run told before an interrupt.
    if (isInterrupt) this.#client.tellAll();
    this.#tellState(outcome.status, isInterrupt);
    this.#client.emit(end);
    this.#isOver = true;
  }

  #tellState(status: string, isWhole: boolean): void {
    const { state, threadId: session } = { ...this.#options };
    const { iteration } = this.#thread.state;
    const value = { session, status, iteration, usage: usageOf(this.#thread.state) };
    if (isWhole)
      this.#client.emit({ type: "STATE_SNAPSHOT", snapshot: { ...(isPlainObject(state) && state), lastcall: value } });
    else this.#client.emit({ type: "STATE_DELTA", delta: [{ op: "add", path: "/lastcall", value }] });
  }
}

/** The records with which an open reply goes on. */
const goesOn: ReadonlySet<JournalRecord["type"]> = new Set(["resume", "approval", "answer"]);
