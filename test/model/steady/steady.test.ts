import { describe, expect, it } from "vitest";
import {
  LastcallError,
  noUsage,
  systemRuntime,
  type FaultCode,
  type Model,
  type ModelEvent,
  type ModelRequest,
  type Runtime,
  type WrittenReply,
} from "../../../src/core/index.js";
import { steady, type SteadyOptions } from "../../../src/model/steady/steady.js";
import { drain } from "../../core/drain.js";

const request: ModelRequest = { key: "s/1/model:1", system: "", messages: [], tools: [], needsCall: true };
const reply: WrittenReply = { text: "Done.", calls: [], finish: "complete", usage: noUsage };
const signal = new AbortController().signal;
let providers = 0;

type Step = (signal: AbortSignal) => AsyncGenerator<ModelEvent, WrittenReply, void>;

interface FakeModel extends Model {
  readonly requests: readonly ModelRequest[];
}

/** A model with a provider of its own. It takes one step for each request, and repeats the last step. */
function model(...steps: readonly Step[]): FakeModel {
  const requests: ModelRequest[] = [];
  providers += 1;
  return {
    name: "fake",
    provider: `fake:steady-${String(providers)}`,
    requests,
    respond(given, aborts) {
      requests.push(given);
      const step = steps[Math.min(requests.length, steps.length) - 1]!;
      return step(aborts);
    },
  };
}

async function* answers(): AsyncGenerator<ModelEvent, WrittenReply, void> {
  yield { type: "text-delta", text: "Done." };
  return reply;
}

function fails(code: FaultCode, message = "It broke.", details: { status?: number; retryAfterMs?: number } = {}): Step {
  return async function* () {
    throw new LastcallError(code, message, details);
  };
}

const isDown = fails("provider_unavailable", "It is down.", { status: 503 });

interface Clock extends Runtime {
  readonly sleeps: readonly number[];
}

/** A runtime whose sleeps end at once and are recorded. */
function clock(random = 0.5): Clock {
  const sleeps: number[] = [];
  return {
    ...systemRuntime,
    sleeps,
    random: () => random,
    sleep: async (ms, aborts) => {
      aborts.throwIfAborted();
      sleeps.push(ms);
    },
  };
}

async function faultOf(source: AsyncGenerator<ModelEvent, WrittenReply, void>): Promise<LastcallError> {
  try {
    await drain(source);
  } catch (thrown) {
    if (thrown instanceof LastcallError) return thrown;
    throw thrown;
  }
  throw new Error("it did not fail");
}

function neverOpens(options: SteadyOptions): SteadyOptions {
  return { circuit: { identical: 1000 }, ...options };
}

describe("a steady model", () => {
  it("is the model where nothing fails: its name, its provider, its events and its reply", async () => {
    const plain = model(answers);
    const runtime = clock();
    const calm = steady(plain, { runtime });
    expect([calm.name, calm.provider]).toEqual([plain.name, plain.provider]);
    expect(await drain(calm.respond(request, signal))).toEqual({
      events: [{ type: "text-delta", text: "Done." }],
      value: reply,
    });
    expect(runtime.sleeps).toEqual([]);
  });

  it("sends the very same request again, four times at the most", async () => {
    const plain = model(isDown);
    const runtime = clock();
    const fault = await faultOf(steady(plain, { runtime }).respond(request, signal));
    expect(plain.requests).toHaveLength(4);
    for (const sent of plain.requests) expect(sent).toBe(request);
    expect(runtime.sleeps).toHaveLength(3);
    expect(fault).toMatchObject({ code: "provider_unavailable", status: 503 });
    expect(fault.message).toBe("It is down. (tried 4 times)");
    expect((fault.cause as LastcallError).message).toBe("It is down.");
  });

  it("returns the reply of the first attempt that succeeds", async () => {
    const plain = model(isDown, fails("provider_unavailable", "Reset."), answers);
    const { value } = await drain(steady(plain, { runtime: clock() }).respond(request, signal));
    expect(value).toBe(reply);
    expect(plain.requests).toHaveLength(3);
  });

  it("sends as often as it is told", async () => {
    for (const attempts of [1, 2, 6]) {
      const plain = model(isDown);
      const fault = await faultOf(steady(plain, neverOpens({ attempts, runtime: clock() })).respond(request, signal));
      expect(plain.requests).toHaveLength(attempts);
      expect(fault.message).toContain(attempts === 1 ? "(tried once)" : `(tried ${String(attempts)} times)`);
    }
  });

  it("says before each wait which attempt failed, why, and how long it waits", async () => {
    const plain = model(isDown, fails("provider_unavailable", "Reset."), answers);
    const { events } = await drain(steady(plain, { runtime: clock() }).respond(request, signal));
    expect(events).toEqual([
      { type: "request-retry", attempt: 1, delay: 250, reason: "It is down." },
      { type: "request-retry", attempt: 2, delay: 500, reason: "Reset." },
      { type: "text-delta", text: "Done." },
    ]);
  });

  it("passes on what an attempt showed and took back", async () => {
    const breaksOff: Step = async function* () {
      yield { type: "text-delta", text: "Ha" };
      yield { type: "reply-retracted", reason: "reset" };
      throw new LastcallError("provider_unavailable", "reset");
    };
    const { events } = await drain(steady(model(breaksOff, answers), { runtime: clock() }).respond(request, signal));
    expect(events.map(({ type }) => type)).toEqual(["text-delta", "reply-retracted", "request-retry", "text-delta"]);
  });
});

