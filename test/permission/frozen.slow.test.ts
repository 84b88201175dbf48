// The input that permission saw is the input that runs, byte for byte, even if code tries to change it on the way.

import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { soundData } from "../../src/core/internal.js";
import { wellFormed } from "../../src/core/text/sound.js";
import { everyOf } from "../../src/core/ports/permission.js";
import {
  createAgent,
  tool,
  type Decision,
  type Effect,
  type FrozenCall,
  type Hook,
  type JournalRecord,
  type Json,
  type Outcome,
  type Permission,
  type Tool,
} from "../../src/index.js";
import { gate } from "../../src/permission/index.js";
import type { Approver } from "../../src/index.js";
import { assertWellFormed, call, scriptedModel } from "../../src/testing/index.js";
import { taskCompletion } from "../../src/tools/index.js";
import { emptyRoot } from "../empty-root.js";

const done = call("task_completion", { result: "ok" });

/** Tries every way to change a value, at any depth. */
function vandalize(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  for (const key of Reflect.ownKeys(value)) {
    vandalize(Reflect.get(value, key));
    // Setting the length of an unfrozen array to this text throws.
    if (key !== "length") Reflect.set(value, key, "owned");
    Reflect.deleteProperty(value, key);
    Reflect.defineProperty(value, key, { get: () => "owned" });
  }
  Reflect.set(value, "added", "owned");
  Reflect.set(value, "0", "owned");
  Reflect.defineProperty(value, "toJSON", { value: () => "owned" });
  Reflect.setPrototypeOf(value, { toJSON: () => "owned" });
}

const text = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.string(),
  fc.constantFrom("\ud800", "a\udc00b", "\u0000", "\u2028", "e\u0301", "\u202e", "</tool>", "x".repeat(100_000)),
);
const key = fc.oneof(
  { weight: 4, arbitrary: text.filter(({ length }) => length < 1000) },
  { weight: 1, arbitrary: fc.constantFrom("__proto__", "constructor", "toJSON", "length", "then", "0") },
);
const json = fc.letrec<{ readonly value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    text,
    fc.constantFrom(null, true, false, 0, -1.5, 1e300),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.array(tie("value"), { maxLength: 4 }),
    // Written as JSON and parsed, so that `__proto__` is an ordinary key.
    fc.array(fc.tuple(key, tie("value")), { maxLength: 4 }).map((entries) => JSON.parse(written(entries)) as Json),
  ),
})).value;

function written(entries: readonly (readonly [string, Json])[]): string {
  return `{${entries.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(",")}}`;
}

/** The input of a call as somebody saw it, and its JSON at that moment. */
interface Seen {
  readonly id: string;
  readonly input: unknown;
  readonly json: string;
}

function see(id: string, input: unknown): Seen {
  return { id, input, json: JSON.stringify(input) };
}

interface Watched {
  readonly tools: readonly Tool[];
  readonly ran: Seen[];
}

/** One tool that reads the fields of its input, and one that takes the input whole. */
function makeTools(effect: Effect | undefined, wait: () => Promise<void>): Watched {
  const ran: Seen[] = [];
  const options = {
    description: "Works",
    ...(effect !== undefined && { effect }),
    reach: (input: unknown) => {
      vandalize(input);
      return { reads: ["x"], writes: ["y"] };
    },
    preview: (input: unknown) => {
      vandalize(input);
      return "as it is";
    },
    run: async (input: unknown, { callId, approved }: { readonly callId: string; readonly approved: unknown }) => {
      // The tool may change its own copy. The approved input stays the same.
      const given = JSON.stringify(input);
      vandalize(input);
      vandalize(approved);
      await wait();
      expect(JSON.stringify(approved)).toBe(given);
      ran.push(see(callId, approved));
      return given;
    },
  };
  const fields = tool({ ...options, name: "fields", input: z.object({ value: z.unknown() }) });
  const whole = tool({ ...options, name: "whole", input: { type: "object" } });
  return { tools: [fields, whole] as Tool[], ran };
}

interface Held extends Watched {
  readonly decided: (Seen & Decision)[];
  readonly outcome: Outcome;
  readonly records: readonly JournalRecord[];
}

interface Plan {
  readonly effect: Effect | undefined;
  readonly hooks?: readonly Hook[];
  /** True if the call is allowed. */
  readonly allows?: (call: FrozenCall) => boolean;
  readonly wait?: () => Promise<void>;
}

