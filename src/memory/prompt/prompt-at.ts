// The prompts of requests in the past, as the journal tells them.

import {
  LastcallError,
  type Definition,
  type JournalRecord,
  type MemoryFactory,
  type Message,
  type Session,
  type ToolDescription,
} from "../../core/index.js";
import { checkOptions, type OptionKinds, checkSession, isPlainObject } from "../../core/internal.js";
import { transcript } from "./transcript.js";

/** The options of `promptAt`. */
export interface PromptOptions {
  /** The memory of the agent that sent the request. Default: `transcript`, as in `createAgent`. */
  readonly memory?: MemoryFactory | undefined;
}

/** A request to a model, as the journal tells it. */
export interface RecordedPrompt {
  /** The system prompt. Undefined if the journal does not have it: the journal is older, or the prompt is too long. */
  readonly system: string | undefined;
  /** The tools in their order, each as it was described to the model. Undefined if the journal does not have all tools. */
  readonly tools: readonly ToolDescription[] | undefined;
  /** The messages, exactly as they were sent. */
  readonly messages: readonly Message[];
}

const promptOptions = { memory: "function" } satisfies OptionKinds<PromptOptions>;

/**
 * The request that the reply with this number (`seq`) answered, from the journal alone. It appends nothing, and asks no model. Secrets that
 * the journal redacts are redacted here too. A hook may have changed the request on its way to the model: the journal does not show this.
 * @throws LastcallError `configuration` if the record is no reply, or the session is none.
 */
export async function promptAt(session: Session, seq: number, options: PromptOptions = {}): Promise<RecordedPrompt> {
  checkOptions("promptAt", options, promptOptions);
  checkSession(session);
  const { memory = transcript } = options;
  const { id, version } = session;
  if (session.records[seq]?.type !== "reply")
    throw new LastcallError("configuration", `Record ${String(seq)} of ${id} is no reply: give the seq of one.`);
  const records = session.records.slice(0, seq);
  const described = new Described();
  for (const record of records) described.take(record);
  return { ...described.prompt(), messages: await recalled(memory({ version, id, records })) };
}

/** A request of a journal, with the number of the reply that answered it. */
export interface SentPrompt extends RecordedPrompt {
  readonly seq: number;
  /** The digest of the system prompt. Undefined in older journals. */
  readonly systemDigest: string | undefined;
}

/** The requests behind the first `given` records, in their order, each as `promptAt` makes it. */
export async function* promptsOf(
  { version, id, records }: Session,
  { given, memory }: { readonly given: number; readonly memory: MemoryFactory },
): AsyncGenerator<SentPrompt, void, void> {
  const own = memory({ version, id, records: records.slice(0, given) });
  const described = new Described();
  for (const record of records.slice(given)) {
    described.take(record);
    if (record.type === "reply") {
      const { seq } = record;
      yield { seq, systemDigest: described.system, ...described.prompt(), messages: await recalled(own) };
    }
    await own.append(record);
  }
}

async function recalled(memory: ReturnType<MemoryFactory>): Promise<readonly Message[]> {
  const recalling = memory.recall(past);
  let next = await recalling.next();
  while (next.done !== true) next = await recalling.next();
  return [...next.value];
}

/** Nothing is left out of a prompt of the past but what its records say, so its size does not matter. */
const past: Parameters<ReturnType<MemoryFactory>["recall"]>[0] = {
  signal: new AbortController().signal,
  overflowed: false,
  compact: false,
  measured: true,
  reader: undefined,
  tokensOf: () => 0,
  append: () => Promise.reject(new LastcallError("bug", "A prompt of the past appends no record.")),
  consult: () => Promise.reject(new LastcallError("bug", "A prompt of the past asks no model.")),
  fold: () => Promise.reject(new LastcallError("bug", "A prompt of the past folds nothing.")),
};

/** The system prompt and the tools according to the last definition in the records so far. */
class Described {
  readonly #texts = new Map<string, string>();
  #last: Definition | undefined;

  take(record: JournalRecord): void {
    if (!("definition" in record)) return;
    this.#last = record.definition;
    for (const [digest, text] of Object.entries(this.#last.texts ?? {})) this.#texts.set(digest, text);
  }

  /** The digest of the system prompt. */
  get system(): string | undefined {
    return this.#last?.system;
  }

  prompt(): Pick<RecordedPrompt, "system" | "tools"> {
    const digests = this.#last === undefined ? undefined : Object.values(this.#last.tools);
    const tools = digests?.flatMap((digest) => described(this.#texts.get(digest)) ?? []);
    return {
      system: this.#texts.get(this.system ?? ""),
      tools: tools?.length === digests?.length ? tools : undefined,
    };
  }
}

/** A tool as its text in the journal describes it. Undefined for another text: a journal may come from elsewhere. */
function described(text = ""): ToolDescription | undefined {
  try {
    const tool: unknown = JSON.parse(text);
    return isPlainObject(tool) ? (tool as unknown as ToolDescription) : undefined;
  } catch {
    return undefined;
  }
}
