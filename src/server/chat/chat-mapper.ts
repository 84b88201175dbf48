// Maps frames to the messages of a chat: records in order give the same messages live, in a replay and after a restart.

import type { Event, JournalRecord } from "../../core/index.js";
import { ClientCalls } from "../hub/page-tools.js";
import { replyMessageId } from "./chat-ids.js";
import { EarlyParts } from "./early-parts.js";
import { inputOf, MessageCalls, type CallsOptions } from "./message-calls.js";
import { wordsIn, type UserWords } from "./message-split.js";
import { MessageStep } from "./message-step.js";
import { checkData, circuitData, endOf, metadataOf, otherData, transientData } from "./record-data.js";
import { replyParts, type ReplyPart, type SpokenTools } from "./reply-parts.js";
import type { ChatChunk, ChatDataChunk, ChatUiMessage } from "./ui-chunk.js";

/** One thing that frames tell of a chat. */
export type Told =
  /** The user said something. */
  | { readonly type: "user"; readonly message: ChatUiMessage }
  /** A message of the assistant begins. The message before it is over. */
  | { readonly type: "begin"; readonly id: string }
  | { readonly type: "chunk"; readonly chunk: ChatChunk }
  /** The run ended. An answer or a resume may go on with the message. */
  | { readonly type: "end"; readonly chunk: ChatChunk };

/** The options of a mapper. */
export interface MapperOptions extends CallsOptions {
  readonly spoken: SpokenTools;
  /** The address of the attachments of the session, before their digest. */
  readonly files: string;
}

type Recorded<Type extends JournalRecord["type"]> = Extract<JournalRecord, { readonly type: Type }>;
type Readers = { readonly [Type in JournalRecord["type"]]?: (record: Recorded<Type>) => void };

/** Maps the frames of one session, from its beginning. */
export class ChatMapper {
  readonly #options: MapperOptions;
  readonly #early: EarlyParts;
  readonly #step: MessageStep;
  readonly #calls: MessageCalls;
  readonly #ofClient = new ClientCalls();
  #told: Told[] = [];
  #hasBegun = false;
  #failedInARow = 0;

  constructor(options: MapperOptions) {
    this.#options = options;
    this.#early = new EarlyParts(options.spoken);
    this.#step = new MessageStep((chunk) => this.#told.push({ type: "chunk", chunk }));
    this.#calls = new MessageCalls(this.#step, options);
  }

  /** The news of a record. */
  record(record: JournalRecord): readonly Told[] {
    this.#told = [];
    this.#ofClient.take(record);
    const words = wordsIn(record, this.#ofClient);
    if (words !== undefined && (words.text !== "" || !this.#hasBegun)) this.#split(words);
    const read = this.#readers[record.type] as ((record: JournalRecord) => void) | undefined;
    if (read === undefined) this.#other(record);
    else read(record);
    return this.#told;
  }

  /** The news of an event that no record tells. */
  event(event: Event): readonly Told[] {
    this.#told = [];
    const data = transientData(event);
    if (data !== undefined) this.#step.tell(data);
    // Version 6 can't take words back, so it gets the words of records alone.
    if (this.#options.version === 6) return this.#told;
    if (event.type === "reply-retracted") this.#dropEarly();
    const step = this.#step.isUnconfirmed ? this.#step.number : this.#step.number + 1;
    const chunks = this.#early.take(event, (place) => `${String(step)}.${String(place)}`);
    if (chunks.length > 0) this.#step.open();
    for (const chunk of chunks) this.#step.tell(chunk);
    return this.#told;
  }

  readonly #readers: Readers = {
    reply: (record) => {
      this.#reply(record);
    },
    claim: (record) => {
      this.#calls.claim(record);
    },
    result: (record) => {
      this.#calls.result(record);
    },
    "hand-over": (record) => {
      this.#calls.handOver(record);
    },
    parked: (record) => {
      this.#calls.park(record);
    },
    question: (record) => {
      this.#calls.question(record, this.#ofClient.asked(record.id));
    },
    input: (record) => {
      this.#calls.answer(record);
    },
    approval: (record) => {
      this.#calls.answer(record);
    },
    answer: (record) => {
      this.#calls.answer(record, this.#ofClient.asked(record.answers));
    },
    check: (record) => {
      this.#step.add(checkData(record));
    },
    iteration: (record) => {
      this.#iteration(record);
    },
    resume: () => {
      this.#dropEarly();
    },
    expiry: (record) => {
      this.#breakOff(otherData(record));
    },
    overflow: (record) => {
      this.#breakOff(otherData(record));
    },
    outcome: (record) => {
      this.#outcome(record);
    },
  };

  /** Words of the user end the message before them, and another message replies to these words. */
  #split({ id, text, attachments }: UserWords): void {
    this.#dropEarly();
    this.#step.close();
    this.#hasBegun = true;
    const files = attachments.map(({ digest, mediaType, name }) => ({
      type: "file",
      mediaType,
      ...(name !== undefined && { filename: name }),
      url: `${this.#options.files}${digest}`,
    }));
    if (text !== "")
      this.#told.push({ type: "user", message: { id, role: "user", parts: [{ type: "text", text }, ...files] } });
    this.#step.restart();
    this.#calls.restart();
    this.#failedInARow = 0;
    this.#told.push({ type: "begin", id: replyMessageId(id) });
  }

  #reply({ reply }: Recorded<"reply">): void {
    const { version, spoken } = this.#options;
    this.#step.confirm();
    const all = replyParts(reply, spoken);
    const told = version === 7 ? all : all.filter((part) => !("claim" in part));
    const whole = (part: ReplyPart, place: number): readonly ChatChunk[] => this.#whole(part, place);
    this.#step.settle(told.flatMap(whole), this.#early.settle(told, whole));
    this.#calls.begin(reply, { all, told }, whole);
  }

  /** The chunks of a part that nobody has seen yet. */
  #whole(part: ReplyPart, place: number): readonly ChatChunk[] {
    if (part.kind === "call") return [inputOf(part.call, true)];
    const id = this.#step.idOf(place);
    const { kind, text } = part;
    return [
      { type: `${kind}-start`, id },
      { type: `${kind}-delta`, id, delta: text },
      { type: `${kind}-end`, id },
    ];
  }

  #other(record: JournalRecord): void {
    const data = otherData(record);
    if (data !== undefined) this.#step.add(data);
  }

  #iteration({ failures }: Recorded<"iteration">): void {
    const wasFailing = this.#failedInARow > 0;
    this.#failedInARow = failures.length > 0 ? this.#failedInARow + 1 : 0;
    if (failures.length > 0 || wasFailing) this.#step.add(circuitData(this.#failedInARow, failures));
    this.#step.close();
  }

  #outcome(record: Recorded<"outcome">): void {
    const data = otherData(record);
    // An end without its own part leaves calls that wait.
    if (data !== undefined) {
      this.#calls.end();
      this.#breakOff(data);
    }
    this.#step.close();
    this.#step.tell({ type: "message-metadata", messageMetadata: metadataOf(record) });
    this.#told.push({ type: "end", chunk: endOf(record) });
  }

  /** The parts that were being written are void. The part that says so stands in their step. */
  #breakOff(data: ChatDataChunk | undefined): void {
    this.#dropEarly();
    this.#step.open();
    if (data !== undefined) this.#step.add(data);
    this.#step.close();
  }

  #dropEarly(): void {
    if (this.#early.isShown) this.#step.tell({ type: "reset-step" });
    this.#early.clear();
  }
}