/** Makes the calls in one reply, under a permission that stores each input it saw and tries to change it afterwards. */
async function hold(calls: readonly ReturnType<typeof call>[], plan: Plan): Promise<Held> {
  const { effect, hooks = [], allows = () => true, wait = () => Promise.resolve() } = plan;
  const { tools, ran } = makeTools(effect, wait);
  const decided: (Seen & Decision)[] = [];
  const permission: Permission = {
    async decide(asked, { preview }) {
      if (asked.name === "task_completion") return { allowed: true, reason: "it ends the run" };
      const seen = see(asked.id, asked.input);
      expect(await preview()).toBe("as it is");
      vandalize(asked);
      await wait();
      const decision = { allowed: allows(asked), reason: "so it is" };
      decided.push({ ...seen, ...decision });
      vandalize(asked);
      return decision;
    },
  };
  const agent = createAgent({
    model: scriptedModel([calls, [done]]),
    tools: [...tools, taskCompletion()],
    permission,
    hooks,
    secrets: false,
  });
  const outcome = (await agent.run("Go.")) as Outcome;
  if (outcome.status === "failed") throw outcome.fault;
  expect(outcome.status).toBe("completed");
  assertWellFormed(outcome.session.records);
  return { tools, ran, decided, outcome, records: outcome.session.records };
}

/** Expects that each allowed call ran once, with the same object and the same bytes. */
function expectFaithful({ ran, decided }: Held): void {
  const allowed = decided.filter(({ allowed: isAllowed }) => isAllowed);
  expect(ran).toHaveLength(allowed.length);
  expect(new Set(decided.map(({ id }) => id)).size).toBe(decided.length);
  for (const one of ran) {
    const decision = allowed.find(({ id }) => id === one.id);
    expect(one.input === decision?.input).toBe(true);
    expect(one.json === decision?.json).toBe(true);
    expect(JSON.stringify(one.input) === one.json).toBe(true);
  }
}

const effects = fc.constantFrom<Effect | undefined>("none", "read", "write", "execute", "network", undefined);
const names = fc.constantFrom("fields", "whole");
const input = fc.tuple(names, json).map(([name, value]) => call(name, { value }));

function waits(times: readonly number[]): () => Promise<void> {
  let at = 0;
  return () => sleep(times[at++ % times.length]);
}

const times = fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 7 });

describe("the input that was decided about is the input that runs", () => {
  test("the very object, its JSON unchanged, whatever tries to change it; and a call that was denied never runs", async () => {
    const property = fc.asyncProperty(
      fc.array(input, { minLength: 1, maxLength: 6 }),
      effects,
      times,
      fc.array(fc.boolean(), { minLength: 1, maxLength: 5 }),
      async (calls, effect, delays, answers) => {
        let at = 0;
        const meddling: Hook = {
          async *call(frozen, next) {
            vandalize(frozen);
            const execution = yield* next(frozen);
            vandalize(frozen);
            return execution;
          },
        };
        const held = await hold(calls, {
          effect,
          hooks: [meddling, meddling],
          allows: () => answers[at++ % answers.length] === true,
          wait: waits(delays),
        });
        expectFaithful(held);
        // Half a character that a model wrote is mended as its reply is read.
        const asked = calls.map(({ input: given }) => JSON.stringify(soundData(given, wellFormed)));
        expect(held.decided.map((one) => one.json).sort()).toEqual([...asked].sort());
        const results = held.records.flatMap((record) => (record.type === "result" ? [record.result] : []));
        const ids = held.records
          .flatMap((record) => (record.type === "reply" ? record.reply.calls : []))
          .map(({ id }) => id);
        // Each call has its own result, in whatever order the calls ended.
        for (const [index, given] of asked.entries()) {
          const result = results.find(({ callId }) => callId === ids[index]);
          const decision = held.decided.find(({ id }) => id === ids[index]);
          expect(decision?.json === given).toBe(true);
          expect(result?.ok).toBe(decision?.allowed);
          if (result?.ok === true) expect(result.text === given).toBe(true);
          else expect(result?.text).toContain("so it is");
        }
      },
    );
    await fc.assert(property, { numRuns: 150 });
  }, 60_000);

  test("a call that a hook changed is decided about anew, and then nobody changes it, not even the hook", async () => {
    const property = fc.asyncProperty(
      json,
      json,
      effects,
      names,
      times,
      fc.boolean(),
      async (given, other, effect, name, delays, allowed) => {
        const wait = waits(delays);
        const changing: Hook = {
          async *call(frozen, next) {
            const changed = { value: structuredClone(other), more: { deep: ["a"] } };
            const passed = { ...frozen, name, input: name === "whole" ? changed : { value: changed } };
            const late = setTimeout(() => {
              vandalize(passed);
              vandalize(changed);
            }, 0);
            const execution = yield* next(passed);
            clearTimeout(late);
            return execution;
          },
        };
        const held = await hold([call("fields", { value: given })], {
          effect,
          hooks: [
            {
              call: (frozen, next, signal) =>
                frozen.name === "task_completion" ? next(frozen) : changing.call!(frozen, next, signal, undefined),
            },
          ],
          allows: () => allowed,
          wait,
        });
        expectFaithful(held);
        const changed = { value: other, more: { deep: ["a"] } };
        expect(held.decided.map((one) => one.json)).toEqual([
          JSON.stringify(name === "whole" ? changed : { value: changed }),
        ]);
      },
    );
    await fc.assert(property, { numRuns: 100 });
  }, 60_000);

  test("a value from a hook that is not JSON is converted to its JSON once", async () => {
    class Mutable {
      value = "good";
    }
    let looks = 0;
    const mutable = new Mutable();
    const inputs: unknown[] = [
      {
        get value() {
          return String((looks += 1));
        },
      },
      { value: mutable },
      mutable,
      new Proxy({ value: "" }, { get: (_target, name) => (name === "value" ? String((looks += 1)) : undefined) }),
    ];
    for (const passed of inputs) {
      const passing: Hook = {
        async *call(frozen, next) {
          return yield* next(frozen.name === "whole" ? { ...frozen, input: passed } : frozen);
        },
      };
      const held = await hold([call("whole", {})], {
        effect: "execute",
        hooks: [passing],
        wait: () => {
          mutable.value = "evil";
          return Promise.resolve();
        },
      });
      expectFaithful(held);
      expect(held.ran).toHaveLength(1);
      mutable.value = "good";
    }
  });

  test("reads side by side do not mix up what they are given and what they make", async () => {
    const property = fc.asyncProperty(
      fc.array(json, { minLength: 5, maxLength: 12 }),
      times,
      async (values, delays) => {
        let [open, most] = [0, 0];
        const wait = waits(delays);
        const held = await hold(
          values.map((value, index) => call("whole", { index, value })),
          {
            effect: "read",
            wait: async () => {
              most = Math.max(most, ++open);
              await wait();
              open -= 1;
            },
          },
        );
        expectFaithful(held);
        expect(most).toBeGreaterThan(1);
        const results = held.records.flatMap((record) => (record.type === "result" ? [record.result] : []));
        for (const [index, value] of values.entries())
          expect(results[index]?.text === JSON.stringify(soundData({ index, value }, wellFormed))).toBe(true);
      },
    );
    await fc.assert(property, { numRuns: 40 });
  }, 60_000);
});

