import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createAgent, tool, type Event, type Outcome, type Session } from "../../../src/index.js";
import { abortOnLeave, readToEnd } from "../../../src/core/agent/stream.js";
import { noRedactor } from "../../../src/core/secret/redact.js";
import { WorkTime } from "../../../src/core/time/work-time.js";
import { call, scriptedModel, virtualClock } from "../../../src/testing/index.js";
import { converse } from "../../../src/tools/index.js";
import { stageOf } from "../../../src/core/time/stage.js";

const usage = { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0, reasoningTokens: 0 };
const session = { version: 1, id: "s", records: [] } as const;
const outcome: Outcome = {
  session,
  inputs: [],
  usage,
  iterations: 0,
  status: "aborted",
  message: "",
  partial: { text: "" },
};

/** A stream of two events; between them the run works for 10 ms, and at an abort it takes 5 ms to clean up. */
function bench(signal?: AbortSignal) {
  const clock = virtualClock({ auto: true });
  const abort = new AbortController();
  const time = new WorkTime(clock);
  const log: string[] = [];
  async function* work(): AsyncGenerator<Event, Outcome, void> {
    try {
      yield { type: "iteration-start", iteration: 1 };
      await clock.sleep(10, abort.signal);
      yield { type: "iteration-end", iteration: 1, failures: [] };
    } catch {
      await clock.sleep(5, new AbortController().signal);
      log.push("cleaned up");
    }
    return outcome;
  }
  return {
    clock,
    abort,
    time,
    log,
    stream: abortOnLeave({
      work: stageOf(work()),
      secrets: noRedactor,
      time,
      abort,
      signals: [signal],
      tell: undefined,
    }),
  };
}

describe("a stream", () => {
  test("has the outcome as its last event, its return value and its promise", async () => {
    const { stream } = bench();
    const types: string[] = [];
    for (;;) {
      const next = await stream.next();
      if (next.done === true) {
        expect(next.value).toEqual(outcome);
        break;
      }
      types.push(next.value.type);
    }
    expect(types).toEqual(["iteration-start", "iteration-end", "run-end"]);
    expect(await stream.outcome).toEqual(outcome);
  });

  test("gives a reader that asks for several steps at once all of them in order, and its end once", async () => {
    const { stream } = bench();
    const steps = await Promise.all(Array.from({ length: 5 }, () => stream.next()));
    expect(steps.map(({ done, value }) => (done === true ? value : value.type))).toEqual([
      ...["iteration-start", "iteration-end", "run-end"],
      ...[outcome, undefined],
    ]);
  });

  test("had the whole session in its last event, which grew with every turn: now the event stays as it is", async () => {
    const look = tool({ name: "look", description: "x", input: z.object({}), run: () => "row ".repeat(1000) });
    const model = scriptedModel(({ number }) =>
      number % 2 === 1 ? [call("look")] : [call("converse", { message: "ok" })],
    );
    const agent = createAgent({ model, tools: [look, converse()] });
    const sizes: number[] = [];
    let session: Session | undefined;
    for (let turn = 1; turn <= 4; turn += 1) {
      const stream = agent.stream("go on", { session });
      for await (const event of stream) {
        if (event.type === "run-end")
          sizes.push(JSON.stringify({ ...event, outcome: { ...event.outcome, id: "" } }).length);
      }
      const outcome: Outcome = await stream.outcome;
      ({ session } = outcome);
      expect(session.records.length).toBeGreaterThan(turn * 5);
    }
    expect(sizes).toEqual(Array(4).fill(sizes[0]));
    expect(sizes[0]).toBeLessThan(1000);
  });

  test("that nobody reads does not run", async () => {
    const { stream, log, clock } = bench();
    await clock.advance(1000);
    expect([log, stream[Symbol.asyncIterator]() === stream]).toEqual([[], true]);
  });

  test("works only while somebody waits for its next event", async () => {
    const { stream, clock, time } = bench();
    await stream.next();
    await clock.advance(500);
    expect(time.elapsed).toBe(0);
    await stream.next();
    await clock.advance(500);
    expect(time.elapsed).toBe(10);
  });
});

describe("leaving a stream", () => {
  test("aborts the run, and is done once it has cleaned up", async () => {
    const { stream, abort, log } = bench();
    for await (const event of stream) if (event.type === "iteration-start") break;
    expect(abort.signal.aborted).toBe(true);
    expect(log).toEqual(["cleaned up"]);
    expect(await stream.outcome).toEqual(outcome);
  });

  test("while its next event is awaited does the same, and that event is still given", async () => {
    const { stream, log } = bench();
    await stream.next();
    const pending = stream.next();
    expect(await stream.return()).toEqual({ done: true, value: outcome });
    expect(log).toEqual(["cleaned up"]);
    expect((await pending).value).toMatchObject({ type: "run-end" });
  });
});

describe("the caller's signal", () => {
  test("aborts the run with its reason", async () => {
    const caller = new AbortController();
    const { stream, abort } = bench(caller.signal);
    await stream.next();
    caller.abort(new Error("enough"));
    expect(abort.signal.reason).toEqual(new Error("enough"));
  });

  test("aborts it as well if it was aborted before", () => {
    expect(bench(AbortSignal.abort(new Error("too late"))).abort.signal.reason).toEqual(new Error("too late"));
  });

  test("is not listened to any more once the run has ended", async () => {
    const caller = new AbortController();
    const { stream, abort } = bench(caller.signal);
    for await (const _event of stream);
    caller.abort(new Error("enough"));
    expect(abort.signal.aborted).toBe(false);
  });
});

test("the time in which the run around reads an event is no working time of an agent below", async () => {
  const clock = virtualClock({ auto: true });
  const [abort, time] = [new AbortController(), new WorkTime(clock)];
  async function* work(): AsyncGenerator<Event, Outcome, void> {
    yield { type: "iteration-start", iteration: 1 };
    await clock.sleep(10, abort.signal);
    yield { type: "iteration-end", iteration: 1, failures: [] };
    return outcome;
  }
  const told: string[] = [];
  const tell = ({ type }: { readonly type: string }, read: () => void): void => {
    told.push(type);
    void clock.sleep(1000, abort.signal).then(read);
  };
  await readToEnd({ work: stageOf(work()), secrets: noRedactor, time, abort, signals: [], tell });
  expect([told, time.elapsed]).toEqual([["iteration-start", "iteration-end", "run-end"], 10]);
});
