// Approvals that come later: the run ends on the call, somebody answers, and the very call runs once.

import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  createAgent,
  outcomeOf,
  tool,
  type AnyPermission,
  type Event,
  type Hook,
  type JournalRecord,
  type Later,
  type OpenSession,
  type Session,
} from "../../src/index.js";
import { fileStore, forkSession, memoryStore, openSession } from "../../src/memory/index.js";
import { askFirst } from "../../src/approval/index.js";
import { assertWellFormed, call, scriptedModel, type Script } from "../../src/testing/index.js";
import { taskCompletion } from "../../src/tools/index.js";
import { temporaryFolder } from "../memory/store-places.js";

const done = [call("task_completion", { result: "Done." })];
const pay = [call("pay", { cents: 500 })];
const later: Later = { later: true, reason: "money leaves the house" };

/** A tool that pays, and everything that was paid: the id of the call and the amount. */
function till() {
  const paid: (readonly [id: string, cents: number])[] = [];
  const tools = [
    tool({
      name: "pay",
      description: "Pays.",
      input: z.object({ cents: z.int() }),
      effect: "network",
      preview: ({ cents }) => `pays ${String(cents)} cents`,
      run: ({ cents }, { callId }) => {
        paid.push([callId, cents]);
        return "paid";
      },
    }),
    tool({ name: "peek", description: "Looks.", input: z.object({}), effect: "read", run: () => "seen" }),
    taskCompletion(),
  ] as const;
  return { paid, tools };
}

/** A permission that answers later about everything but reads and the end, and takes the answer. */
function parking(reply: Later = later): AnyPermission & { readonly asked: (boolean | undefined)[] } {
  const asked: (boolean | undefined)[] = [];
  return {
    asked,
    decide(frozen, { approval }) {
      if (frozen.effect === "read" || frozen.effect === "none") return { allowed: true, reason: "it is harmless" };
      asked.push(approval?.allowed);
      return approval ?? reply;
    },
  };
}

type Till = ReturnType<typeof till>;

/** A new agent, as another process has it. */
function agentOf(
  { tools }: Till,
  script: Script,
  more: { readonly permission?: AnyPermission; readonly hooks?: readonly Hook[] } = {},
) {
  return createAgent({ model: scriptedModel(script), tools, permission: parking(), ...more });
}

/** Runs a task up to the call that waits. */
async function parked(shop: Till, session: OpenSession, permission: AnyPermission = parking(), script: Script = [pay]) {
  const outcome = await agentOf(shop, script, { permission }).run("Pay.", { session });
  if (outcome.status !== "waiting") throw new Error(JSON.stringify({ ...outcome, session: undefined }));
  return outcome;
}

const typesOf = (records: readonly JournalRecord[]): readonly string[] => records.map(({ type }) => type);

/** Checks the journal against the oracle, and that a read of it gives the same outcome. */
function expectWhole({ records, ...session }: Session, { tools }: Till, hooks = false): void {
  assertWellFormed(records, { tools, hooks });
  expect(outcomeOf({ ...session, records })).toBeDefined();
}

