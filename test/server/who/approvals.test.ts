// Answers to calls that wait, over HTTP: rules say whose answer counts, on each route.

import { describe, expect, test } from "vitest";
import {
  createAgent,
  fourEyes,
  tool,
  type ApprovalOptions,
  type JournalRecord,
  type Principal,
} from "../../../src/index.js";
import { memoryStore, openSession } from "../../../src/memory/index.js";
import { createHandler, type HandlerOptions } from "../../../src/server/index.js";
import { call, scriptedModel } from "../../../src/testing/index.js";
import { taskCompletion } from "../../../src/tools/index.js";

const people: readonly Principal[] = ["acme", "initech"].flatMap((tenant) =>
  ["ann", "ben", "cas"].map((id): Principal => ({ id, tenant })),
);
const [ann, ben, cas, other] = [0, 1, 2, 3] as const;

/** The thing that waits for a yes before `pay` runs. */
type Waits = "a call" | "a run at its limit";

/** A server whose sessions the people of a tenant see, and an agent whose calls of `pay` wait, or which waits at its limit before. */
async function made(
  approvals: ApprovalOptions,
  {
    waits = "a call",
    expiresAfter = Infinity,
    ...options
  }: Partial<HandlerOptions> & { readonly waits?: Waits; readonly expiresAfter?: number } = {},
) {
  const payers: (Principal | undefined)[] = [];
  const pay = tool({
    name: "pay",
    description: "Pays.",
    input: { type: "object", properties: {} },
    effect: "write",
    run: (_input: unknown, { principal }) => {
      payers.push(principal);
      return "paid";
    },
  });
  const store = memoryStore();
  const isAtLimit = waits === "a run at its limit";
  const look = tool({ name: "look", description: "Looks.", input: { type: "object", properties: {} }, run: () => "" });
  const agent = createAgent({
    model: scriptedModel([
      ...(isAtLimit ? [[call("look", {})]] : []),
      [call("pay", {})],
      [call("task_completion", { result: "done" })],
    ]),
    tools: [look, pay, taskCompletion()],
    ...(isAtLimit && { limits: { maxIterations: 1, ask: { maxIterations: 5 } } }),
    permission: {
      decide: ({ name }, { approval }) =>
        isAtLimit || name !== "pay"
          ? { allowed: true, reason: "an ending" }
          : (approval ?? { later: true, reason: "money", expiresAfter }),
    },
    approvals,
  });
  const handler = createHandler({
    agents: { worker: agent },
    store,
    authenticate: (request) => people[Number(request.headers.get("x-person") ?? "-1")],
    mayRead: ({ tenant }, { owner }) => tenant === owner.tenant,
    ...options,
  });
  const ask = async (person: number, path: string, body?: unknown) => {
    const response = await handler(
      new Request(`http://localhost${path}`, {
        method: body === undefined ? "GET" : "POST",
        headers: { "x-person": String(person), host: "localhost", "content-type": "application/json" },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(5000),
      }),
    );
    return { status: response.status, text: await response.text() };
  };
  const { text } = await ask(ann, "/sessions", { input: "pay it" });
  const { session } = JSON.parse(text) as { session: string };
  const records = async (): Promise<readonly JournalRecord[]> =>
    (await openSession({ store, id: session }).toJSON()).records;
  const outcomes = async () => (await records()).flatMap((one) => (one.type === "outcome" ? [one.status] : []));
  await expect.poll(outcomes).toEqual(["waiting"]);
  const parked = (await records()).find((record) => record.type === "parked");
  if (parked?.type !== "parked") throw new Error("Nothing waits.");
  const { callId, digest } = parked;
  const approve = (person: number, changed: object = {}) =>
    ask(person, `/sessions/${session}/approvals`, { callId, digest, allowed: true, ...changed });
  return { ask, store, approve, records, outcomes, session, parked, paid: () => payers.length, paidAs: () => payers };
}

