import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  createAgent,
  noUsage,
  tool,
  type AgentOptions,
  type Hook,
  type JournalRecord,
  type Model,
  type ModelEvent,
  type Tool,
  type WrittenReply,
} from "../../src/index.js";
import { openai } from "../../src/model/index.js";
import { askFirst } from "../../src/approval/index.js";
import { assertWellFormed, call, scriptedModel, scriptedProvider } from "../../src/testing/index.js";
import { taskCompletion } from "../../src/tools/index.js";

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** The tools of a test, and the list of the things that they did, in order. */
function stage(ms: number) {
  const happened: string[] = [];
  const input = z.object({ at: z.string() });
  const work = (name: string, effect: "read" | "write") =>
    tool({
      name,
      description: "Works",
      input,
      effect,
      readsOutside: false,
      async run({ at }, { signal }) {
        happened.push(`${name} ${at}`);
        signal.addEventListener("abort", () => void happened.push(`${name} ${at} stopped`));
        await sleep(ms);
        if (signal.aborted) throw signal.reason;
        happened.push(`${name} ${at} done`);
        return `${name} of ${at}`;
      },
    });
  return { happened, tools: [work("look", "read"), work("save", "write"), taskCompletion()] as const };
}

/** A model that writes these calls, then words for some time, and ends with these calls or others. */
function slowModel(
  happened: string[],
  written: readonly (readonly [name: string, at: string])[],
  { words = 300, said = written }: { readonly words?: number; readonly said?: typeof written } = {},
): Model {
  let replies = 0;
  const done = {
    text: "",
    finish: "complete",
    usage: noUsage,
    calls: [{ type: "call", name: "task_completion", input: { result: "done" } }],
  };
  return {
    name: "slow",
    provider: "slow:",
    async *respond(_request, signal): AsyncGenerator<ModelEvent, WrittenReply, void> {
      replies += 1;
      if (replies > 1) return done as unknown as WrittenReply;
      for (const [index, [name, at]] of written.entries()) {
        // Some servers send a name in pieces.
        yield { type: "call-delta", index, name: name.slice(0, 2), text: "" };
        yield { type: "call-delta", index, name, text: `{"at":` };
        yield { type: "call-delta", index, name, text: `${JSON.stringify(at)}}` };
      }
      for (let past = 0; past < words; past += 20) {
        await sleep(20);
        signal.throwIfAborted();
        yield { type: "text-delta", text: "and " };
      }
      happened.push("reply ends");
      const calls = said.map(([name, at]) => ({ type: "call", name, input: { at } }));
      return { ...done, text: "and ".repeat(words / 20), calls } as unknown as WrittenReply;
    },
  };
}

async function ran(
  tools: readonly Tool[],
  model: Model,
  more: Pick<AgentOptions<readonly Tool[]>, "earlyStart" | "maxParallelReads" | "hooks"> = {},
) {
  const permission = askFirst(() => true);
  const outcome = await createAgent({ model, tools, permission, ...more }).run("Go.");
  expect(outcome.status).toBe("completed");
  assertWellFormed(outcome.session.records, { tools, hooks: (more.hooks ?? []).length > 0 });
  return outcome;
}

describe("a read that is whole", () => {
  test("begins while the reply arrives, and its result is there before the reply ends", async () => {
    const { happened, tools } = stage(60);
    const outcome = await ran(
      tools,
      slowModel(happened, [
        ["look", "a"],
        ["look", "b"],
        ["look", "c"],
      ]),
    );
    expect(happened.slice(0, 3)).toEqual(["look a", "look b", "look c"]);
    expect(happened.indexOf("reply ends")).toBeGreaterThan(happened.indexOf("look c done"));
    const results = outcome.session.records.flatMap((record) => (record.type === "result" ? [record.result.text] : []));
    expect(results.slice(0, 3)).toEqual(["look of a", "look of b", "look of c"]);
  });

  test("begins only with as many others as `maxParallelReads` says", async () => {
    const { happened, tools } = stage(1);
    const calls = ["a", "b", "c"].map((at) => ["look", at] as const);
    await ran(tools, slowModel(happened, calls, { words: 60 }), { maxParallelReads: 2 });
    const early = happened.slice(0, happened.indexOf("reply ends"));
    expect(early.filter((one) => one.endsWith("done"))).toEqual(["look a done", "look b done"]);
    expect(happened.slice(early.length)).toContain("look c done");
  });

  test("waits for the end of the reply with `earlyStart: false`", async () => {
    const { happened, tools } = stage(1);
    await ran(tools, slowModel(happened, [["look", "a"]], { words: 60 }), { earlyStart: false });
    expect(happened[0]).toBe("reply ends");
  });

  test("waits behind a call that may change what it reads", async () => {
    const { happened, tools } = stage(1);
    await ran(
      tools,
      slowModel(
        happened,
        [
          ["look", "a"],
          ["save", "b"],
          ["look", "b"],
        ],
        { words: 60 },
      ),
    );
    expect(happened).toEqual(["look a", "look a done", "reply ends", "save b", "save b done", "look b", "look b done"]);
  });

  test("waits if a hook surrounds calls, since the hook may refuse it", async () => {
    const { happened, tools } = stage(1);
    const hook: Hook = { call: (frozen, next) => next(frozen) };
    await ran(tools, slowModel(happened, [["look", "a"]], { words: 60 }), { hooks: [hook] });
    expect(happened[0]).toBe("reply ends");
  });

  test("is stopped, and its result is nobody's, if the reply ends with another call", async () => {
    const { happened, tools } = stage(80);
    const model = slowModel(happened, [["look", "a"]], { words: 40, said: [["look", "b"]] });
    const outcome = await ran(tools, model);
    expect(happened).toContain("look a stopped");
    expect(happened).not.toContain("look a done");
    expect(JSON.stringify(outcome.session.records)).not.toContain("look of a");
  });

  test("is asked about as ever, so a permission that needs a person gets no early call", async () => {
    const { happened, tools } = stage(1);
    const asked: string[] = [];
    const permission = {
      decide: ({ name }: { readonly name: string }) => {
        asked.push(name);
        return { allowed: true, reason: "yes" };
      },
    };
    const agent = createAgent({ model: slowModel(happened, [["look", "a"]], { words: 60 }), tools, permission });
    expect((await agent.run("Go.")).status).toBe("completed");
    expect(happened[0]).toBe("reply ends");
    expect(asked).toEqual(["look", "task_completion"]);
  });
});

