import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import {
  createAgent,
  type AgentStream,
  type Event,
  type JournalRecord,
  type Model,
  type Outcome,
  type Session,
} from "../../src/index.js";
import { openai } from "../../src/model/index.js";
import {
  assertPrefixStable,
  assertWellFormed,
  assertWellFormedRequest,
  call,
  scriptedModel,
  scriptedProvider,
  virtualClock,
  type ProviderRequest,
  type SeenRequest,
} from "../../src/testing/index.js";
import { done, optionsOf, randomRun, scriptOf, tools, type RandomRun } from "./random-runs.js";

/** Reads a run to its end, and aborts it at the event of that number. */
async function readAborting(
  start: (signal: AbortSignal) => AgentStream,
  abortAt: number | undefined,
  events: Event[],
): Promise<Outcome> {
  const abort = new AbortController();
  const stream = start(abort.signal);
  let number = 0;
  for await (const event of stream) {
    events.push(event);
    if (number === abortAt) abort.abort();
    number += 1;
  }
  return stream.outcome;
}

/** A random run, and one that goes on from it. */
async function runTwice(
  random: RandomRun,
  model: Model,
  requests: readonly (SeenRequest | ProviderRequest)[],
): Promise<void> {
  const agent = createAgent({ model, tools, runtime: virtualClock(), ...optionsOf(random) });
  let session: Session | undefined;
  for (const abortAt of [random.abortAt, undefined]) {
    const events: Event[] = [];
    const [from, before] = [session, requests.length];
    const start = (signal: AbortSignal): AgentStream =>
      agent.stream("Go on.", { signal, ...(from !== undefined && { session: from }) });
    ({ session } = await readAborting(start, abortAt, events));
    assertWellFormed(session.records, { tools });
    assertPrefixStable(requests.slice(before), events);
  }
}

describe("whatever a model does, and wherever the run is aborted, records and requests are well-formed", () => {
  it("on a scripted model", async () => {
    const property = fc.asyncProperty(randomRun, async (random) => {
      const model = scriptedModel(scriptOf(random));
      await runTwice(random, model, model.requests);
    });
    await fc.assert(property, { numRuns: 100 });
  });

  it("on a scripted provider", async () => {
    const property = fc.asyncProperty(randomRun, async (random) => {
      await using provider = await scriptedProvider(scriptOf(random));
      const model = openai({ baseURL: provider.url, model: "scripted", steady: { attempts: 2, firstDelay: 1 } });
      await runTwice(random, model, provider.requests);
      for (const { body } of provider.requests) assertWellFormedRequest(body);
    });
    await fc.assert(property, { numRuns: 25 });
  });
});

/** The records of a run with everything in it: mistakes, a denial, a failed check, and two runs with a question between. */
async function journal(): Promise<readonly JournalRecord[]> {
  const model = scriptedModel([
    [call("lookup", { key: "a" }), call("note", { text: "good" }), call("send")],
    "I think I am done.",
    [call("note", { text: "good" }), call("lookup", { key: "b" }), call("note", { text: "bad" })],
    [call("ask_question", { question: "Which one?" })],
    [done],
    [call("sign", { name: "Ada" })],
  ]);
  const runtime = virtualClock();
  const now = (): number => (runtime.advance(1), runtime.now());
  let asked = 0;
  const check = { name: "tests", verify: () => ({ passed: (asked += 1) > 1, output: "no" }) };
  const agent = createAgent({ model, tools, runtime: { ...runtime, now }, checks: [check] });
  const { session } = await agent.run("Go.");
  return (await agent.run("The first.", { session })).session.records;
}

describe("a journal that can't have happened is caught:", () => {
  const renumber = (records: readonly JournalRecord[]): readonly JournalRecord[] =>
    records.map((record, index) => ({ ...record, seq: index, at: 0 }));
  const isCaught = (records: readonly JournalRecord[]): boolean => {
    try {
      assertWellFormed(records, { tools });
      return false;
    } catch (thrown) {
      expect((thrown as Error).message).toMatch(/^Record \d+ \([a-z-]+\): |^The records do not end/);
      return true;
    }
  };
  const mutants: readonly [string, (records: readonly JournalRecord[], index: number) => readonly JournalRecord[]][] = [
    ["one record dropped", (records, index) => records.toSpliced(index, 1)],
    ["one record twice", (records, index) => records.toSpliced(index, 0, records[index]!)],
    [
      "two neighbours swapped",
      (records, index) => records.toSpliced(index, 2, ...records.slice(index, index + 2).reverse()),
    ],
  ];

  it.each(mutants)("%s", async (_what, mutate) => {
    const records = await journal();
    assertWellFormed(records, { tools });
    for (const index of records.keys()) {
      const mutant = mutate(records, index);
      if (mutant.length === records.length && index === records.length - 1) continue;
      expect([index, isCaught(mutant)]).toEqual([index, true]);
    }
  });

  it.each(mutants)("%s, even where all are numbered anew", async (what, mutate) => {
    const records = await journal();
    const missed = [...records.keys()].filter((index) => {
      const mutant = mutate(records, index);
      return mutant.length === records.length && index === records.length - 1 ? false : !isCaught(renumber(mutant));
    });
    const couldHaveHappened = missed.map((index) => `${records[index]!.type}, ${records[index + 1]!.type}`);
    expect(new Set(couldHaveHappened)).toEqual(new Set(what.includes("swapped") ? ["result, decision"] : []));
  });
});

test("a nudge is caught everywhere but right after an iteration that went well, once", async () => {
  const read = [call("lookup", { key: "a" })];
  const model = scriptedModel([read, read, read, "words", read, [done]]);
  const { session } = await createAgent({ model, tools, runtime: virtualClock() }).run("Go.");
  assertWellFormed(session.records, { tools });
  const records = session.records.filter(({ type }) => type !== "nudge");
  expect(session.records).toHaveLength(records.length + 1);
  const isTaken = (index: number, count: number): boolean => {
    const nudges = Array.from({ length: count }, () => ({ type: "nudge", text: "Again.", seq: 0, at: 0 }) as const);
    try {
      assertWellFormed(
        records.toSpliced(index, 0, ...nudges).map((record, seq) => ({ ...record, seq })),
        { tools },
      );
      return true;
    } catch {
      return false;
    }
  };
  const places = [...records.keys()].filter((index) => isTaken(index, 1));
  expect(places.map((index) => records[index - 1])).toMatchObject(
    [1, 2, 3, 5].map((iteration) => ({ type: "iteration", iteration, failures: [] })),
  );
  expect(places.filter((index) => isTaken(index, 2))).toEqual([]);
});

describe("what the oracles found once:", () => {
  it.each(["7", "null", '"x"', "[1]"])("arguments that are JSON and no object (%s) go back as {}", async (source) => {
    await using provider = await scriptedProvider([[call("lookup", source), call("lookup", { key: "a" })], [done]]);
    await createAgent({ model: openai({ baseURL: provider.url, model: "scripted" }), tools }).run("Go.");
    for (const { body } of provider.requests) assertWellFormedRequest(body);
  });

  it("a streak that was recovered from in the last reply of a run is a declared rewrite in the next run", async () => {
    const model = scriptedModel(["words", [done], [done]]);
    const agent = createAgent({ model, tools });
    const events: Event[] = [];
    const onEvent = (event: Event): void => void events.push(event);
    const { session } = await agent.run("Go.", { onEvent });
    await agent.run("On.", { session, onEvent });
    assertPrefixStable(model.requests, events);
  });
});
