import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import {
  createAgent,
  failClosed,
  tool,
  type AgentOptions,
  type AnyPermission,
  type AgentStream,
  type Event,
  type JournalRecord,
  type Model,
  type Outcome,
  type Session,
} from "../../../src/index.js";
import type { CheckRecord, RecordBody } from "../../../src/core/internal.js";
import { taskCompletion } from "../../../src/tools/index.js";
import { z } from "zod";
import { openai } from "../../../src/model/index.js";
import {
  assertPrefixStable,
  assertWellFormed,
  assertWellFormedRequest,
  call,
  scriptedModel,
  scriptedProvider,
  virtualClock,
  type ProviderRequest,
  type Script,
  type SeenRequest,
} from "../../../src/testing/index.js";
import { checked } from "../../core/journal.js";
import { failingFor } from "../../e2e/agent-on.js";
import { done, optionsOf, randomRun, scriptOf, tools, type RandomRun } from "../random-runs.js";

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
  const agent = createAgent({ model, tools, runtime: { ...runtime, now }, checks: [failingFor(1)] });
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

/** The records of a run on such a script, with a check that fails so often. */
async function runOf(
  script: Script,
  options: Partial<AgentOptions<typeof tools>> = {},
): Promise<readonly JournalRecord[]> {
  const agent = createAgent({ model: scriptedModel(script), tools, runtime: virtualClock(), ...options });
  const { session } = await agent.run("Go.");
  assertWellFormed(session.records, { tools });
  return session.records;
}

function isTaken(records: readonly JournalRecord[]): boolean {
  const numbered = records.map((record, seq) => ({ ...record, seq, at: 0 }));
  try {
    assertWellFormed(numbered, { tools });
    return true;
  } catch {
    return false;
  }
}

/** What is before and after each place at which the records may stand; where they are the very same, both are named. */
function placesOf(records: readonly JournalRecord[], ...bodies: readonly RecordBody[]): readonly string[] {
  const inserted = bodies.map((body) => ({ ...body, seq: 0, at: 0 }));
  const isPlace = (index: number): boolean => isTaken(records.toSpliced(index, 0, ...inserted));
  const nameOf = (record: JournalRecord | undefined): string =>
    record?.type === "reply" || record?.type === "iteration"
      ? `${record.type} ${String(record.iteration)}`
      : (record?.type ?? "the end");
  return [...records.keys(), records.length]
    .filter(isPlace)
    .map((index) => `${nameOf(records[index - 1])} | ${nameOf(records[index])}`);
}

