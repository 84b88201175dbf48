// The prompt of a request in the past, as the journal tells it.

import {
  LastcallError,
  type Definition,
  type JournalRecord,
  type MemoryFactory,
  type Message,
  type Session,
  type ToolDescription,
} from "../../core/index.js";
import { checkOptions, type OptionKinds, checkSession } from "../../core/internal.js";
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
  const recalling = memory({ version, id, records }).recall(past);
  let next = await recalling.next();
  while (next.done !== true) next = await recalling.next();
  return { ...describedIn(records), messages: next.value };
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

/** The system prompt and the tools according to the last definition in the records. */
function describedIn(records: readonly JournalRecord[]): Pick<RecordedPrompt, "system" | "tools"> {
  const definitions = records.flatMap((record): readonly Definition[] =>
    "definition" in record ? [record.definition] : [],
  );
  const texts = new Map(definitions.flatMap((definition) => Object.entries(definition.texts ?? {})));
  const last = definitions.at(-1);
  const described = Object.values(last?.tools ?? {}).map((digest) => texts.get(digest));
  const tools = described.flatMap((text) => (text === undefined ? [] : [JSON.parse(text) as ToolDescription]));
  return {
    system: texts.get(last?.system ?? ""),
    tools: last !== undefined && tools.length === described.length ? tools : undefined,
  };
}
