// Conformance of memories: one case per sentence of the contract of the memory port, over a session with the usual types of records.

import { isDeepStrictEqual } from "node:util";
import {
  LastcallError,
  type JournalRecord,
  type Memory,
  type MemoryFactory,
  type Message,
  type Session,
} from "../../core/index.js";
import { sizeOf, type PromptRewrite } from "../../core/internal.js";
import type { ConformanceCase } from "./conformance.js";
import { demand, demandEqual, show } from "../oracle/demand.js";
import { longSession, sampleSession, sampleSteps } from "./sample-session.js";

/** The cases of the memory port. `make` is called with sessions of the id `sample`; two sessions may be open at a time. */
export function memoryConformance(make: MemoryFactory): readonly ConformanceCase[] {
  return [...journalCases(make), ...promptCases(make), ...shorteningCases(make)];
}

function journalCases(make: MemoryFactory): readonly ConformanceCase[] {
  return [
    {
      name: "append keeps the record before it returns, in the order of the calls",
      run: () =>
        walk(make, async (memory, records) => {
          demandEqual(memory.records, records, "the records after an append");
        }),
    },
    {
      name: "an empty session has no records, and another has its own",
      run: async () => {
        for (const end of [0, 1, 4, sampleSteps().length]) {
          const session = sampleSession(end);
          demandEqual(make(session).records, session.records, "the records of a memory that was just opened");
        }
      },
    },
    {
      name: "the session given is not changed",
      run: async () => {
        const session = sampleSession(4);
        const memory = make(session);
        for (const record of sampleSteps().slice(4).flat()) await memory.append(record);
        await recall(memory);
        demandEqual(session, sampleSession(4), "the session that was given");
      },
    },
    {
      name: "whatever is left out of the prompt, no record is lost",
      run: async () => {
        const memory = make(sampleSession(0));
        for (const step of sampleSteps()) {
          for (const record of step) await memory.append(record);
          await recall(memory);
        }
        demandEqual(memory.records, sampleSteps().flat(), "the records after everything");
      },
    },
    { name: "a record that can't be kept throws and loses nothing", run: () => appendUnwritable(make) },
  ];
}

function promptCases(make: MemoryFactory): readonly ConformanceCase[] {
  return [
    {
      name: "in what recall returns, every call has exactly one result",
      run: () =>
        walk(make, async (_memory, _records, { messages }) => {
          demandPaired(messages);
        }),
    },
    {
      name: "the prompt ends with what was said last",
      run: () =>
        walk(make, async (_memory, records, { messages }) => {
          const last = records.findLast(({ type }) => spoken.has(type));
          const shown = messages.at(-1);
          const text = last?.type === "input" || last?.type === "notice" ? last.text : undefined;
          demand(shown !== undefined && shown.role !== "assistant", `the prompt ends with ${show(shown)}`);
          demand(text === undefined || shown.text === text, `the text ${show(text)} is not the last message`);
        }),
    },
    {
      name: "messages keep their identity as long as they stand",
      run: () =>
        walk(make, async (_memory, _records, { messages, before }) => {
          const changed = before.findIndex((message, index) => {
            return messages[index] !== message && isDeepStrictEqual(messages[index], message);
          });
          demand(changed < 0, `message ${String(changed)} is equal to what it was, and another object`);
        }),
    },
    {
      name: "a prompt-rewrite is yielded exactly where what was returned before is no prefix of what is returned now",
      run: () =>
        walk(make, async (_memory, _records, { messages, before, rewrites }) => {
          const changed = before.findIndex((message, index) => !isDeepStrictEqual(messages[index], message));
          const change = `message ${String(changed)} is ${show(messages[changed])} and was ${show(before[changed])}`;
          demand(changed < 0 || rewrites.length > 0, `${change}, and no prompt-rewrite says so`);
          demand(changed >= 0 || rewrites.length === 0, "a prompt-rewrite was yielded and nothing was rewritten");
          for (const { reason } of rewrites) demand(reason.length > 0, "a prompt-rewrite does not say why");
        }),
    },
    {
      name: "recalled again with nothing appended, the prompt is the same",
      run: () =>
        walk(make, async (memory, _records, { messages }) => {
          const again = await recall(memory);
          demandEqual(again.messages, messages, "the prompt, recalled again");
          demandEqual(again.rewrites, [], "what recall yielded the second time");
        }),
    },
    {
      name: "opened anew from its records, it recalls the same prompt",
      run: () =>
        walk(make, async (memory, _records, { messages }) => {
          const { messages: anew } = await recall(make(sessionOf(structuredClone(memory.records))));
          demandEqual(anew, messages, "the prompt of a memory opened anew");
        }),
    },
  ];
}