test("a read that runs an agent by hand leaves nothing in the journal before its reply, and the same as without", async () => {
  const live = async (earlyStart: boolean) => {
    const { happened, tools } = stage(1);
    const done = call("task_completion", { result: "seen" });
    const below = createAgent({
      model: scriptedModel([{ usage: { inputTokens: 7 }, calls: [done] }]),
      tools: [taskCompletion()],
    });
    const research = tool({
      name: "look",
      description: "Looks",
      input: z.object({ at: z.string() }),
      effect: "read",
      readsOutside: false,
      async run({ at }, context) {
        happened.push(`look ${at}`);
        const outcome = await below.run(at, { session: await context.child() });
        happened.push("looked");
        return outcome.status;
      },
    });
    const all = [research, ...tools.slice(1)] as const;
    const outcome = await ran(all, slowModel(happened, [["look", "a"]], { words: 60 }), { earlyStart });
    expect(happened.indexOf("look a") < happened.indexOf("reply ends")).toBe(earlyStart);
    expect(happened.indexOf("looked")).toBeGreaterThan(happened.indexOf("reply ends"));
    expect(Object.values(outcome.session.children ?? {})).toHaveLength(1);
    return bare(outcome.session.records, outcome.session.id);
  };
  expect(await live(true)).toBe(await live(false));
});

test("usage of a call that no reply has is not in the journal", async () => {
  const { happened, tools } = stage(1);
  const below = createAgent({
    model: scriptedModel([{ usage: { inputTokens: 7 }, calls: [call("task_completion", { result: "seen" })] }]),
    tools: [taskCompletion()],
  });
  const research = tool({
    name: "look",
    description: "Looks",
    input: z.object({ at: z.string() }),
    effect: "read",
    readsOutside: false,
    run: async ({ at }, { budget, signal }) => (at === "a" ? (await below.run(at, { budget, signal })).status : at),
  });
  const all = [research, ...tools.slice(1)] as const;
  const outcome = await ran(all, slowModel(happened, [["look", "a"]], { words: 60, said: [["look", "b"]] }));
  expect(outcome.session.records.filter(({ type }) => type === "spend")).toEqual([]);
});

/** The records without what differs between two runs: ids, times, nonces. */
function bare(records: readonly JournalRecord[], id: string): string {
  const life = records.find((record) => record.type === "input")?.life ?? "?";
  const drop = new Set(["asked", "elapsed", "nonce", "life"]);
  return JSON.stringify(records, (key, value: unknown) =>
    drop.has(key) || (key === "at" && typeof value === "number") ? 0 : value,
  )
    .replaceAll(id, "ID")
    .replaceAll(life, "LIFE");
}

test("wherever the stream is cut, the journal is the same as without an early start", async () => {
  const calls = [call("look", { at: "a" }), call("look", { at: 'b }{ \\" ' })];
  const live = async (earlyStart: boolean, cutAfter: number, split: number) => {
    const { tools } = stage(0);
    await using provider = await scriptedProvider([
      { text: "words", calls, piece: 3, pause: 1, split, cut: "end", cutAfter },
      { calls, piece: 3, split },
      [call("task_completion", { result: "done" })],
    ]);
    const model = openai({ baseURL: provider.url, model: "m", steady: { firstDelay: 1 } });
    const outcome = await createAgent({ model, tools, earlyStart }).run("Go.");
    return bare(outcome.session.records, outcome.session.id);
  };
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 2600 }), fc.constantFrom(40, 400, 4000), async (cutAfter, split) => {
      expect(await live(true, cutAfter, split)).toBe(await live(false, cutAfter, split));
    }),
    { numRuns: 30 },
  );
}, 60_000);

test("a scripted model, whose replies come in one piece, has no early call", async () => {
  const { happened, tools } = stage(1);
  await ran(tools, scriptedModel([[call("look", { at: "a" })], [call("task_completion", { result: "done" })]]));
  expect(happened).toEqual(["look a", "look a done"]);
});