describe.each<Waits>(["a call", "a run at its limit"])("%s that waits:", (waits) => {
  test("four eyes: the owner gets 403 with the reason, nothing runs, and another person who may look approves", async () => {
    const { approve, records, outcomes, paid } = await made({ mayApprove: fourEyes }, { waits });
    const before = await records();
    for (const changed of [{}, { allowed: false }]) {
      const { status, text } = await approve(ann, changed);
      expect([status, text]).toEqual([403, expect.stringContaining("somebody else than the person who asked has to")]);
    }
    expect(await records()).toEqual(before);
    expect((await approve(other)).status).toBe(409);
    expect(paid()).toBe(0);
    expect((await approve(ben)).status).toBe(202);
    await expect.poll(outcomes).toEqual(["waiting", "completed"]);
    expect(paid()).toBe(1);
    expect((await records()).find(({ type }) => type === "approval")).toMatchObject({ by: people[ben] });
  });

  test("whoever may only look gives nothing but a yes or no that a rule lets count", async () => {
    const { ask, approve, records, session, paid } = await made(
      { mayApprove: (who) => who?.id === "cas" || "cas has to" },
      { waits },
    );
    const before = await records();
    for (const [path, body] of [
      ["runs", { input: "more" }],
      ["resume", {}],
      ["abort", {}],
    ] as const)
      expect((await ask(cas, `/sessions/${session}/${path}`, body)).status).toBe(403);
    expect(await approve(ben)).toMatchObject({ status: 403, text: expect.stringContaining("cas has to") as string });
    expect(await records()).toEqual(before);
    expect(paid()).toBe(0);
    expect((await approve(cas)).status).toBe(202);
  });

  test("a person who copies another's session gets no second pair of eyes, and none of the other's rights", async () => {
    const { ask, store, session, parked, paidAs } = await made({ mayApprove: fourEyes }, { waits });
    const { status, text } = await ask(ben, `/sessions/${session}/fork`, {});
    expect(status).toBe(201);
    const copy = (JSON.parse(text) as { session: string }).session;
    const copied = (await openSession({ store, id: copy }).toJSON()).records.find((record) => record.type === "parked");
    const callId = copied?.type === "parked" ? copied.callId : "";
    const yes = { callId, digest: parked.digest, allowed: true };
    const own = await ask(ben, `/sessions/${copy}/approvals`, yes);
    expect([own.status, own.text]).toEqual([403, expect.stringContaining("somebody else than the person who asked")]);
    expect((await ask(cas, `/sessions/${copy}/approvals`, yes)).status).toBe(202);
    await expect.poll(paidAs).toEqual([people[ben]]);
  });

  test("an approval of a changed call, or of another, is refused, and nothing runs", async () => {
    const { approve, records, parked, paid } = await made({ mayApprove: fourEyes }, { waits });
    const before = await records();
    expect(
      await approve(ben, { digest: parked.digest.replace(/^./, (one) => (one === "0" ? "1" : "0")) }),
    ).toMatchObject({
      status: 409,
      text: expect.stringContaining("look at the call") as string,
    });
    expect(await approve(ben, { callId: "another" })).toMatchObject({ status: 409 });
    expect(await records()).toEqual(before);
    expect(paid()).toBe(0);
  });

  test("a quorum of two over HTTP: the summary says who is missing, and one person counts once", async () => {
    const { ask, approve, records, outcomes, session, paid } = await made(
      { quorum: 2, mayApprove: () => true },
      { waits },
    );
    expect((await approve(ann)).status).toBe(202);
    await expect.poll(outcomes).toEqual(["waiting", "waiting"]);
    const summary = JSON.parse((await ask(ben, `/sessions/${session}`)).text) as object;
    const quorum = { needed: 2, given: [people[ann]], missing: 1 };
    expect(summary).toMatchObject({ status: "waiting", waiting: { approval: { quorum } } });
    const before = await records();
    expect(await approve(ann)).toMatchObject({ status: 403, text: expect.stringContaining("has said yes") as string });
    expect(await records()).toEqual(before);
    expect(paid()).toBe(0);
    expect((await approve(ben)).status).toBe(202);
    await expect.poll(outcomes).toEqual(["waiting", "waiting", "completed"]);
    expect(paid()).toBe(1);
  });

  test("a page of useChat is refused with the same words, and shows that a call still waits for somebody", async () => {
    const { ask, session, parked, records, outcomes, paid } = await made(
      { quorum: 2, mayApprove: (who) => who?.id !== "ben" || "not ben" },
      { waits },
    );
    const approvalId = `${String((parked as { seq?: number }).seq)}.${parked.digest}`;
    const chat = {
      id: session,
      messages: [
        {
          id: "m",
          role: "assistant",
          parts: [
            {
              type: "dynamic-tool",
              toolName: parked.name,
              toolCallId: parked.callId,
              state: "approval-responded",
              input: {},
              approval: { id: approvalId, approved: true },
            },
          ],
        },
      ],
    };
    const before = await records();
    expect(await ask(ben, "/chat", chat)).toMatchObject({
      status: 403,
      text: expect.stringContaining("not ben") as string,
    });
    expect(await records()).toEqual(before);
    const { status, text } = await ask(ann, "/chat", chat);
    expect([status, text]).toEqual([200, expect.stringContaining("tool-approval-request")]);
    expect(text).toContain('"missing":1');
    const messages = (await ask(ann, `/chat/${session}/messages`)).text;
    expect(messages).toContain('"state":"approval-requested"');
    expect(paid()).toBe(0);
    expect((await ask(cas, "/chat", chat)).status).toBe(200);
    await expect.poll(outcomes).toEqual(["waiting", "waiting", "completed"]);
    expect(paid()).toBe(1);
  });

  test("AG-UI is refused with the same words, and a yes that is not the last ends its run with the interrupt", async () => {
    const { ask, session, parked, outcomes, paid } = await made(
      { quorum: 2, mayApprove: (who) => who?.id !== "ben" || "not ben" },
      { waits },
    );
    const body = {
      ...{ threadId: session, runId: "r", tools: [], context: [], state: {}, forwardedProps: {}, messages: [] },
      resume: [{ interruptId: `${parked.callId}@${parked.digest}`, status: "resolved", payload: { approved: true } }],
    };
    const refused = await ask(ben, "/agui", body);
    expect([refused.status, refused.text]).toEqual([403, expect.stringContaining("not ben")]);
    const { status, text } = await ask(ann, "/agui", body);
    expect([status, text]).toEqual([200, expect.stringContaining('"missing":1')]);
    expect(text).toContain("RUN_FINISHED");
    expect(paid()).toBe(0);
    expect((await ask(cas, "/agui", body)).text).toContain("RUN_FINISHED");
    await expect.poll(outcomes).toEqual(["waiting", "waiting", "completed"]);
    expect(paid()).toBe(1);
  });
});

test("an approval that is late is refused, and nothing runs", async () => {
  const late = await made({ mayApprove: fourEyes }, { expiresAfter: 1 });
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect(await late.approve(ben)).toMatchObject({
    status: 409,
    text: expect.stringContaining("does not wait any more") as string,
  });
  expect(late.paid()).toBe(0);
});
