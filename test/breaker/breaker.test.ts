import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { LastcallError } from "../../src/core/index.js";
import { breakerFor, type Breaker, type BreakerOptions } from "../../src/breaker/breaker.js";

const pause = 40;
let providers = 0;

function fresh(options: BreakerOptions = { pause }): Breaker {
  providers += 1;
  return breakerFor(`fake:breaker-${String(providers)}`, options);
}

function down(message = "It is down.", status = 503): LastcallError {
  return new LastcallError("provider_unavailable", message, { status });
}

async function fail(breaker: Breaker, ...faults: readonly LastcallError[]): Promise<void> {
  for (const fault of faults) (await breaker.enter()).failed(fault);
}

function times(count: number, fault = down()): readonly LastcallError[] {
  return Array.from({ length: count }, () => fault);
}

/** Sends one successful request through, and waits until the circuit has recorded it. */
async function succeed(breaker: Breaker): Promise<void> {
  (await breaker.enter()).succeeded();
  await sleep(0);
}

async function isOpen(breaker: Breaker): Promise<boolean> {
  try {
    (await breaker.enter()).abandoned();
    return false;
  } catch {
    return true;
  }
}

/** A circuit that was opened and whose pause has ended. */
async function halfOpen(): Promise<Breaker> {
  const breaker = fresh();
  await fail(breaker, ...times(5));
  await sleep(pause + 20);
  return breaker;
}

describe("the circuit around a provider", () => {
  it("opens on the fifth identical failure in a row, not before", async () => {
    const breaker = fresh();
    await fail(breaker, ...times(4));
    expect(await isOpen(breaker)).toBe(false);
    await fail(breaker, down());
    expect(await isOpen(breaker)).toBe(true);
  });

  it("says while it is open who failed how, and that nothing is sent", async () => {
    const breaker = fresh({ pause: 20_000 });
    await fail(breaker, ...times(5));
    const fault: unknown = await Promise.resolve(breaker.enter()).catch((thrown: unknown) => thrown);
    expect(fault).toBeInstanceOf(LastcallError);
    expect(fault).toMatchObject({ code: "provider_circuit_open", cause: { message: "It is down." } });
    expect((fault as LastcallError).message).toBe(
      `The provider at fake:breaker-${String(providers)} failed 5 times in a row in the same way, so nothing is sent to it for 20 s. What failed: It is down.`,
    );
  });

  it("opens on as many as it is told", async () => {
    const breaker = fresh({ identical: 2, pause });
    await fail(breaker, down());
    expect(await isOpen(breaker)).toBe(false);
    await fail(breaker, down());
    expect(await isOpen(breaker)).toBe(true);
  });

  it("is not opened by failures that differ, however many", async () => {
    const breaker = fresh();
    for (let n = 0; n < 6; n += 1) {
      await fail(breaker, ...times(4), ...times(4, down("Reset.")), down("It is down.", 500));
    }
    expect(await isOpen(breaker)).toBe(false);
  });

  it("takes failures as identical whose messages differ in numbers only", async () => {
    const breaker = fresh();
    for (let n = 1; n <= 5; n += 1) await fail(breaker, down(`It took ${String(n * 7)} ms, request ${String(n)}.`));
    expect(await isOpen(breaker)).toBe(true);
  });

  it("starts counting again after a success", async () => {
    const breaker = fresh();
    await fail(breaker, ...times(4));
    await succeed(breaker);
    await fail(breaker, ...times(4));
    expect(await isOpen(breaker)).toBe(false);
  });

  it("neither counts an abandoned attempt nor is reset by it", async () => {
    const breaker = fresh();
    for (let n = 0; n < 10; n += 1) (await breaker.enter()).abandoned();
    await fail(breaker, ...times(4));
    (await breaker.enter()).abandoned();
    await fail(breaker, down());
    expect(await isOpen(breaker)).toBe(true);
  });

  it("lets many pass side by side while it is closed, and counts them as they end", async () => {
    const breaker = fresh();
    const passages = await Promise.all(Array.from({ length: 6 }, async () => breaker.enter()));
    passages.slice(0, 5).forEach((passage) => {
      passage.failed(down());
    });
    expect(await isOpen(breaker)).toBe(true);
    expect(() => {
      passages[5]?.succeeded();
    }).not.toThrow();
  });
});

describe("after the pause the circuit", () => {
  it("lets one request through to see, and no other while that is under way", async () => {
    const breaker = await halfOpen();
    const probe = await breaker.enter();
    await expect(breaker.enter()).rejects.toMatchObject({ code: "provider_circuit_open" });
    await expect(breaker.enter()).rejects.toMatchObject({ code: "provider_circuit_open" });
    probe.succeeded();
  });

  it("closes when that one succeeds, and counts from nothing", async () => {
    const breaker = await halfOpen();
    await succeed(breaker);
    await fail(breaker, ...times(4));
    expect(await isOpen(breaker)).toBe(false);
    await fail(breaker, down());
    expect(await isOpen(breaker)).toBe(true);
  });

  it.each([
    ["in the same way", down()],
    ["in another way", down("Reset.", 500)],
  ])("opens again when that one fails %s, for another pause", async (_how, fault) => {
    const breaker = await halfOpen();
    await fail(breaker, fault);
    expect(await isOpen(breaker)).toBe(true);
    await sleep(pause + 20);
    await succeed(breaker);
    expect(await isOpen(breaker)).toBe(false);
  });

  it("opens again when nobody waited for that one, for another pause", async () => {
    const breaker = await halfOpen();
    (await breaker.enter()).abandoned();
    await sleep(0);
    await expect(breaker.enter()).rejects.toMatchObject({ code: "provider_circuit_open" });
    await sleep(pause + 20);
    await succeed(breaker);
    expect(await isOpen(breaker)).toBe(false);
  });
});

describe("breakerFor", () => {
  it("gives the same circuit for the same provider and numbers, in the whole process", () => {
    const provider = "fake:shared";
    expect(breakerFor(provider, { pause })).toBe(breakerFor(provider, { pause, identical: 5 }));
    expect(breakerFor(provider, {})).toBe(breakerFor(provider, { identical: 5, pause: 30_000 }));
  });

  it("gives others for other providers and other numbers", () => {
    const circuits = [
      breakerFor("fake:one", { pause }),
      breakerFor("fake:two", { pause }),
      breakerFor("fake:one", { pause: pause + 1 }),
      breakerFor("fake:one", { pause, identical: 6 }),
    ];
    expect(new Set(circuits).size).toBe(4);
  });
});