describe("a call whose approval comes later", () => {
  test("ends the run: the outcome has the tool, the input, the reason, the preview and the digest", async () => {
    const shop = till();
    const outcome = await parked(shop, openSession({ store: memoryStore(), id: "s" }));
    expect(outcome).toMatchObject({
      by: "pay",
      input: { cents: 500 },
      approval: {
        why: "money leaves the house",
        preview: "pays 500 cents",
        digest: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
      },
    });
    expect(outcome.id).toMatch(/\/1\/call:1:0$/);
    expect(shop.paid).toEqual([]);
    expect(typesOf(outcome.session.records)).toEqual(["input", "reply", "parked", "outcome"]);
    expectWhole(outcome.session, shop);
  });

  test("runs once under its own id when another process says yes", async () => {
    await using folder = await temporaryFolder();
    const shop = till();
    const { id, approval } = await parked(shop, openSession({ store: fileStore(folder.path), id: "s" }));
    const session = openSession({ store: fileStore(folder.path), id: "s" });
    const waiting = await agentOf(shop, []).waiting(session);
    expect(waiting).toEqual({ by: "pay", id, input: { cents: 500 }, approval });
    const permission = parking();
    const answer = { allowed: true, digest: approval?.digest ?? "" };
    const outcome = await agentOf(shop, [done], { permission }).run(answer, { session, answers: id });
    expect(outcome).toMatchObject({ status: "completed", inputs: ["Pay."], iterations: 1 });
    expect(shop.paid).toEqual([[id, 500]]);
    expect(permission.asked).toEqual([true]);
    const types = typesOf(outcome.session.records).slice(3);
    expect(types.slice(0, 6)).toEqual(["outcome", "approval", "decision", "intent", "result", "iteration"]);
    expectWhole(outcome.session, shop);
  });

  test("is told to the model as refused when somebody says no, with the reason", async () => {
    const shop = till();
    const session = openSession({ store: memoryStore(), id: "s" });
    const { id } = await parked(shop, session);
    const model = scriptedModel([done]);
    const agent = createAgent({ model, tools: shop.tools, permission: parking() });
    const outcome = await agent.run({ allowed: false, reason: "that is too much" }, { session, answers: id });
    expect(outcome.status).toBe("completed");
    expect(shop.paid).toEqual([]);
    expect(JSON.stringify(model.requests[0]?.messages)).toContain("This call was not allowed: that is too much.");
    expectWhole(outcome.session, shop);
  });

  test("is refused by plain words, which the model reads", async () => {
    const shop = till();
    const session = openSession({ store: memoryStore(), id: "s" });
    await parked(shop, session);
    const model = scriptedModel([done]);
    const agent = createAgent({ model, tools: shop.tools, permission: parking() });
    const outcome = await agent.run("Yes, but only 100 cents.", { session });
    expect(outcome).toMatchObject({ status: "completed", inputs: ["Pay.", "Yes, but only 100 cents."] });
    expect(shop.paid).toEqual([]);
    expect(JSON.stringify(model.requests[0]?.messages)).toContain("the user said no, and: Yes, but only 100 cents.");
    expectWhole(outcome.session, shop);
  });

  test("is refused by a text that looks like an answer: only an object is a yes", async () => {
    const shop = till();
    const session = openSession({ store: memoryStore(), id: "s" });
    await parked(shop, session);
    await agentOf(shop, [done]).run('{"allowed":true}', { session });
    expect(shop.paid).toEqual([]);
  });

  test("takes no other object for an answer, and then nothing is changed", async () => {
    const shop = till();
    const session = openSession({ store: memoryStore(), id: "s" });
    const { id } = await parked(shop, session);
    const before = (await session.toJSON()).records;
    const wrong: [object, string][] = [
      [{}, "allowed is neither true nor false"],
      [{ allowed: "yes" }, "allowed is neither true nor false"],
      [{ allowed: true, reason: 7 }, "reason is no text"],
      [{ allowed: true, always: 1 }, "always is neither true nor false"],
      [{ allowed: true, alwayss: true }, "there is no field alwayss"],
      [{ allowed: true, digest: "0".repeat(64) }, "look at the call, and answer again"],
    ];
    for (const [input, words] of wrong) {
      const outcome = await agentOf(shop, []).run(input as { allowed: true }, { session, answers: id });
      expect(outcome).toMatchObject({ status: "failed", fault: { code: "configuration" } });
      expect((outcome as { readonly message: string }).message).toContain(words);
    }
    const stale = await agentOf(shop, []).run({ allowed: true }, { session, answers: `${id}0` });
    expect(stale).toMatchObject({ status: "failed", fault: { code: "configuration" } });
    expect(await agentOf(shop, []).resume(session)).toMatchObject({
      status: "failed",
      message: expect.stringContaining("waits for an approval of pay") as string,
    });
    expect((await session.toJSON()).records).toEqual(before);
    expect(shop.paid).toEqual([]);
  });

  test("runs once although the answer is given twice: the second caller gets the same outcome and no usage", async () => {
    const shop = till();
    const session = openSession({ store: memoryStore(), id: "s" });
    const { id } = await parked(shop, session);
    const answers = await Promise.all([
      agentOf(shop, [done]).run({ allowed: true }, { session, answers: id }),
      agentOf(shop, [done]).run({ allowed: true }, { session, answers: id }),
      agentOf(shop, [done]).run({ allowed: false }, { session, answers: id }),
    ]);
    expect(shop.paid).toEqual([[id, 500]]);
    expect(answers.map(({ status }) => status)).toEqual(["completed", "completed", "completed"]);
    expect(answers.filter(({ joined }) => joined === true)).toHaveLength(2);
  });

  test("counts each reply in one outcome", async () => {
    const usage = { inputTokens: 10, cachedInputTokens: 0, outputTokens: 5, reasoningTokens: 0 };
    const shop = till();
    const session = openSession({ store: memoryStore(), id: "s" });
    const script = [{ calls: pay, usage }];
    const first = await parked(shop, session, parking(), script);
    const second = await agentOf(shop, [{ calls: done, usage }]).run({ allowed: true }, { session, answers: first.id });
    expect([first.usage, second.usage]).toEqual([usage, usage]);
    expect([first.iterations, second.iterations]).toEqual([1, 1]);
    expect(outcomeOf(second.session)).toMatchObject({ usage, iterations: 1 });
  });

  test("may be followed by another one, and answered by its own id alone", async () => {
    const shop = till();
    const session = openSession({ store: memoryStore(), id: "s" });
    const first = await parked(shop, session);
    const second = await agentOf(shop, [pay]).run({ allowed: true }, { session, answers: first.id });
    if (second.status !== "waiting") throw new Error(second.status);
    expect(second.id).not.toBe(first.id);
    const again = await agentOf(shop, []).run({ allowed: true }, { session, answers: first.id });
    expect(again).toMatchObject({ status: "waiting", id: second.id, joined: true });
    expect(shop.paid).toHaveLength(1);
    const last = await agentOf(shop, [done]).run({ allowed: true }, { session, answers: second.id });
    expect(last.status).toBe("completed");
    expect(shop.paid.map(([id]) => id)).toEqual([first.id, second.id]);
    expectWhole(last.session, shop);
  });

  test("holds up the later calls of its reply, which run after it", async () => {
    const shop = till();
    const session = openSession({ store: memoryStore(), id: "s" });
    const script = [[call("pay", { cents: 1 }), call("pay", { cents: 2 }), call("peek", {})]];
    const first = await parked(shop, session, parking(), script);
    expect(typesOf(first.session.records)).toEqual(["input", "reply", "parked", "outcome"]);
    const second = await agentOf(shop, []).run({ allowed: true }, { session, answers: first.id });
    if (second.status !== "waiting") throw new Error(second.status);
    expect(second).toMatchObject({ input: { cents: 2 } });
    const third = await agentOf(shop, [done]).run({ allowed: true }, { session, answers: second.id });
    expect(third.status).toBe("completed");
    expect(shop.paid.map(([, cents]) => cents)).toEqual([1, 2]);
    expectWhole(third.session, shop);
  });

  test("may be a read beside others: these get their results, and each that waits is answered for itself", async () => {
    const shop = till();
    const session = openSession({ store: memoryStore(), id: "s" });
    const script = [[call("peek", {}), call("peek", {}), call("peek", {}), call("pay", { cents: 1 })]];
    const permission: AnyPermission = {
      decide: ({ id, name }, { approval }) =>
        name === "peek" && id.endsWith(":0") ? { allowed: true, reason: "fine" } : (approval ?? later),
    };
    let outcome = await parked(shop, session, permission, script);
    expect(typesOf(outcome.session.records)).toEqual(expect.arrayContaining(["decision", "result"]));
    const ids: string[] = [];
    for (const step of [[], [], [done]]) {
      ids.push(outcome.id);
      const next = await agentOf(shop, step, { permission }).run({ allowed: true }, { session, answers: outcome.id });
      expectWhole(next.session, shop);
      if (next.status !== "waiting") break;
      outcome = next;
    }
    // The agents of these steps have no more replies: the completion waits as well.
    expect(ids.map((id) => id.slice(-1))).toEqual(["1", "2", "3"]);
    expect(shop.paid).toHaveLength(1);
  });

  test("may be the claim that ends the run", async () => {
    const shop = till();
    const session = openSession({ store: memoryStore(), id: "s" });
    const permission: AnyPermission = { decide: (_call, { approval }) => approval ?? later };
    const { id, by } = await parked(shop, session, permission, [done]);
    expect(by).toBe("task_completion");
    const outcome = await agentOf(shop, [], { permission }).run({ allowed: true }, { session, answers: id });
    expect(outcome).toMatchObject({ status: "completed", value: { result: "Done." } });
    expectWhole(outcome.session, shop);
  });

  test("waits in plain sessions as well, without any store", async () => {
    const shop = till();
    const first = await agentOf(shop, [pay]).run("Pay.");
    const session = JSON.parse(JSON.stringify(first.session)) as Session;
    const outcome = await agentOf(shop, [done]).run({ allowed: true }, { session });
    expect(outcome.status).toBe("completed");
    expect(shop.paid).toHaveLength(1);
  });

  test("does not hold up another session of the same agent, if its approver never answers", async () => {
    const shop = till();
    const permission = askFirst((_call, { session }) =>
      session === "slow" ? new Promise<boolean>(() => undefined) : true,
    );
    const agent = createAgent({ model: scriptedModel([pay, pay, done]), tools: shop.tools, permission });
    const store = memoryStore();
    const stop = new AbortController();
    const slow = agent.run("Pay.", { session: openSession({ store, id: "slow" }), signal: stop.signal });
    await expect(agent.run("Pay.", { session: openSession({ store, id: "quick" }) })).resolves.toMatchObject({
      status: "completed",
    });
    stop.abort();
    expect((await slow).status).toBe("aborted");
  });

  test("leaves another session of the same agent free while it is parked", async () => {
    const shop = till();
    const store = memoryStore();
    const agent = agentOf(shop, [pay, pay, done]);
    const slow = openSession({ store, id: "slow" });
    expect((await agent.run("Pay.", { session: slow })).status).toBe("waiting");
    const quick = openSession({ store, id: "quick" });
    const { id, status } = (await agent.run("Pay.", { session: quick })) as { id: string; status: string };
    expect(status).toBe("waiting");
    expect((await agent.run({ allowed: true }, { session: quick, answers: id })).status).toBe("completed");
    expect((await slow.waiting())?.id).toMatch(/^slow\//);
  });
});

describe("the permission", () => {
  test("is asked again with the answer, and a rule that was added since beats the yes", async () => {
    const shop = till();
    const session = openSession({ store: memoryStore(), id: "s" });
    const { id } = await parked(shop, session);
    const permission: AnyPermission = {
      decide: ({ name }) => ({ allowed: name !== "pay", reason: "nothing is paid in May" }),
    };
    const outcome = await agentOf(shop, [done], { permission }).run({ allowed: true }, { session, answers: id });
    expect(outcome.status).toBe("completed");
    expect(shop.paid).toEqual([]);
    expect(outcome.session.records).toContainEqual(
      expect.objectContaining({ type: "decision", allowed: false, reason: "nothing is paid in May" }),
    );
  });

  test("can't overrule a no", async () => {
    const shop = till();
    const session = openSession({ store: memoryStore(), id: "s" });
    const { id } = await parked(shop, session);
    const permission: AnyPermission = { decide: () => ({ allowed: true, reason: "everything goes" }) };
    await agentOf(shop, [done], { permission }).run({ allowed: false }, { session, answers: id });
    expect(shop.paid).toEqual([]);
  });

  test("that answers later once more has refused the call: nothing waits twice", async () => {
    const shop = till();
    const session = openSession({ store: memoryStore(), id: "s" });
    const { id } = await parked(shop, session);
    const permission: AnyPermission = {
      decide: ({ name }) => (name === "pay" ? later : { allowed: true, reason: "fine" }),
    };
    const outcome = await agentOf(shop, [done], { permission }).run({ allowed: true }, { session, answers: id });
    expect(outcome.status).toBe("completed");
    expect(shop.paid).toEqual([]);
    expectWhole(outcome.session, shop);
  });

  test("is not asked at all about a call that a hook has changed since: the answer was about another one", async () => {
    const shop = till();
    const session = openSession({ store: memoryStore(), id: "s" });
    const { id } = await parked(shop, session);
    const raise: Hook = {
      call: (frozen, next) => next(frozen.name === "pay" ? { ...frozen, input: { cents: 9000 } } : frozen),
    };
    const permission = parking();
    const agent = agentOf(shop, [done], { permission, hooks: [raise] });
    const outcome = await agent.run({ allowed: true }, { session, answers: id });
    expect(outcome.status).toBe("completed");
    expect([shop.paid, permission.asked]).toEqual([[], []]);
  });

  test("judges the input that a hook made, and that input waits and runs", async () => {
    const shop = till();
    const session = openSession({ store: memoryStore(), id: "s" });
    const lower: Hook = {
      call: (frozen, next) => next(frozen.name === "pay" ? { ...frozen, input: { cents: 5 } } : frozen),
    };
    const first = await agentOf(shop, [pay], { hooks: [lower] }).run("Pay.", { session });
    expect(first).toMatchObject({ status: "waiting", input: { cents: 5 } });
    await agentOf(shop, [done], { hooks: [lower] }).run({ allowed: true }, { session });
    expect(shop.paid.map(([, cents]) => cents)).toEqual([5]);
  });

  test("waits once although a hook tries the call again", async () => {
    const shop = till();
    const session = openSession({ store: memoryStore(), id: "s" });
    const twice: Hook = {
      async *call(frozen, next) {
        const first = yield* next(frozen);
        return first.ok ? first : yield* next(frozen);
      },
    };
    const first = await agentOf(shop, [pay], { hooks: [twice] }).run("Pay.", { session });
    expect(typesOf(first.session.records)).toEqual(["input", "reply", "parked", "outcome"]);
  });
});

describe("the time of an approval", () => {
  const soon: Later = { ...later, expiresAfter: 1 };
  const over = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 10));

  test("counts from when the answer was given, also by a clock that is ahead of ours", async () => {
    const shop = till();
    const minute: Later = { ...later, expiresAfter: 60_000 };
    const session = openSession({ store: memoryStore(), id: "s" });
    const { approval } = await parked(shop, session, parking(minute));
    const expiresAt = approval.expiresAt!;
    const givenAt = expiresAt + 1e12;
    const agent = createAgent({ model: scriptedModel([done]), tools: shop.tools, permission: parking() });
    expect((await agent.run({ allowed: true }, { session, givenAt })).status).toBe("failed");
    const outcome = await agent.run("And now?", { session, givenAt });
    expect(outcome).toMatchObject({ status: "completed", inputs: ["And now?"] });
    expect(shop.paid).toEqual([]);
    expectWhole(outcome.session, shop);
    // The journal's time passes to the end of the wait, and no further: a wrong clock spoils no later question.
    expect(outcome.session.records.at(-1)!.at).toBe(expiresAt);
  });

  test("is not over for an answer that waits for a busy session meanwhile", async () => {
    const shop = till();
    const store = memoryStore();
    const session = openSession({ store, id: "s" });
    const { id } = await parked(shop, session, parking({ ...later, expiresAfter: 150 }));
    const busy = (await session.lease())!;
    const agent = createAgent({ model: scriptedModel([done]), tools: shop.tools, permission: parking() });
    const answered = agent.run({ allowed: true }, { session: openSession({ store, id: "s" }), answers: id });
    await new Promise((resolve) => setTimeout(resolve, 250));
    await busy.release();
    expect((await answered).status).toBe("completed");
    expect(shop.paid).toHaveLength(1);
    expectWhole(await session.toJSON(), shop);
  });

  test("is in time if the answer was given in time, however late it comes", async () => {
    const shop = till();
    const session = openSession({ store: memoryStore(), id: "s" });
    const { id, approval } = await parked(shop, session, parking(soon));
    await over();
    const agent = createAgent({ model: scriptedModel([done]), tools: shop.tools, permission: parking() });
    const givenAt = approval.expiresAt! - 1;
    expect((await agent.run({ allowed: true }, { session, answers: id, givenAt })).status).toBe("completed");
    expect(shop.paid).toHaveLength(1);
    expectWhole(await session.toJSON(), shop);
  });

  test("can be over: the answer is refused, and the model is told with the next words that nobody approved", async () => {
    const shop = till();
    const session = openSession({ store: memoryStore(), id: "s" });
    const { id, approval } = await parked(shop, session, parking(soon));
    expect(approval?.expiresAt).toBeGreaterThan(0);
    await over();
    expect(await session.waiting()).toBeUndefined();
    expect(await agentOf(shop, []).waiting(session)).toBeUndefined();
    const before = (await session.toJSON()).records;
    const stale = await agentOf(shop, []).run({ allowed: true }, { session, answers: id });
    expect(stale).toMatchObject({ status: "failed", fault: { code: "configuration" } });
    expect((await agentOf(shop, []).run({ allowed: true }, { session })).status).toBe("failed");
    expect((await session.toJSON()).records).toEqual(before);
    const model = scriptedModel([done]);
    const agent = createAgent({ model, tools: shop.tools, permission: parking() });
    const outcome = await agent.run("And now?", { session });
    expect(outcome).toMatchObject({ status: "completed", inputs: ["And now?"] });
    const prompt = JSON.stringify(model.requests[0]?.messages);
    expect(prompt).toContain("This call was not allowed: nobody approved it in time.");
    expect(prompt).toContain("And now?");
    expect(shop.paid).toEqual([]);
    expectWhole(outcome.session, shop);
  });

  test("can be over: resume goes on without an answer", async () => {
    const shop = till();
    const session = openSession({ store: memoryStore(), id: "s" });
    await parked(shop, session, parking(soon));
    await over();
    const outcome = await agentOf(shop, [done]).resume(session);
    expect(outcome.status).toBe("completed");
    expect(shop.paid).toEqual([]);
    expectWhole(outcome.session, shop);
  });
});

