// The requests of a journal, each as it was sent, made from its records once; and the sections of a system prompt.

import type { Definition, MemoryFactory, Message, Session, ToolDescription } from "../../core/index.js";
import { LastcallError } from "../../core/index.js";
import type { RecordedPrompt } from "../../memory/index.js";

/** A request of a journal, with the number of the reply that answered it. */
export interface SentPrompt extends RecordedPrompt {
  readonly seq: number;
  /** The digest of the system prompt. Undefined in older journals. */
  readonly systemDigest: string | undefined;
}

/** The requests in their order, but for those of the first `given` records. `promptAt` makes the same, one at a time. */
export async function* promptsOf(
  { version, id, records }: Session,
  { given, memory }: { readonly given: number; readonly memory: MemoryFactory },
): AsyncGenerator<SentPrompt, void, void> {
  const own = memory({ version, id, records: records.slice(0, given) });
  const texts = new Map<string, string>();
  let last: Definition | undefined;
  for (const record of records.slice(given)) {
    if ("definition" in record) {
      last = record.definition;
      for (const [digest, text] of Object.entries(last.texts ?? {})) texts.set(digest, text);
    }
    if (record.type === "reply")
      yield { seq: record.seq, systemDigest: last?.system, ...described(last, texts), messages: await recalled(own) };
    await own.append(record);
  }
}

function described(
  last: Definition | undefined,
  texts: ReadonlyMap<string, string>,
): Pick<RecordedPrompt, "system" | "tools"> {
  const digests = Object.values(last?.tools ?? {});
  const known = digests.flatMap((digest) => texts.get(digest) ?? []);
  return {
    system: texts.get(last?.system ?? ""),
    tools:
      last !== undefined && known.length === digests.length
        ? known.map((text) => JSON.parse(text) as ToolDescription)
        : undefined,
  };
}

async function recalled(memory: ReturnType<MemoryFactory>): Promise<readonly Message[]> {
  const recalling = memory.recall(past);
  let next = await recalling.next();
  while (next.done !== true) next = await recalling.next();
  return [...next.value];
}

const never = (): Promise<never> =>
  Promise.reject(new LastcallError("bug", "A prompt of the past follows from its records alone."));

/** Nothing is left out of a prompt of the past but what its records say, so its size does not matter. */
const past: Parameters<ReturnType<MemoryFactory>["recall"]>[0] = {
  signal: new AbortController().signal,
  overflowed: false,
  compact: false,
  measured: true,
  reader: undefined,
  tokensOf: () => 0,
  append: never,
  consult: never,
  fold: never,
};

/** One paragraph of a system prompt. */
export interface Section {
  /** The heading above it, or its number. */
  readonly name: string;
  readonly text: string;
}

/** The first words of the rules that the loop adds. */
const rules = "You work in a loop. ";

/** The paragraphs of a system prompt, in their order. Joined by empty lines they are the prompt. */
export function sectionsOf(system: string): readonly Section[] {
  let heading: string | undefined;
  const paragraphs = system.split("\n\n");
  return paragraphs.map((text, index) => {
    const [, title] = /^#{1,6} +(.+)/m.exec(text) ?? [];
    heading = title ?? heading;
    const isRules = text.startsWith(rules) && index === paragraphs.length - 1;
    const number = `paragraph ${String(index + 1)}`;
    return {
      name: isRules ? "the rules of the loop" : heading === undefined ? number : `${number}, under "${heading}"`,
      text,
    };
  });
}
