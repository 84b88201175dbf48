import { describe, expect, test } from "vitest";
import {
  LastcallError,
  type Consultation,
  type LimitOptions,
  type MemoryFactory,
  type Model,
  type Recalling,
  type WrittenReply,
} from "../../../src/core/index.js";
import { recall } from "../../../src/core/loop/recall.js";
import { transcript } from "../../../src/memory/index.js";
import { scriptedModel } from "../../../src/testing/index.js";
import { drain } from "../drain.js";
import { input, iteration, reply, result } from "../journal.js";
import { openRun, worker, type OpenedRun } from "../open-run.js";
import { readResult, taskCompletion } from "../../../src/tools/index.js";

const go = input(1, "go");

/** A transcript that does this before it recalls. */
function doing(work: (recalling: Recalling) => Promise<unknown>): MemoryFactory {
  return (session) => {
    const inner = transcript(session);
    return {
      records: inner.records,
      append: (record) => inner.append(record),
      async *recall(recalling) {
        await work(recalling);
        return yield* inner.recall(recalling);
      },
    };
  };
}

describe("the prompt", () => {
  test("is the memory's, and says whether it differs from the one before", async () => {
    const { run } = openRun({}, [go]);
    const first = (await drain(recall(run, "k"))).value;
    expect(first?.messages).toMatchObject([{ role: "user", text: "go" }]);
    expect(first?.isChanged).toBe(true);
    expect((await drain(recall(run, "k"))).value?.isChanged).toBe(false);
    for (const body of [reply(1, ["a"]), result("a"), iteration(1)]) await run.append(body);
    expect((await drain(recall(run, "k"))).value).toMatchObject({ isChanged: true, messages: { length: 3 } });
  });

  test("that does not fit is recorded as such, with the provider's words if it has refused one", async () => {
    const memory = doing(() => Promise.reject(new LastcallError("context_overflow", "12 tokens too many")));
    const own = openRun({ memory }, [go]);
    expect((await drain(recall(own.run, "k"))).value).toBeUndefined();
    expect(own.added()).toMatchObject([{ type: "overflow", message: "12 tokens too many" }]);
    const refused = openRun({ memory }, [go]);
    await drain(recall(refused.run, "k", new LastcallError("context_overflow", "the window is 8192")));
    expect(refused.added()).toMatchObject([{ type: "overflow", message: "the window is 8192" }]);
  });

  test("is not asked for again after any other error", async () => {
    const { run, types } = openRun({ memory: doing(() => Promise.reject(new Error("disk full"))) }, [go]);
    await expect(drain(recall(run, "k"))).rejects.toThrow("disk full");
    expect(types()).toEqual([]);
  });
});

test("the memory is told what was refused, who reads what is left out, and how large a prompt is", async () => {
  const seen: Recalling[] = [];
  const memory = doing((recalling) => Promise.resolve(seen.push(recalling)));
  const tools = [worker("look", "read"), readResult(), taskCompletion()];
  const { run } = openRun({ memory, tools }, [go], { compact: true });
  await drain(recall(run, "k"));
  await drain(recall(run, "k", new LastcallError("context_overflow", "too long")));
  expect(seen).toMatchObject([
    { overflowed: false, compact: true, measured: false, reader: "read_result" },
    { overflowed: true, compact: false, measured: false, reader: "read_result" },
  ]);
  expect(seen[0]?.tokensOf(300)).toBe(Math.ceil((run.parts.overhead + 300) / 3));
});

describe("a model that the memory asks", () => {
  const asked: Consultation = { system: "Shorten.", text: "x".repeat(292), timeout: 1000 };
  const prices = { scripted: { input: 1, output: 1 }, dear: { input: 5000, output: 10_000 } };
  const usage = { inputTokens: 200, outputTokens: 100, cachedInputTokens: 0, reasoningTokens: 0 };
  const named = (name: string, model: Model = scriptedModel(() => ({ text: "short", usage }))): Model => {
    return { ...model, name };
  };

  interface Consulted extends OpenedRun {
    reply(): WrittenReply | undefined;
    readonly recalled: Promise<unknown>;
  }

  /** Recalls with a memory that asks this model. */
  function consulting(model: Model, limits: LimitOptions = { prices }): Consulted {
    let reply: WrittenReply | undefined;
    const memory = doing(async ({ consult }) => (reply = await consult(model, asked)));
    const opened = openRun({ memory, limits }, [go]);
    const recalled = drain(recall(opened.run, "s/1/fold:1"));
    recalled.catch(() => undefined);
    return { ...opened, recalled, reply: () => reply };
  }

  test("answers under the key that was given, on the account of the run", async () => {
    const model = scriptedModel([{ text: "short", usage }]);
    const { recalled, reply, added } = consulting(model);
    await recalled;
    expect(reply()?.text).toBe("short");
    expect(model.requests).toMatchObject([{ key: "s/1/fold:1", system: "Shorten.", tools: [] }]);
    expect(added()).toMatchObject([{ type: "spend", spent: { iterations: 0, tokens: 300, cost: 0.0003 } }]);
  });

  test("that refuses is told to watchers: the summary was a rule's, and nobody knew", async () => {
    const refusing = scriptedModel([{ status: 400, message: "tools must not be empty" }]);
    const asking = doing(async ({ consult }) => consult(refusing, asked).catch(() => undefined));
    const { events } = await drain(recall(openRun({ memory: asking, limits: { prices } }, [go]).run, "k"));
    expect(events).toEqual([
      {
        type: "request-adjusted",
        reason: expect.stringMatching(/without scripted: .*tools must not be empty/) as string,
      },
    ]);
  });

  test("without a price costs as much as the dearest that has one", async () => {
    const { recalled, added } = consulting(named("unknown"));
    await recalled;
    expect(added()).toMatchObject([{ spent: { tokens: 300, cost: 2 } }]);
  });

  test("is not asked if a limit forbids it", async () => {
    const silent = named("scripted", scriptedModel([]));
    const { recalled, reply, types } = consulting(silent, { maxTokens: 90 });
    await recalled;
    expect([reply(), types()]).toEqual([undefined, []]);
  });

  test("that fails costs nothing, and what was set aside for it is free again", async () => {
    const failing = named("scripted", scriptedModel([{ status: 503 }]));
    const { run, recalled, types } = consulting(failing, { maxTokens: 190, reserve: 0 });
    await expect(recalled).rejects.toMatchObject({ code: "provider_unavailable" });
    expect(types()).toEqual([]);
    expect(run.purse.open().reserve({ iterations: 0, tokens: 180, cost: 0 })).toHaveProperty("settle");
  });

  test("that takes too long is left, whether it listens to its signal or not", async () => {
    const deaf: Model = {
      ...scriptedModel([]),
      async *respond() {
        return new Promise<never>(() => undefined);
      },
    };
    const { recalled, clock } = consulting(deaf);
    await clock.advance(1000);
    await expect(recalled).rejects.toMatchObject({
      code: "provider_unavailable",
      message: expect.stringContaining("1000 ms"),
    });
  });

  test("is left at an abort of the run, for the reason of the abort", async () => {
    const deaf = scriptedModel([{ text: "late", delay: 60_000 }]);
    const { recalled, abort } = consulting(deaf);
    abort.abort(new Error("enough"));
    await expect(recalled).rejects.toThrow("enough");
  });
});