describe("the wait of a steady model", () => {
  it("is a random part of a bound that doubles from 500 to 30,000 milliseconds", async () => {
    const waits = async (random: number): Promise<readonly number[]> => {
      const runtime = clock(random);
      await faultOf(steady(model(isDown), neverOpens({ attempts: 10, runtime })).respond(request, signal));
      return runtime.sleeps;
    };
    expect(await waits(0.999_999)).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000]);
    expect(await waits(0.1)).toEqual([50, 100, 200, 400, 800, 1600, 3000, 3000, 3000]);
    expect(await waits(0)).toEqual(Array.from({ length: 9 }, () => 0));
  });

  it("can be set", async () => {
    const runtime = clock(0.999_999);
    const options = neverOpens({ attempts: 5, firstDelay: 10, maxDelay: 35, runtime });
    await faultOf(steady(model(isDown), options).respond(request, signal));
    expect(runtime.sleeps).toEqual([10, 20, 35, 35]);
  });

  it("is the one the provider asks for, up to a minute", async () => {
    const runtime = clock();
    const asks = (retryAfterMs: number): Step =>
      fails("provider_unavailable", "Slow down.", { status: 429, retryAfterMs });
    await drain(steady(model(asks(7000), asks(0), asks(60_000), answers), { runtime }).respond(request, signal));
    expect(runtime.sleeps).toEqual([7000, 0, 60_000]);
  });

  it("is not taken where the provider asks for more than a minute: that is said instead", async () => {
    const runtime = clock();
    const plain = model(fails("provider_unavailable", "Slow down.", { status: 429, retryAfterMs: 60_001 }));
    const fault = await faultOf(steady(plain, { runtime }).respond(request, signal));
    expect(plain.requests).toHaveLength(1);
    expect(runtime.sleeps).toEqual([]);
    expect(fault).toMatchObject({ code: "provider_unavailable", status: 429 });
    expect(fault.message).toBe("Slow down. (tried once) It asks to wait 61 s.");
  });

  it("for the provider can be bounded otherwise", async () => {
    const runtime = clock();
    const plain = model(fails("provider_unavailable", "Slow down.", { retryAfterMs: 90_000 }), answers);
    await drain(steady(plain, { maxRetryAfter: 90_000, runtime }).respond(request, signal));
    expect(runtime.sleeps).toEqual([90_000]);
  });
});

describe("a steady model does not try again", () => {
  it.each(["provider_rejected", "authentication", "context_overflow", "configuration", "script"] as const)(
    "after %s, and throws that very fault",
    async (code) => {
      const plain = model(fails(code, "No.", { status: 400 }));
      const runtime = clock();
      const fault = await faultOf(steady(plain, { runtime }).respond(request, signal));
      expect(fault).toMatchObject({ code, message: "No.", status: 400 });
      expect(plain.requests).toHaveLength(1);
      expect(runtime.sleeps).toEqual([]);
    },
  );

  it("after an error nobody foresaw, which is a bug with its cause", async () => {
    const error = new TypeError("x is not a function");
    const plain = model(async function* () {
      throw error;
    });
    const fault = await faultOf(steady(plain, { runtime: clock() }).respond(request, signal));
    expect(fault.code).toBe("bug");
    expect(fault.cause).toBe(error);
    expect(plain.requests).toHaveLength(1);
  });
});