describe("a clean abort", () => {
  /** Aborts at the first event that fits. */
  const abortAt = (fits: (event: Event) => boolean) => {
    const stop = new AbortController();
    const onEvent = (event: Event): void => {
      if (fits(event)) stop.abort();
    };
    return { signal: stop.signal, onEvent };
  };

  test("of the one who asked leaves the call parked, and it can still be approved", async () => {
    const shop = till();
    const session = openSession({ store: memoryStore(), id: "s" });
    const first = await agentOf(shop, [pay]).run("Pay.", { session, ...abortAt(({ type }) => type === "call-parked") });
    expect(["aborted", "waiting"]).toContain(first.status);
    const waiting = await session.waiting();
    expect(waiting?.by).toBe("pay");
    const outcome = await agentOf(shop, [done]).run({ allowed: true }, { session, answers: waiting?.id });
    expect(outcome.status).toBe("completed");
    expect(shop.paid).toHaveLength(1);
    expectWhole(outcome.session, shop);
  });

  test("of the one who answered, before the call began, leaves it to resume: it runs once, and nobody is asked again", async () => {
    const shop = till();
    const session = openSession({ store: memoryStore(), id: "s" });
    const { id } = await parked(shop, session);
    const options = { session, answers: id, ...abortAt(({ type }) => type === "call-start") };
    const second = await agentOf(shop, []).run({ allowed: true }, options);
    expect(second.status).toBe("aborted");
    expect(shop.paid).toEqual([]);
    expectWhole(second.session, shop);
    const permission = parking();
    const outcome = await agentOf(shop, [done], { permission }).resume(session);
    expect(outcome.status).toBe("completed");
    expect(permission.asked).toEqual([true]);
    expect(shop.paid).toEqual([[id, 500]]);
    expectWhole(outcome.session, shop);
  });

  test("of the one who answered, followed by new words, drops the call", async () => {
    const shop = till();
    const session = openSession({ store: memoryStore(), id: "s" });
    const { id } = await parked(shop, session);
    const options = { session, answers: id, ...abortAt(({ type }) => type === "call-start") };
    await agentOf(shop, []).run({ allowed: true }, options);
    const outcome = await agentOf(shop, [done]).run("Leave it.", { session });
    expect(outcome.status).toBe("completed");
    expect(shop.paid).toEqual([]);
    expectWhole(outcome.session, shop);
  });
});