describe("told and found between the lines:", () => {
  const read = [call("lookup", { key: "a" })];
  const wrong = [call("lookup", { ky: "a" })];
  const write = [call("note", { text: "good" })];
  const about = (what: "stall" | "baseline" | "check"): RecordBody => ({ type: "notice", about: what, text: "Again." });
  const limit: RecordBody = { type: "notice", about: "limit", reason: "timeout", text: "Soon." };
  const closing: RecordBody = { type: "notice", about: "closing", reason: "timeout", message: "m", text: "End." };
  const without = (records: readonly JournalRecord[], ...types: readonly string[]): readonly JournalRecord[] =>
    records.filter(({ type }) => !types.includes(type));

  test("a notice of a stall is caught everywhere but right after an iteration that went well, once", async () => {
    const whole = await runOf([read, read, read, "words", read, [done]]);
    const records = without(whole, "notice");
    expect(whole).toHaveLength(records.length + 1);
    expect(placesOf(records, about("stall"))).toEqual([
      "iteration 1 | reply 2",
      "iteration 2 | reply 3",
      "iteration 3 | reply 4",
      "iteration 5 | reply 6",
    ]);
    expect(placesOf(records, about("stall"), about("stall"))).toEqual([]);
  });

  test("a baseline and what is told of it come before the first reply, once", async () => {
    const whole = await runOf([read, [call("give_up", { reason: "No." })]], { checks: [failingFor(0)] });
    expect(whole.slice(0, 5).map(({ type }) => type)).toEqual(["input", "check", "baseline", "notice", "reply"]);
    expect(placesOf(whole, { type: "baseline", begun: {} })).toEqual([]);
    const bare = whole.filter((record) => record.type !== "notice" && record.type !== "baseline");
    expect(placesOf(bare, { type: "baseline", begun: {} })).toEqual(["check | reply 1"]);
    expect(placesOf(bare, about("baseline"))).toEqual([]);
    expect(placesOf(without(whole, "notice"), about("baseline"))).toEqual(["baseline | reply 1"]);
    const early = bare.filter((record) => record.type !== "check" || record.when !== "baseline");
    expect(placesOf(early, checked(true, { when: "baseline" }))).toEqual(["input | reply 1"]);
  });

  test("what a check says after an iteration comes before its end, after all results, where something ran", async () => {
    const records = await runOf([read, wrong, [...write, ...read], [...read, done]]);
    const places = ["result | iteration 1", "result | iteration 3"];
    expect(placesOf(records, checked(false, { when: "iteration" }))).toEqual(places);
    expect(placesOf(records, about("check"))).toEqual(places);
    expect(placesOf(records, checked(false, { when: "iteration" }), about("check"))).toEqual(places);
  });

  test("what was changed in an iteration that was closed without its checks is checked in the next, whatever that is", async () => {
    const records = await runOf([write, wrong, wrong, [done]]);
    const check = checked(false, { when: "iteration" });
    expect(placesOf(records, check)).toEqual([1, 2, 3].map((number) => `result | iteration ${String(number)}`));
    const first = records.findIndex(({ type }) => type === "iteration");
    const after = records.toSpliced(first, 0, { ...check, seq: 0, at: 0 } as JournalRecord);
    expect(placesOf(after, check)).toEqual(["result | check", "check | iteration 1"]);
  });

  test("a check at a claim names a call that is open and was not decided about", async () => {
    const records = await runOf([read, [done]]);
    const id = records.flatMap((record) => (record.type === "claim" ? [record.callId] : []))[0] ?? "";
    expect(placesOf(records, checked(false, { claim: id }))).toEqual([]);
    const { callId: _none, ...nameless } = checked(true, { claim: id }) as CheckRecord;
    expect(placesOf(records, nameless)).toEqual([]);
    const first = records.flatMap((record) => (record.type === "result" ? [record.result.callId] : []))[0] ?? "";
    expect(placesOf(records, checked(true, { claim: first }))).toEqual(["reply 1 | decision"]);
  });

  test("something is spent only while a call runs, or before a request for what is needed to make it", async () => {
    const records = await runOf([[...read, call("send"), ...write], wrong, [done]], { permission: failClosed });
    expect(placesOf(records, { type: "spend", spent: { iterations: 1, tokens: 1, cost: 0 } })).toEqual([
      "input | reply 1",
      "decision | result",
      "decision | intent",
      "intent | result",
      "iteration 1 | reply 2",
      "iteration 2 | reply 3",
      "decision | claim",
    ]);
  });

  test("a warning comes between two iterations", async () => {
    const records = await runOf([read, wrong, [done]]);
    expect(placesOf(records, limit)).toEqual(
      expect.arrayContaining(["input | reply 1", "iteration 1 | reply 2", "iteration 2 | reply 3"]),
    );
    expect(placesOf(records, limit).filter((place) => !/reply \d$|^iteration 3/.test(place))).toEqual([]);
    expect(placesOf(records, { ...limit, text: "" })).toEqual([]);
  });

  test("a run is closed once, before its last iteration, and is over with it", async () => {
    const records = await runOf([read, read, [done]]);
    expect(placesOf(records, closing)).toEqual(["iteration 2 | reply 3"]);
    expect(placesOf(records, closing, closing)).toEqual([]);
  });

  test("a run that was closed and stopped says what it was closed for", async () => {
    const whole = await runOf([read, read], { limits: { maxIterations: 1 } });
    expect(whole.filter(({ type }) => type === "notice")).toMatchObject([
      { about: "closing", reason: "max_iterations" },
    ]);
    for (const reason of ["max_iterations", "timeout", "stalled", "gave_up"]) {
      const records = whole.map((record) => (record.type === "outcome" ? { ...record, reason } : record));
      expect([reason, isTaken(records)]).toEqual([reason, reason === "max_iterations"]);
    }
  });

  test("a call that ends nothing is refused in the closing iteration, and one that does is the end", async () => {
    const closed = { limits: { maxIterations: 1 } };
    const refused = await runOf([read, [...read, ...wrong, ...write]], closed);
    const kinds = refused.flatMap((record) => (record.type === "result" ? [record.result.failure?.kind] : []));
    expect(kinds).toEqual([undefined, "closing", "invalid_arguments", "closing"]);
    for (const end of [done, call("ask_question", { question: "Which?" }), call("give_up", { reason: "No." })]) {
      const records = await runOf([read, [end]], closed);
      expect(records.at(-1)).toMatchObject({ type: "outcome", status: "stopped", reason: "max_iterations" });
    }
  });

  test("an iteration that was broken off is closed first, and a closed run is over with it", async () => {
    const expiry: RecordBody = { type: "expiry", message: "the time is up", elapsed: 1 };
    const records = await runOf([read, read, [done]]);
    expect(placesOf(records, expiry).filter((place) => !/^(input|iteration \d) \|/.test(place))).toEqual([]);
    expect(placesOf(records, expiry)).toContain("iteration 1 | reply 2");
    expect(placesOf(records, closing, expiry)).toEqual([]);
    expect(placesOf(records, expiry, closing)).toEqual(["iteration 2 | reply 3"]);
  });
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

describe("a journal with an approval that came later", () => {
  /** A journal in which a call was parked, approved and run. */
  async function approved(
    answer: { readonly allowed: boolean } = { allowed: true },
  ): Promise<readonly JournalRecord[]> {
    const pay = tool({ name: "pay", description: "Pays.", input: z.object({}), effect: "write", run: () => "paid" });
    const permission: AnyPermission = {
      decide: ({ name }, { approval }) =>
        name === "pay"
          ? (approval ?? { later: true, reason: "money", expiresAfter: 60_000 })
          : { allowed: true, reason: "fine" },
    };
    const model = scriptedModel([[call("pay")], [call("task_completion", { result: "done" })]]);
    const agent = createAgent({ model, tools: [pay, taskCompletion()], permission });
    const { session } = await agent.run("Pay.");
    return (await agent.run(answer, { session })).session.records;
  }

  /** The bodies as a journal, each at the time of the first record of its type, or at the last one's. */
  const renumbered = (records: readonly JournalRecord[]): readonly JournalRecord[] =>
    records.map((record, seq) => ({ ...record, seq, at: 1000 }));

  test("is well formed, whether the answer is yes or no", async () => {
    assertWellFormed(await approved());
    assertWellFormed(await approved({ allowed: false }));
  });

  test.each<[string, (records: readonly JournalRecord[]) => readonly JournalRecord[], string]>([
    [
      "runs without the answer",
      (records) => records.filter(({ type }) => type !== "approval" && type !== "outcome"),
      "waits for an approval",
    ],
    [
      "is answered for another call",
      (records) => records.map((one) => (one.type === "approval" ? { ...one, answers: "other" } : one)),
      "no call other waits for an approval",
    ],
    [
      "runs after a no",
      (records) => records.map((one) => (one.type === "approval" ? { ...one, allowed: false } : one)),
      "was refused and is allowed",
    ],
    [
      "is answered after its time",
      (records) => records.map((one) => (one.type === "parked" ? { ...one, expiresAt: 1 } : one)),
      "its time was over",
    ],
    [
      "waits once more after the answer",
      (records) =>
        records.flatMap((one): readonly JournalRecord[] =>
          one.type === "approval" ? [one, ...records.filter(({ type }) => type === "parked")] : [one],
        ),
      "was answered and waits for an approval again",
    ],
    [
      "is answered twice",
      (records) => records.flatMap((one): readonly JournalRecord[] => (one.type === "approval" ? [one, one] : [one])),
      "waits for an approval",
    ],
    [
      "is of a run that ended as completed",
      (records) =>
        records.map((one) =>
          one.type === "outcome" && one.status === "waiting" ? { ...one, status: "completed" } : one,
        ),
      "a call waits",
    ],
    [
      "goes on with a resume in place of the answer",
      (records) =>
        records.map((one) => (one.type === "approval" ? ({ type: "resume", seq: one.seq, at: one.at } as const) : one)),
      "after the outcome of its run",
    ],
  ])("is refused if the call %s", async (_name, change, words) => {
    const records = await approved();
    const times = records.map((one) => (one.type === "parked" ? { ...one, expiresAt: 2000 } : one));
    assertWellFormed(renumbered(times));
    expect(() => {
      assertWellFormed(renumbered(change(times)));
    }).toThrow(words);
  });
});
