import { expect, test } from "vitest";
import { createAgent, noUsage, type Message } from "../../../src/index.js";
import { sizeOf } from "../../../src/core/internal.js";
import { Ledger } from "../../../src/core/journal/ledger.js";
import { scriptedModel } from "../../../src/testing/index.js";
import { taskCompletion } from "../../../src/tools/index.js";
import { replyOf } from "../journal.js";

const user: Message = { role: "user", text: "Go." };
const asks = (...ids: readonly string[]): Message => ({ role: "assistant", reply: replyOf(ids) });
const answer = (callId: string): Message => ({ role: "tool", callId, text: "x" });

test.each<[string, readonly Message[], string]>([
  [
    "a call without a result",
    [user, asks("a", "b"), answer("a")],
    "message 2 of it is the last, and there is no result for b",
  ],
  [
    "a result that comes too late",
    [user, asks("a"), user, answer("a")],
    "message 2 of it comes before the result of a",
  ],
  [
    "a result twice",
    [user, asks("a"), answer("a"), answer("a")],
    "message 3 of it is a result for a, which no call waits for",
  ],
  ["an orphan", [answer("a"), user], "message 0 of it is a result for a"],
  ["a reply at the end", [user, asks()], "message 1 of it is the last, and there is nothing in it to answer"],
  ["nothing", [], "The prompt is empty"],
])("%s is detected", (_what, messages, words) => {
  expect(() => new Ledger().take(messages, false)).toThrow(words);
});

test("only new messages are examined, and a rewritten prompt from its first changed group on", () => {
  const ledger = new Ledger();
  const first = [user, asks("a", "b"), answer("a"), answer("b")];
  expect(ledger.take(first, false)).toBe(true);
  expect(ledger.take(first, false)).toBe(false);
  expect(ledger.take([...first, asks("c"), answer("c")], false)).toBe(true);
  expect(() => ledger.take([...first.slice(0, 3), asks("c"), answer("c")], true)).toThrow(
    "message 3 of it comes before",
  );
  const stubbed = [user, first[1]!, answer("a"), answer("b")];
  expect(ledger.take(stubbed, true)).toBe(true);
  expect(ledger.characters).toBe(stubbed.reduce((sum, message) => sum + sizeOf(message), 0));
});

test("an invalid prompt is a `bug` that names the message, and is never sent", async () => {
  const model = scriptedModel([]);
  const agent = createAgent({
    model,
    tools: [taskCompletion()],
    memory: ({ records }) => {
      const kept = [...records];
      return {
        records: kept,
        append: (record) => void kept.push(record),
        async *recall() {
          return [user, asks("a")];
        },
      };
    },
  });
  expect(await agent.run("go")).toMatchObject({
    status: "failed",
    usage: noUsage,
    fault: {
      code: "bug",
      message: expect.stringContaining("message 1 of it is the last, and there is no result for a"),
    },
  });
  expect(model.requests).toEqual([]);
});
