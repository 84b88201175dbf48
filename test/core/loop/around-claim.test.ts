import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  failure,
  tool,
  type CheckContext,
  type Execution,
  type Hook,
  type NextClaim,
} from "../../../src/core/index.js";
import { createAgent, type Event } from "../../../src/index.js";
import { memoryStore, openSession } from "../../../src/memory/index.js";
import { call, scriptedModel } from "../../../src/testing/index.js";

const unsigned = failure("claim_refused", { tool: "sign", message: "It is Sunday.", advice: "Sign on Monday." });
const refusal: Execution = { ok: false, failure: unsigned };

type Claiming = NonNullable<Hook["claim"]>;

interface Scene {
  /** The answers of the check to claims, in order. Default: it passes. */
  readonly passes?: readonly boolean[];
  readonly runs?: () => unknown;
}

/** Runs an agent that claims up to four times, with these hooks around its claims. */
async function claimed(hooks: readonly (Claiming | Hook)[], { passes = [], runs = () => ({ by: "Ann" }) }: Scene = {}) {
  const counts = { checks: 0, runs: 0 };
  const sign = tool({
    name: "sign",
    description: "Signs.",
    input: z.object({ page: z.number() }),
    isLoopBreaking: true,
    effect: "none",
    run: () => {
      counts.runs += 1;
      return runs();
    },
  });
  const check = {
    name: "ink",
    verify: ({ when }: CheckContext) => {
      if (when !== "claim") return { passed: false, output: "" };
      const passed = passes[counts.checks] ?? true;
      counts.checks += 1;
      return { passed, output: passed ? "dry" : "wet" };
    },
  };
  const agent = createAgent({
    model: scriptedModel(({ number }) => [call("sign", { page: number })]),
    tools: [sign],
    checks: [check],
    hooks: hooks.map((hook) => (typeof hook === "function" ? { claim: hook } : hook)),
    limits: { maxIterations: 4, reserve: 0 },
  });
  const events: Event[] = [];
  const outcome = await agent.run("Sign it", { onEvent: (event) => void events.push(event) });
  return { outcome, counts, events };
}

function messageOf({ outcome }: Awaited<ReturnType<typeof claimed>>): unknown {
  return outcome.status === "failed" ? [outcome.fault.code, outcome.fault.message] : outcome.status;
}

describe("a claim hook", () => {
  test("that passes the claim on changes nothing, and sees the claim and the value", async () => {
    const seen: unknown[] = [];
    const { outcome } = await claimed([
      async function* (claim, next) {
        const decided = yield* next();
        seen.push(claim.name, claim.input, decided.ok && decided.value);
        return decided;
      },
    ]);
    expect(outcome).toMatchObject({ status: "completed", value: { by: "Ann" }, iterations: 1 });
    expect(seen).toEqual(["sign", { page: 1 }, { by: "Ann" }]);
  });

  test("refuses before anything runs: no check, no run, and the model reads why", async () => {
    let times = 0;
    const { outcome, counts } = await claimed([
      async function* (_claim, next) {
        times += 1;
        return times === 1 ? refusal : yield* next();
      },
    ]);
    expect(outcome).toMatchObject({ status: "completed", iterations: 2 });
    expect(counts).toEqual({ checks: 1, runs: 1 });
    const [result] = outcome.session.records.flatMap((record) => (record.type === "result" ? [record.result] : []));
    expect(result).toMatchObject({ ok: false, failure: { kind: "claim_refused", message: "It is Sunday." } });
    expect(result?.text).toContain("What to do: Sign on Monday.");
  });

  test("refuses a claim that was to be accepted, and no claim is recorded", async () => {
    const { outcome, events } = await claimed([
      async function* (_claim, next) {
        const decided = yield* next();
        return decided.ok ? refusal : decided;
      },
    ]);
    expect(outcome).toMatchObject({ status: "stopped", reason: "max_iterations" });
    expect(outcome.session.records.some(({ type }) => type === "claim")).toBe(false);
    expect(events.some(({ type }) => type === "claim-accepted")).toBe(false);
  });

  test("sees the refusal of a check, and may answer with one of its own", async () => {
    const kinds: unknown[] = [];
    const { outcome } = await claimed(
      [
        async function* (_claim, next) {
          const decided = yield* next();
          kinds.push(decided.ok || decided.failure.kind);
          return decided.ok ? decided : refusal;
        },
      ],
      { passes: [false] },
    );
    expect(kinds).toEqual(["check_failed", true]);
    expect(outcome.session.records.find(({ type }) => type === "result")).toMatchObject({
      result: { failure: { kind: "claim_refused" } },
    });
  });

  test("is the outermost if it is the first, and surrounds the call hooks of the claim", async () => {
    const order: string[] = [];
    const named = (name: string): Claiming =>
      async function* (_claim, next) {
        order.push(`${name} begins`);
        const decided = yield* next();
        order.push(`${name} ends`);
        return decided;
      };
    const around: Hook = {
      async *call(value, next) {
        order.push("call");
        return yield* next(value);
      },
    };
    await claimed([around, named("first"), named("second")]);
    expect(order).toEqual(["first begins", "second begins", "call", "second ends", "first ends"]);
  });

  test("yields events of its own", async () => {
    const { events } = await claimed([
      async function* (claim, next) {
        yield { type: "call-progress", callId: claim.id, progress: "reading it again" };
        return yield* next();
      },
    ]);
    expect(events.flatMap((event) => (event.type === "call-progress" ? [event.progress] : []))).toEqual([
      "reading it again",
    ]);
  });

  test("that throws ends the run with a fault", async () => {
    const ran = await claimed([
      async function* () {
        throw new Error("no ink");
      },
    ]);
    expect(messageOf(ran)).toEqual(["bug", "Unexpected error: no ink"]);
  });

  test("sees a claim that waits for an approval as refused, and once more after the answer", async () => {
    const seen: unknown[] = [];
    const sign = tool({
      name: "sign",
      description: "Signs.",
      input: z.object({}),
      isLoopBreaking: true,
      effect: "write",
      run: () => "signed",
    });
    const agent = createAgent({
      model: scriptedModel([[call("sign", {})]]),
      tools: [sign],
      permission: { decide: (_call, { approval }) => approval ?? { later: true, reason: "Ann is out" } },
      hooks: [
        {
          async *claim(_claim, next) {
            const decided = yield* next();
            seen.push(decided.ok || decided.failure.kind);
            return decided;
          },
        },
      ],
    });
    const session = openSession({ store: memoryStore(), id: "s" });
    const parked = await agent.run("Sign it", { session });
    expect(parked).toMatchObject({ status: "waiting", by: "sign" });
    const outcome = await agent.run({ allowed: true }, { session });
    expect(outcome.status).toBe("completed");
    expect(seen).toEqual(["denied", true]);
  });
});