describe("reach and preview", () => {
  interface Tried {
    readonly ran: unknown[];
    readonly result: string;
    readonly records: readonly JournalRecord[];
  }

  async function attempt(options: Partial<Tool>, permission: Permission): Promise<Tried> {
    const ran: unknown[] = [];
    const own = tool({
      name: "own",
      description: "Own",
      input: z.object({ path: z.string() }),
      effect: "write",
      run: (_value, { approved }) => void ran.push(approved),
    }) as Tool;
    const model = scriptedModel([[call("own", { path: "a" })], [done]]);
    const agent = createAgent({ model, tools: [{ ...own, ...options }, taskCompletion()] as const, permission });
    const { session, status } = await agent.run("Go.");
    expect(status).toBe("completed");
    const { records } = session;
    const result = records.find((record) => record.type === "result");
    return { ran, result: result?.type === "result" ? result.result.text : "", records };
  }

  const fails = (): never => {
    throw new Error("the path is too odd");
  };

  test("a tool that can't say what a call concerns runs nothing, nobody is asked, and the model is told", async () => {
    const decide = vi.fn<Permission["decide"]>(() => ({ allowed: true, reason: "yes" }));
    const { ran, result, records } = await attempt({ reach: fails }, { decide });
    expect(ran).toEqual([]);
    expect(result).toContain("What it concerns can't be said, so it was not run: the path is too odd");
    expect(decide.mock.calls.filter(([{ name }]) => name === "own")).toEqual([]);
    expect(records.filter(({ type }) => type === "intent")).toEqual([]);
  });

  test.each([
    ["throws", fails],
    ["rejects", () => Promise.reject(new Error("the path is too odd"))],
  ])("a preview that %s lets nothing through by itself", async (_how, preview) => {
    const looks: Approver = async (_call, asking) => (await asking.preview()) !== "";
    const asks = await attempt(
      { preview, reach: () => ({ command: "make it" }) },
      gate({ root: emptyRoot, approver: looks }),
    );
    expect(asks.ran).toEqual([]);
    expect(asks.result).toContain("the path is too odd");
    const own = await attempt(
      { preview },
      { decide: async (_call, deciding) => ({ allowed: (await deciding.preview()) !== "", reason: "" }) },
    );
    expect(own.ran).toEqual([]);
    // An approver that does not read the preview and says yes has said yes.
    const all = await attempt(
      { preview, reach: () => ({ command: "make it" }) },
      gate({ root: emptyRoot, approver: () => true }),
    );
    expect(all.ran).toEqual([{ path: "a" }]);
  });

  test("no preview is made unless somebody asks for it", async () => {
    const preview = vi.fn(() => "as it is");
    await attempt({ preview }, { decide: () => ({ allowed: true, reason: "yes" }) });
    expect(preview).not.toHaveBeenCalled();
  });
});