/** A case with a long session whose prompt the provider refuses. The memory shortens it by records, or leaves it unchanged. */
function shorteningCases(make: MemoryFactory): readonly ConformanceCase[] {
  return [
    {
      name: "refused as too long, the prompt is shortened by records alone, keeps the task and the latest input, and is the same opened anew",
      run: async () => {
        const session = longSession();
        const memory = make(session);
        const { messages: before } = await recall(memory);
        const kept = memory.records.length;
        let shortened: Recalled;
        try {
          shortened = await recall(memory, true);
        } catch (thrown) {
          demand(thrown instanceof LastcallError && thrown.code === "context_overflow", `recall threw ${show(thrown)}`);
          return;
        }
        const { messages, rewrites } = shortened;
        demandPaired(messages);
        const added = memory.records.slice(kept).map(({ type }) => type);
        demand(
          added.every((type) => type === "stub" || type === "fold" || type === "prune"),
          `recall appended ${added.join(", ")}`,
        );
        demandEqual(memory.records.slice(0, session.records.length), session.records, "the records before it");
        demandEqual(
          rewrites.map(({ reason }) => reason),
          added,
          "the reasons of the rewrites",
        );
        for (const text of ["The task.", "And the latest."]) {
          demand(
            messages.some((message) => message.role === "user" && message.text === text),
            `the input ${show(text)} is not in the prompt`,
          );
        }
        demand(added.length === 0 || sizeOfAll(messages) < sizeOfAll(before), "it was rewritten and is not shorter");
        const { messages: anew } = await recall(make(sessionOf(structuredClone(memory.records))));
        demandEqual(anew, messages, "the prompt of a memory opened anew");
      },
    },
  ];
}

function sizeOfAll(messages: readonly Message[]): number {
  return messages.reduce((sum, message) => sum + sizeOf(message), 0);
}

/** The types of records that add a message at the end of the prompt. */
const spoken: ReadonlySet<JournalRecord["type"]> = new Set([
  "input",
  "reply",
  "error-context",
  "steer",
  "notice",
] as const);

interface Recalled {
  /** A copy, because the array that recall returns is valid only until the next append. */
  readonly messages: readonly Message[];
  readonly rewrites: readonly PromptRewrite[];
}

type Inspect = (
  memory: Memory,
  records: readonly JournalRecord[],
  recalled: Recalled & { readonly before: readonly Message[] },
) => Promise<void>;

/** Appends the sample step by step and recalls after each step, as the loop does. An error names the step where it occurred. */
async function walk(make: MemoryFactory, inspect: Inspect): Promise<void> {
  const memory = make(sampleSession(0));
  const records: JournalRecord[] = [];
  let before: readonly Message[] = [];
  for (const [index, step] of sampleSteps().entries()) {
    for (const record of step) {
      await memory.append(record);
      records.push(record);
      demandEqual(memory.records.at(-1), record, `record ${String(record.seq)}, appended in step ${String(index + 1)}`);
    }
    const recalled = await recall(memory);
    try {
      await inspect(memory, records, { ...recalled, before });
    } catch (thrown) {
      const types = step.map(({ type }) => type).join(", ");
      const words = thrown instanceof Error ? thrown.message : show(thrown);
      throw new Error(`Step ${String(index + 1)} (${types}): ${words}`, { cause: thrown });
    }
    before = recalled.messages;
  }
}

/** Recalls as the loop does, with three characters per token, no model to ask for a summary, and no hooks. */
async function recall(memory: Memory, overflowed = false): Promise<Recalled> {
  const rewrites: PromptRewrite[] = [];
  const source = memory.recall({
    signal: new AbortController().signal,
    overflowed,
    compact: false,
    measured: true,
    reader: undefined,
    tokensOf: (characters) => Math.ceil(characters / 3),
    append: async (record) => memory.append({ ...record, seq: memory.records.length, at: Date.now() }),
    consult: () => Promise.resolve(undefined),
    fold: (folding, summarize) => summarize(folding),
  });
  for (;;) {
    const next = await source.next();
    if (next.done === true) return { messages: [...next.value], rewrites };
    rewrites.push(next.value);
  }
}

function sessionOf(records: readonly JournalRecord[]): Session {
  return { version: 1, id: "sample", records };
}

function demandPaired(messages: readonly Message[]): void {
  let owed: readonly string[] = [];
  for (const [index, message] of messages.entries()) {
    const where = `message ${String(index)}`;
    if (message.role === "tool") {
      demand(owed.includes(message.callId), `${where} is a result for ${message.callId}, which no call waits for`);
      owed = owed.filter((id) => id !== message.callId);
      continue;
    }
    demand(owed.length === 0, `${where} comes before the result of ${owed.join(", ")}`);
    owed = message.role === "assistant" ? message.reply.calls.map(({ id }) => id) : [];
  }
  demand(owed.length === 0, `the prompt ends before the result of ${owed.join(", ")}`);
}

/** Appends a record that JSON can't express. A memory that can't keep it must throw and be unchanged; otherwise it must have it. */
async function appendUnwritable(make: MemoryFactory): Promise<void> {
  const memory = make(sampleSession(1));
  const before = [...memory.records];
  const body = { type: "claim", callId: "c", by: "tool_0", ending: "completed", receipts: [] } as const;
  const unwritable: JournalRecord = { ...body, value: 1n, seq: before.length, at: Date.now() };
  let isKept = true;
  try {
    await memory.append(unwritable);
  } catch {
    isKept = false;
  }
  demandEqual(memory.records, isKept ? [...before, unwritable] : before, "the records after an append that threw");
  if (isKept) return;
  for (const record of sampleSteps()[1] ?? []) await memory.append(record);
  demandEqual(memory.records, sampleSession(2).records, "the records appended after one that threw");
}
