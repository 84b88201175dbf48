import { getEventListeners } from "node:events";
import { describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { follow, onAbort } from "../../../src/core/time/abort.js";
import { followSession, memoryStore } from "../../../src/memory/index.js";
import { allowAll } from "../../../src/permission/index.js";
import { createAgent, LastcallError, tool, type Session } from "../../../src/index.js";
import { call, scriptedModel } from "../../../src/testing/index.js";
import { askQuestion, inBackground, taskCompletion } from "../../../src/tools/index.js";

const ask = call("ask_question", { question: "Which?" });
const done = call("task_completion", { result: "Done." });

function agentOn(script: Parameters<typeof scriptedModel>[0]) {
  return createAgent({ model: scriptedModel(script), tools: [askQuestion(), taskCompletion()] });
}

describe("an outcome without a value gives the reason in its message", () => {
  test.each([
    ["nothing", undefined, "the caller aborted the run"],
    ["words", "somebody pressed stop", "the caller aborted the run: somebody pressed stop"],
    ["an error", new Error("the page was closed"), "the caller aborted the run: the page was closed"],
    ["no words", "", "the caller aborted the run"],
    ["data", { user: 7 }, 'the caller aborted the run: {"user":7}'],
  ])("aborted with %s: the reason is stored", async (_what, reason, message) => {
    const outcome = await agentOn([[done]]).run("Go.", { signal: AbortSignal.abort(reason) });
    expect(outcome).toMatchObject({ status: "aborted", message });
    expect(outcome.session.records.at(-1)).toMatchObject({ type: "outcome", status: "aborted", message });
  });

  test("aborted by a timeout", async () => {
    const outcome = await agentOn([{ calls: [done], delay: 5000 }]).run("Go.", { signal: AbortSignal.timeout(20) });
    expect(outcome).toMatchObject({ message: expect.stringMatching(/^the caller aborted the run: .*timeout/) });
  });

  test("aborted by leaving the stream", async () => {
    const stream = agentOn([[done]]).stream("Go.");
    for await (const { type } of stream) if (type === "request-start") break;
    expect(await stream.outcome).toMatchObject({ status: "aborted", message: "the stream was left" });
  });

  test("secrets in a reason are redacted", async () => {
    const reason = "the key sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD leaked";
    const outcome = await agentOn([[done]]).run("Go.", { signal: AbortSignal.abort(reason) });
    expect(JSON.stringify(outcome)).not.toContain("abcdefghijklmnop");
    expect(outcome).toMatchObject({ message: expect.stringContaining("[redacted") });
  });

  test("failed: the message of the fault", async () => {
    const outcome = await agentOn([]).run("Go.");
    if (outcome.status !== "failed") throw new Error(outcome.status);
    expect(outcome.fault).toBeInstanceOf(LastcallError);
    expect(outcome.message).toBe(outcome.fault.message);
  });
});

describe("the outcome from the journal, when an answer is given twice", () => {
  async function endedTwice(aborted: (session: Session) => Session): Promise<unknown> {
    const { session, ...asked } = await agentOn([[ask]]).run("Go.");
    if (asked.status !== "waiting") throw new Error(asked.status);
    const first = await agentOn([[done]]).run("A", { session, answers: asked.id, signal: AbortSignal.abort("enough") });
    return agentOn([]).run("A", { session: aborted(first.session), answers: asked.id });
  }

  test("names who aborted the run", async () => {
    const message = "the caller aborted the run: enough";
    expect(await endedTwice((session) => session)).toMatchObject({ status: "aborted", message });
  });

  test("an older session without that record is read as before", async () => {
    const before = (session: Session): Session => ({
      ...session,
      records: session.records.map((record) =>
        record.type === "outcome" && record.status === "aborted"
          ? { type: "outcome", status: "aborted", seq: record.seq, at: record.at }
          : record,
      ),
    });
    const message = "the caller aborted the run";
    expect(await endedTwice(before)).toMatchObject({ status: "aborted", message });
  });
});

describe("works that wait for one signal", () => {
  test("are all done once, in order, however many they are, over one listener", () => {
    const source = countedSignal();
    const did: number[] = [];
    const leave = Array.from({ length: 50 }, (_, index) => onAbort(source.signal, () => did.push(index)));
    expect(source.listeners()).toBe(1);
    leave[7]?.();
    source.abort();
    source.abort();
    expect(did).toEqual(Array.from({ length: 50 }, (_, index) => index).filter((index) => index !== 7));
    expect(source.listeners()).toBe(0);
  });

  test("are counted by themselves: the same function may wait twice, and the last one to leave takes the listener off", () => {
    const source = countedSignal();
    const work = vi.fn();
    const [first, second] = [onAbort(source.signal, work), onAbort(source.signal, work)];
    first();
    first();
    expect(source.listeners()).toBe(1);
    source.abort();
    expect(work).toHaveBeenCalledTimes(1);
    second();
    expect(source.listeners()).toBe(0);
  });

  test("may take each other off", () => {
    const source = new AbortController();
    const other = vi.fn();
    onAbort(source.signal, () => {
      leave();
    });
    const leave = onAbort(source.signal, other);
    source.abort();
    expect(other).not.toHaveBeenCalled();
  });
});

test("Node warns of no leak where many runs, works, reads and followers share a signal", async () => {
  const warnings: string[] = [];
  const onWarning = ({ message }: Error): void => void warnings.push(message);
  process.on("warning", onWarning);
  const many = 15;
  const times = Array.from({ length: many }, (_, index) => index);
  const nap = (name: string, effect: "none" | "read") =>
    tool({
      ...{ name, description: "Naps", input: z.object({}), effect },
      run: () => new Promise<string>((resolve) => setTimeout(resolve, 30, "woke")),
    });
  const [works, reads] = [nap("works", "none"), nap("reads", "read")];
  const source = new AbortController();
  const run = () =>
    createAgent({
      model: scriptedModel([
        times.map(() => call("works")),
        times.map(() => call("reads")),
        ...times.map((index) => [call("background_result", { id: `bg-${String(index + 1)}`, wait_seconds: 5 })]),
        [done],
      ]),
      tools: [...inBackground(works), reads, taskCompletion()],
      permission: allowAll(),
      maxParallelReads: many,
    }).run("Go.", { signal: source.signal, suspend: source.signal });
  const store = memoryStore();
  const following = times.map(async () => {
    for await (const _ of followSession({ store, id: "s", signal: source.signal }));
  });
  const outcomes = await Promise.all(times.map(run));
  expect(outcomes.map(({ status }) => status)).toEqual(times.map(() => "completed"));
  source.abort();
  await Promise.allSettled(following);
  await new Promise((resolve) => setTimeout(resolve, 20));
  process.off("warning", onWarning);
  expect(warnings).toEqual([]);
});

describe("follow", () => {
  test("aborts the controller with the reason of the signal", () => {
    const [stop, source] = [new AbortController(), new AbortController()];
    follow(stop, source.signal);
    expect(stop.signal.aborted).toBe(false);
    source.abort("enough");
    expect(stop.signal).toMatchObject({ aborted: true, reason: "enough" });
  });

  test("aborts at once if a signal has aborted already", () => {
    const stop = new AbortController();
    const waiting = countedSignal();
    follow(stop, waiting.signal, AbortSignal.abort("before"));
    expect(stop.signal).toMatchObject({ aborted: true, reason: "before" });
    expect(waiting.listeners()).toBe(0);
  });

  test("takes the reason of the signal that aborts first, and its listeners off the others", () => {
    const [stop, first] = [new AbortController(), new AbortController()];
    const second = countedSignal();
    follow(stop, first.signal, undefined, second.signal);
    expect(second.listeners()).toBe(1);
    first.abort("first");
    expect(stop.signal.reason).toBe("first");
    expect(second.listeners()).toBe(0);
  });

  test("the function it returns takes its listeners off, and later aborts change nothing", () => {
    const stop = new AbortController();
    const source = countedSignal();
    const unfollow = follow(stop, source.signal);
    unfollow();
    expect(source.listeners()).toBe(0);
    source.abort();
    expect(stop.signal.aborted).toBe(false);
  });

  test("an abort of the controller does not abort the signal", () => {
    const [stop, source] = [new AbortController(), new AbortController()];
    follow(stop, source.signal);
    stop.abort("here");
    expect(source.signal.aborted).toBe(false);
    source.abort("there");
    expect(stop.signal.reason).toBe("here");
  });
});

test("no listener stays on the run's signal after an iteration, nor on the caller's signal after the run", async () => {
  const source = countedSignal();
  const left: number[] = [];
  const veto = (_state: unknown, signal: AbortSignal): undefined => {
    left.push(getEventListeners(signal, "abort").length);
  };
  const look = tool({ name: "look", description: "x", input: z.object({}), effect: "read", run: () => "seen" });
  const agent = createAgent({
    model: scriptedModel([[call("look"), call("look")], [call("look")], [done]]),
    tools: [look, taskCompletion()],
    limits: { iterationTimeout: 60_000, toolTimeout: 60_000 },
    hooks: [{ veto }],
  });
  expect(await agent.run("Go.", { signal: source.signal })).toMatchObject({ status: "completed", iterations: 3 });
  expect(left).toEqual([0, 0]);
  expect(source.listeners()).toBe(0);
});

/** A signal that counts its listeners. */
function countedSignal(): { readonly signal: AbortSignal; abort(): void; listeners(): number } {
  const controller = new AbortController();
  const { signal } = controller;
  return {
    signal,
    abort: () => {
      controller.abort();
    },
    listeners: () => getEventListeners(signal, "abort").length,
  };
}