describe("an agent in a tool", () => {
  interface Both {
    readonly ran: unknown[];
    readonly outer: readonly FrozenCall[];
    readonly inner: readonly FrozenCall[];
    readonly order: readonly string[];
    readonly prepared: readonly (readonly string[])[];
    readonly reason: unknown;
  }

  async function delegate(allowed: { readonly outer: boolean; readonly inner: boolean }): Promise<Both> {
    const asked: Record<"outer" | "inner", FrozenCall[]> = { outer: [], inner: [] };
    const order: string[] = [];
    const prepared: (readonly string[])[] = [];
    const permissionOf = (who: "outer" | "inner"): Permission => ({
      async decide(one) {
        await sleep(1);
        if (one.name !== "work") return { allowed: true, reason: "it is no work" };
        asked[who].push(one);
        order.push(who);
        vandalize(one);
        return { allowed: allowed[who], reason: `the ${who} one says so` };
      },
      prepare: (names) => void prepared.push([who, ...names]),
    });
    const ran: unknown[] = [];
    const work = tool({
      name: "work",
      description: "Works",
      input: { type: "object" },
      effect: "execute",
      run: (_value, { approved }) => void ran.push(approved),
    });
    const child = createAgent({
      model: scriptedModel([[call("work", { value: ["x"] })], [done]]),
      tools: [work, taskCompletion()] as const,
      permission: permissionOf("inner"),
    });
    let reason: unknown;
    const hand = tool({
      name: "hand",
      description: "Hands it on",
      input: z.object({}),
      run: async (_input, context) => {
        const { session } = await child.run("Go.", { session: await context.child() });
        reason = session.records.find((record) => record.type === "decision" && record.reason.includes("one says"));
      },
    });
    const agent = createAgent({
      model: scriptedModel([[call("hand", {})], [done]]),
      tools: [hand, taskCompletion()] as const,
      permission: permissionOf("outer"),
    });
    const outcome = await agent.run("Go.");
    expect(outcome.status).toBe("completed");
    return { ran, ...asked, order, prepared, reason };
  }

  test.each([
    { outer: true, inner: true },
    { outer: true, inner: false },
    { outer: false, inner: true },
    { outer: false, inner: false },
  ])("is held to both permissions: %j", async (allowed) => {
    const { ran, outer, inner, order, reason } = await delegate(allowed);
    const isAllowed = allowed.outer && allowed.inner;
    expect(ran).toEqual(isAllowed ? [{ value: ["x"] }] : []);
    expect(reason).toMatchObject({ allowed: isAllowed });
    // The first no is final.
    expect(order.length).toBe(isAllowed || allowed[order[0] as "outer"] ? 2 : 1);
    for (const one of [...outer, ...inner]) expect(one.input).toEqual({ value: ["x"] });
    if (isAllowed) expect([outer[0] === inner[0], outer[0]?.input === ran[0]]).toEqual([true, true]);
  });

  test("each permission is told the tools of its own agent", async () => {
    const { prepared } = await delegate({ outer: true, inner: true });
    expect(prepared).toEqual([
      ["inner", "task_completion", "work"],
      ["outer", "hand", "task_completion"],
    ]);
  });

  test("of several permissions the first no is the answer, in whatever order, and what is unclear is a no", async () => {
    const answer = fc.constantFrom<unknown>(true, false, "unclear", undefined, "throws");
    const deciding = { signal: new AbortController().signal, session: "s", preview: () => Promise.resolve(undefined) };
    const one: FrozenCall = { id: "1", name: "own", effect: "write", input: {} };
    const property = fc.asyncProperty(fc.array(answer, { maxLength: 5 }), async (answers) => {
      const asked: number[] = [];
      const permissions = answers.map((given, index): Permission => ({
        decide() {
          asked.push(index);
          if (given === "throws") throw new Error("it is gone");
          return typeof given === "boolean" ? { allowed: given, reason: String(index) } : (given as Decision);
        },
      }));
      const decision = await Promise.resolve()
        .then(() => everyOf(permissions).decide(one, deciding))
        .catch((): Decision => ({ allowed: false, reason: "it threw" }));
      const first = answers.findIndex((given) => given !== true);
      const isAllowed = answers.length > 0 && first === -1;
      expect((decision as Partial<Decision> | undefined)?.allowed === true).toBe(isAllowed);
      expect(asked).toEqual([...answers.keys()].slice(0, first === -1 ? answers.length : first + 1));
    });
    await fc.assert(property, { numRuns: 200 });
  });
});