describe("an abort of a steady model", () => {
  it("during the wait ends it at once with the signal's reason", async () => {
    const abort = new AbortController();
    const plain = model(isDown);
    const running = steady(plain, { firstDelay: 60_000 }).respond(request, abort.signal);
    expect((await running.next()).value).toMatchObject({ type: "request-retry" });
    const next = running.next();
    const reason = new Error("the user left");
    abort.abort(reason);
    await expect(next).rejects.toBe(reason);
    expect(plain.requests).toHaveLength(1);
  });

  it("during an attempt is thrown as it is, and not as a fault of the provider", async () => {
    const abort = new AbortController();
    const reason = new Error("the user left");
    const plain = model(async function* () {
      abort.abort(reason);
      throw new LastcallError("provider_unavailable", "aborted");
    });
    const runtime = clock();
    await expect(drain(steady(plain, { runtime }).respond(request, abort.signal))).rejects.toBe(reason);
    expect(plain.requests).toHaveLength(1);
    expect(runtime.sleeps).toEqual([]);
  });

  it("gives the signal to every attempt", async () => {
    const abort = new AbortController();
    const given: AbortSignal[] = [];
    const sees =
      (step: Step): Step =>
      (aborts) => {
        given.push(aborts);
        return step(aborts);
      };
    await drain(steady(model(sees(isDown), sees(answers)), { runtime: clock() }).respond(request, abort.signal));
    expect(given).toEqual([abort.signal, abort.signal]);
  });

  it("by leaving it ends the attempt", async () => {
    let isEnded = false;
    const plain = model(async function* () {
      try {
        for (;;) yield { type: "text-delta", text: "x" };
      } finally {
        isEnded = true;
      }
    });
    for await (const event of steady(plain).respond(request, signal)) if (event.type === "text-delta") break;
    expect(isEnded).toBe(true);
  });
});

describe("the circuit around a steady model's provider", () => {
  it("opens at the fifth identical failure, over requests, and then nothing is sent", async () => {
    const plain = model(isDown);
    const calm = steady(plain, { runtime: clock() });
    expect((await faultOf(calm.respond(request, signal))).code).toBe("provider_unavailable");
    expect((await faultOf(calm.respond(request, signal))).code).toBe("provider_circuit_open");
    expect(plain.requests).toHaveLength(5);
    const fault = await faultOf(calm.respond(request, signal));
    expect(fault.code).toBe("provider_circuit_open");
    expect(fault.message).toContain(plain.provider);
    expect(fault.message).toContain("It is down.");
    expect(plain.requests).toHaveLength(5);
  });

  it("is shared by all models at that provider, and by no other", async () => {
    const plain = model(isDown);
    const options = { runtime: clock(), circuit: { identical: 2 } };
    await faultOf(steady(plain, options).respond(request, signal));
    const sister: Model = { ...model(answers), provider: plain.provider };
    expect((await faultOf(steady(sister, options).respond(request, signal))).code).toBe("provider_circuit_open");
    expect((await drain(steady(model(answers), options).respond(request, signal))).value).toBe(reply);
  });

  it("is not opened by refusals, and is reset by them: the provider answered", async () => {
    const plain = model(isDown, isDown, isDown, fails("provider_rejected"), isDown, isDown, isDown, isDown, answers);
    const calm = steady(plain, { attempts: 4, runtime: clock() });
    expect((await faultOf(calm.respond(request, signal))).code).toBe("provider_rejected");
    expect((await faultOf(calm.respond(request, signal))).code).toBe("provider_unavailable");
    expect((await drain(calm.respond(request, signal))).value).toBe(reply);
  });

  it("is not opened by attempts that were aborted", async () => {
    const plain = model(async function* (aborts) {
      yield { type: "text-delta", text: "x" };
      aborts.throwIfAborted();
      return reply;
    });
    const calm = steady(plain, { circuit: { identical: 1 }, runtime: clock() });
    for (let n = 0; n < 3; n += 1) {
      const abort = new AbortController();
      const running = calm.respond(request, abort.signal);
      await running.next();
      abort.abort();
      await expect(running.next()).rejects.toThrow("aborted");
    }
    expect((await drain(calm.respond(request, signal))).value).toBe(reply);
  });
});