describe("a claim hook can't accept a claim", () => {
  const accepts: Execution = { ok: true, value: { by: "nobody" } };
  const calls = (then: (decided: Execution, next: NextClaim) => unknown): Claiming =>
    async function* (_claim, next) {
      return then(yield* next(), next) as Execution;
    };

  test("that nobody decided", async () => {
    const ran = await claimed([
      async function* () {
        return accepts;
      },
    ]);
    expect(messageOf(ran)).toEqual([
      "configuration",
      "The `claim` of a hook accepted a claim that was not decided by `next`: done is a check, so a hook may refuse a claim and never accept one.",
    ]);
    expect(ran.counts).toEqual({ checks: 0, runs: 0 });
  });

  test("that a check refused", async () => {
    const ran = await claimed([calls(() => accepts)], { passes: [false] });
    expect(messageOf(ran)).toMatchObject([
      "configuration",
      expect.stringContaining("accepted a claim that was refused"),
    ]);
  });

  test("that a hook inside refused", async () => {
    const ran = await claimed([calls(() => accepts), calls(() => refusal)]);
    expect(messageOf(ran)).toMatchObject([
      "configuration",
      expect.stringContaining("accepted a claim that was refused"),
    ]);
  });

  test("with another value", async () => {
    const ran = await claimed([calls((decided) => ({ ...decided, value: { by: "Bob" } }))]);
    expect(messageOf(ran)).toMatchObject(["configuration", expect.stringContaining("changed the value of a claim")]);
  });

  test("with a value that it changed in place: the value was stored before", async () => {
    const { outcome } = await claimed([
      calls((decided) => {
        if (decided.ok) (decided.value as { by: string }).by = "Bob";
        return decided;
      }),
    ]);
    expect(outcome).toMatchObject({ status: "completed", value: { by: "Ann" } });
  });

  test("by writing into the refusal: that throws", async () => {
    const ran = await claimed([calls((decided) => Object.assign(decided, accepts))], { passes: [false] });
    expect(messageOf(ran)).toMatchObject(["bug", expect.stringContaining("read only")]);
  });

  test("by deciding twice", async () => {
    const ran = await claimed(
      [
        async function* (_claim, next) {
          yield* next();
          return yield* next();
        },
      ],
      { passes: [false] },
    );
    expect(messageOf(ran)).toMatchObject(["configuration", expect.stringContaining("called `next` twice")]);
    expect(ran.counts).toEqual({ checks: 1, runs: 0 });
  });

  test.each([undefined, null, {}, { ok: false }])("and no decision at all is a fault: %j", async (nothing) => {
    const ran = await claimed([calls(() => nothing)]);
    expect(messageOf(ran)).toMatchObject(["configuration", expect.stringContaining("returned no decision")]);
  });
});