describe("secrets", () => {
  test("are taken out of the reason and the preview, in the journal, the event and the outcome", async () => {
    const secret = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGH";
    const show = tool({
      name: "show",
      description: "Shows.",
      input: z.object({}),
      effect: "network",
      preview: () => `token ${secret}`,
      run: () => "shown",
    });
    const permission: AnyPermission = { decide: () => ({ later: true, reason: `it has ${secret}` }) };
    const agent = createAgent({
      model: scriptedModel([[call("show", {})]]),
      tools: [show, taskCompletion()],
      permission,
    });
    const events: Event[] = [];
    const outcome = await agent.run("Show.", { onEvent: (event) => void events.push(event) });
    expect(outcome.status).toBe("waiting");
    expect(JSON.stringify([outcome, events])).not.toContain(secret);
    expect(JSON.stringify(outcome)).toContain("[redacted");
  });
});

test("a fork of a session that waits has its own call: the yes in one is no yes in the other", async () => {
  const shop = till();
  const store = memoryStore();
  const session = openSession({ store, id: "s" });
  const { id } = await parked(shop, session);
  const copy = openSession({ store, id: await forkSession({ store, id: "s", to: "copy" }) });
  const other = await copy.waiting();
  expect(other?.id).not.toBe(id);
  expect((await agentOf(shop, [done]).run({ allowed: true }, { session, answers: id })).status).toBe("completed");
  const forked = await agentOf(shop, [done]).run({ allowed: true }, { session: copy, answers: other?.id });
  expect(forked.status).toBe("completed");
  expect(new Set(shop.paid.map(([call]) => call)).size).toBe(2);
  expectWhole(forked.session, shop);
});
