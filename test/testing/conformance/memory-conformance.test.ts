import { describe, expect, it, test } from "vitest";
import type { Memory, MemoryFactory, Message, Session } from "../../../src/core/index.js";
import { transcript } from "../../../src/memory/index.js";
import { memoryConformance } from "../../../src/testing/index.js";
import { breaches } from "../breaches.js";

describe("transcript", () => {
  it.each(memoryConformance(transcript))("$name", ({ run }) => run());
});

/** A transcript that something is wrong with. */
function broken(change: (memory: Memory, session: Session) => Partial<Memory>): MemoryFactory {
  return (session) => {
    const memory = transcript(session);
    return { records: memory.records, append: memory.append, recall: memory.recall, ...change(memory, session) };
  };
}

test.each<[string, MemoryFactory, readonly string[]]>([
  [
    "copies its messages",
    broken((memory) => ({
      async *recall(signal) {
        return structuredClone(yield* memory.recall(signal));
      },
    })),
    ["identity"],
  ],
  [
    "rewrites in silence",
    broken((memory) => ({
      async *recall(signal) {
        const source = memory.recall(signal);
        for (;;) {
          const next = await source.next();
          if (next.done === true) return next.value;
        }
      },
    })),
    ["prompt-rewrite"],
  ],
  [
    "declares a rewrite every time",
    broken((memory) => ({
      async *recall(signal) {
        yield { type: "prompt-rewrite", reason: "recovered" };
        return yield* memory.recall(signal);
      },
    })),
    ["prompt-rewrite", "recalled again"],
  ],
  [
    "forgets results",
    broken((memory) => ({
      async *recall(signal) {
        return (yield* memory.recall(signal)).filter((message) => message.role !== "tool");
      },
    })),
    ["exactly one result"],
  ],
  [
    "shows results twice",
    broken((memory) => ({
      async *recall(signal) {
        return (yield* memory.recall(signal)).flatMap((message): readonly Message[] =>
          message.role === "tool" ? [message, message] : [message],
        );
      },
    })),
    ["exactly one result"],
  ],
  [
    "shows nothing",
    broken(() => ({
      async *recall() {
        return [];
      },
    })),
    ["ends with what was said last"],
  ],
  [
    "keeps nudges from the model",
    broken((memory) => ({
      async *recall(signal) {
        return (yield* memory.recall(signal)).filter(
          (message) => message.role !== "user" || !message.text.startsWith("You have done that"),
        );
      },
    })),
    ["ends with what was said last"],
  ],
  [
    "appends later",
    broken((memory) => ({
      append: (record) => {
        setTimeout(() => void memory.append(record), 1);
      },
    })),
    ["before it returns"],
  ],
  [
    "keeps no decisions",
    broken((memory) => ({
      append: (record) => (record.type === "decision" ? undefined : memory.append(record)),
    })),
    ["before it returns", "no record is lost"],
  ],
  [
    "writes into the session it is given",
    broken((memory, session) => ({
      append: (record) => {
        (session.records as unknown[]).push(record);
        return memory.append(record);
      },
    })),
    ["session given is not changed"],
  ],
  ["starts from nothing", () => transcript({ version: 1, id: "sample", records: [] }), ["has its own", "opened anew"]],
  [
    "loses what it had when it can't append",
    (session) => {
      let memory = transcript(session);
      return {
        get records() {
          return memory.records;
        },
        append: (record) => {
          try {
            JSON.stringify(record);
          } catch (thrown) {
            memory = transcript({ ...session, records: [] });
            throw thrown;
          }
          return memory.append(record);
        },
        recall: (signal) => memory.recall(signal),
      };
    },
    ["loses nothing"],
  ],
  [
    "keeps what it says it can't",
    broken((memory) => ({
      append: (record) => {
        void memory.append(record);
        JSON.stringify(record);
      },
    })),
    ["loses nothing"],
  ],
])("a memory that %s is caught", async (_what, make, names) => {
  const found = await breaches(memoryConformance(make));
  for (const name of names) expect(found).toContainEqual(expect.stringContaining(name));
});

test("a memory that writes to somewhere else and refuses what it can't write conforms", async () => {
  const careful = broken((memory) => ({
    append: async (record) => {
      JSON.stringify(record);
      await new Promise((resolve) => setImmediate(resolve));
      await memory.append(record);
    },
  }));
  expect(await breaches(memoryConformance(careful))).toEqual([]);
});
