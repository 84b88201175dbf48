// The rules for answers to calls that wait, on sessions in a store.

import { expect, test } from "vitest";
import { createAgent, fourEyes, tool, type ApprovalOptions, type Principal } from "../../../src/index.js";
import { memoryStore, openSession } from "../../../src/memory/index.js";
import { call, scriptedModel, type Step } from "../../../src/testing/index.js";
import { delegate, taskCompletion } from "../../../src/tools/index.js";

const ann: Principal = { id: "ann", tenant: "acme", roles: ["finance"] };
const ben: Principal = { id: "ben", name: "Ben", tenant: "acme" };
const cas: Principal = { id: "cas", tenant: "acme", roles: ["finance"] };

/** An agent with the tool `pay`, which needs an approval, and the number of times that it paid. */
function made(approvals: ApprovalOptions | undefined, steps: readonly Step[] = [[call("pay", { to: "x" })], done]) {
  const paid: (string | undefined)[] = [];
  const pay = tool({
    name: "pay",
    description: "Pays.",
    input: { type: "object", properties: { to: { type: "string" } } },
    effect: "network",
    run: (_input, { principal }) => {
      paid.push(principal?.id);
      return "paid";
    },
  });
  const agent = createAgent({
    model: scriptedModel(steps),
    tools: [pay, taskCompletion()],
    permission: {
      decide: ({ name }, { approval }) =>
        name !== "pay" ? { allowed: true, reason: "an ending" } : (approval ?? { later: true, reason: "money" }),
    },
    ...(approvals && { approvals }),
  });
  const store = memoryStore();
  const session = openSession({ store, id: "s" });
  const records = async () => (await session.toJSON()).records;
  const answer = async (by: Principal | undefined, given: object | string = { allowed: true }) => {
    const waiting = await agent.waiting(session);
    return agent.run(given as { allowed: boolean }, { session, answers: waiting!.id, ...(by && { by }) });
  };
  const start = () => agent.run("pay x", { session, by: ann });
  return { agent, paid, session, records, answer, start, pay };
}

const done = [call("task_completion", { result: "done" })];

test("an answer of somebody who may not give it changes nothing, and says who may not and why", async () => {
  const calls: unknown[] = [];
  const { start, answer, records, paid } = made({
    mayApprove: (who, one) => {
      calls.push([who?.id, one.name, one.effect, one.input, one.principal?.id]);
      return who?.roles?.includes("finance") === true || "the role finance has to";
    },
  });
  await start();
  const before = await records();
  for (const [who, given, words] of [
    [ben, { allowed: true }, "Ben (ben of acme) may not approve or refuse pay"],
    [ben, { allowed: false }, "Ben (ben of acme) may not"],
    [ben, "do it later", "Ben (ben of acme) may not"],
    [undefined, { allowed: true }, "A caller without a name may not"],
  ] as const) {
    const outcome = await answer(who, given);
    expect(outcome).toMatchObject({ status: "failed", fault: { code: "not_allowed" } });
    expect(outcome.status === "failed" && outcome.message).toContain(words);
    expect(outcome.status === "failed" && outcome.message).toContain("the role finance has to. The call waits on.");
  }
  expect(await records()).toEqual(before);
  expect(paid).toEqual([]);
  expect(await answer(cas)).toMatchObject({ status: "completed" });
  expect(paid).toEqual(["ann"]);
  expect(calls.at(-1)).toEqual(["cas", "pay", "network", { to: "x" }, "ann"]);
});

test("a rule that throws, or that answers anything but true, refuses", async () => {
  for (const mayApprove of [
    () => false,
    () => "" as string,
    () => 1 as never,
    () => {
      throw new Error("down");
    },
  ]) {
    const { start, answer, paid } = made({ mayApprove });
    await start();
    expect(await answer(cas)).toMatchObject({ status: "failed", fault: { code: "not_allowed" } });
    expect(paid).toEqual([]);
  }
});

test("with four eyes nobody approves the call that they asked for", async () => {
  const { start, answer, paid } = made({ mayApprove: fourEyes });
  await start();
  for (const [who, words] of [
    [ann, "somebody else than the person who asked has to"],
    [undefined, "nobody says who approves it"],
  ] as const)
    expect((await answer(who)) as { message?: string }).toHaveProperty("message", expect.stringContaining(words));
  expect(paid).toEqual([]);
  expect((await answer(ben)).status).toBe("completed");
  expect(paid).toEqual(["ann"]);
});

test("four eyes refuse a call that nobody with a name asked for", () => {
  const one = { id: "c", name: "pay", effect: undefined, input: {} };
  expect(fourEyes(ben, one)).toContain("nobody knows who asked");
  expect(fourEyes({ id: "ann", tenant: "initech" }, { ...one, principal: ann })).toBe(true);
});

test("a call with a quorum of two runs when two people have said yes, and shows who did", async () => {
  const { agent, start, answer, paid, session, records } = made({ quorum: 2 });
  expect(await start()).toMatchObject({ approval: { quorum: { needed: 2, given: [], missing: 2 } } });
  const people = { needed: 2, given: [ben], missing: 1 };
  expect(await answer(ben)).toMatchObject({ status: "waiting", by: "pay", approval: { quorum: people } });
  expect(await agent.waiting(session)).toMatchObject({ approval: { quorum: people } });
  expect(await session.waiting()).toMatchObject({ approval: { quorum: people } });
  const before = await records();
  const again = await answer(ben);
  expect(again).toMatchObject({ status: "failed", fault: { code: "not_allowed" } });
  expect(again.status === "failed" && again.message).toContain("has said yes to pay");
  expect(again.status === "failed" && again.message).toContain("1 more of 2 people");
  expect(await answer(undefined)).toMatchObject({ status: "failed", fault: { code: "not_allowed" } });
  expect(await records()).toEqual(before);
  expect(paid).toEqual([]);
  expect(await answer(cas)).toMatchObject({ status: "completed" });
  expect(paid).toEqual(["ann"]);
  expect(
    (await records()).flatMap((record) => (record.type === "approval" ? [[record.by?.id, record.missing]] : [])),
  ).toEqual([
    ["ben", 1],
    ["cas", undefined],
  ]);
});

test("one id in two tenants is two people", async () => {
  const { start, answer, paid } = made({ quorum: 2 });
  await start();
  await answer(ben);
  expect((await answer({ id: "ben", tenant: "initech" })).status).toBe("completed");
  expect(paid).toEqual(["ann"]);
});

test("one no refuses a call with a quorum", async () => {
  const { start, answer, paid, records } = made({ quorum: 3 });
  await start();
  await answer(ben);
  expect((await answer(cas, { allowed: false, reason: "too much" })).status).toBe("completed");
  expect(paid).toEqual([]);
  const result = (await records()).find((record) => record.type === "result");
  expect(result?.type === "result" && result.result.text).toContain("too much");
});

test("a quorum may depend on the call, and stays with a call that waits", async () => {
  let people = 2;
  const { start, answer } = made({ quorum: ({ name }) => (name === "pay" ? people : 1) });
  await start();
  people = 1;
  expect((await answer(ben)).status).toBe("waiting");
  expect((await answer(cas)).status).toBe("completed");
});

test("a quorum that nobody can tell denies the call", async () => {
  for (const quorum of [
    () => 0,
    () => 1.5,
    () => {
      throw new Error("down");
    },
  ]) {
    const { start, paid, records } = made({ quorum });
    expect((await start()).status).toBe("completed");
    expect(paid).toEqual([]);
    const denied = (await records()).find((record) => record.type === "decision");
    expect(denied).toMatchObject({ allowed: false });
    expect(denied?.type === "decision" && denied.reason).toContain("how many people have to approve it");
  }
  expect(() => made({ quorum: 0 })).toThrow("approvals.quorum is 0");
});

test("a yes for later calls as well does not count where rules say who may approve", async () => {
  for (const rules of [{ quorum: 2 }, { mayApprove: () => true }]) {
    const { start, answer, paid } = made(rules);
    await start();
    const outcome = await answer(ben, { allowed: true, always: true });
    expect(outcome.status === "failed" && outcome.message).toContain("leave it out");
    expect(paid).toEqual([]);
  }
});

test("the same yes again, with the id of its input, is the same yes", async () => {
  const { agent, start, session, records } = made({ quorum: 2 });
  const waiting = await start();
  const yes = () =>
    agent.run({ allowed: true }, { session, answers: (waiting as { id: string }).id, inputId: "yes", by: ben });
  await yes();
  const before = await records();
  expect(await yes()).toMatchObject({ status: "waiting", joined: true, approval: { quorum: { missing: 1 } } });
  expect(await records()).toEqual(before);
});

test("two people who say yes at one moment are two", async () => {
  const { start, answer, paid } = made({ quorum: 2 });
  await start();
  const statuses = (await Promise.all([answer(ben), answer(cas)])).map(({ status }) => status);
  expect(statuses.sort()).toEqual(["completed", "waiting"]);
  expect(paid).toEqual(["ann"]);
});

test("the rules hold for the calls of an agent that a call runs, and the approver is the person who answered", async () => {
  const below = made(undefined);
  const store = memoryStore();
  const session = openSession({ store, id: "above" });
  const above = createAgent({
    model: scriptedModel([[call("buyer", { task: "buy" })], done]),
    tools: [delegate(below.agent, { name: "buyer", description: "Buys." }), taskCompletion()],
    permission: {
      decide: ({ name }: { readonly name: string }, { approval }) =>
        name !== "pay" ? { allowed: true, reason: "no money" } : (approval ?? { later: true, reason: "money" }),
    },
    approvals: { mayApprove: fourEyes, quorum: 2 },
  });
  const answer = async (by: Principal) => {
    const waiting = await above.waiting(session);
    return above.run({ allowed: true }, { session, answers: waiting!.id, by });
  };
  expect((await above.run("go", { session, by: ann })).status).toBe("waiting");
  const before = (await session.toJSON()).records;
  expect(await answer(ann)).toMatchObject({ status: "failed", fault: { code: "not_allowed" } });
  expect((await session.toJSON()).records).toEqual(before);
  expect(await answer(ben)).toMatchObject({
    status: "waiting",
    value: { approval: { quorum: { needed: 2, given: [ben], missing: 1 } } },
  });
  expect(await answer(ben)).toMatchObject({ status: "failed", fault: { code: "not_allowed" } });
  expect(below.paid).toEqual([]);
  expect(await answer(cas)).toMatchObject({ status: "completed" });
  expect(below.paid).toEqual(["ann"]);
});

test("an answer that the rules of an agent below refuse leaves its call waiting, with the words", async () => {
  const below = made({ mayApprove: (who) => who?.id === "cas" || "only cas may" });
  const store = memoryStore();
  const session = openSession({ store, id: "above" });
  const above = createAgent({
    model: scriptedModel([[call("buyer", { task: "buy" })], done]),
    tools: [delegate(below.agent, { name: "buyer", description: "Buys." }), taskCompletion()],
    permission: {
      decide: ({ name }: { readonly name: string }, { approval }) =>
        name !== "pay" ? { allowed: true, reason: "no money" } : (approval ?? { later: true, reason: "money" }),
    },
  });
  const answer = async (by: Principal) => {
    const waiting = await above.waiting(session);
    return above.run({ allowed: true }, { session, answers: waiting!.id, by });
  };
  await above.run("go", { session, by: ann });
  const refused = await answer(ben);
  expect(refused).toMatchObject({ status: "waiting" });
  expect(JSON.stringify((refused as { value: unknown }).value)).toContain("only cas may");
  expect(below.paid).toEqual([]);
  expect((await answer(cas)).status).toBe("completed");
  expect(below.paid).toEqual(["ann"]);
});
