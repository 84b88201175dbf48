import { describe, expect, test } from "vitest";
import { z } from "zod";
import { digestOf, permit } from "../../../src/core/call/permit.js";
import { resolve, type ResolvedCall } from "../../../src/core/call/resolve.js";
import { tool, type AnyPermission, type Deciding, type Later, type Tool } from "../../../src/core/index.js";
import type { RecordBody } from "../../../src/core/internal.js";
import { taskCompletion } from "../../../src/tools/index.js";
import { call } from "../../../src/testing/index.js";
import { drain } from "../drain.js";
import { input } from "../journal.js";
import { idOf, openRun, replied, worker } from "../open-run.js";

const later: Later = { later: true, reason: "it costs money" };
const id = idOf(1);

/** The record of the call of `work`, parked. */
const parked = async (n: number): Promise<RecordBody> => ({
  type: "parked",
  callId: id,
  name: "work",
  input: { n },
  reason: "it costs money",
  digest: await digestOf({ name: "work", input: { n } }),
});

async function permitted(
  decide: AnyPermission["decide"],
  { one = worker("work", "write"), after = [] }: { readonly one?: Tool; readonly after?: readonly RecordBody[] } = {},
) {
  const permission: AnyPermission = { decide };
  const bodies = [input(1, "go"), replied(1, [call("work", { n: 1 })]), ...after];
  const opened = openRun({ tools: [one, taskCompletion()], permission: permission as never }, bodies);
  const ready = (await resolve(opened.run.parts.tools, opened.run.reply.calls[0]!)) as ResolvedCall;
  return { ...opened, ...(await drain(permit(opened.run, ready))) };
}

const previewing = (preview: () => string | Promise<string>): Tool =>
  tool({
    name: "work",
    description: "Works.",
    input: z.object({ n: z.number(), on: z.coerce.date().default(new Date(0)) }),
    effect: "write",
    preview,
    run: () => "done",
  });

describe("a permission that answers later", () => {
  test("parks the call: the record has the input, the reason and the digest, and watchers are told", async () => {
    const { value, added, events } = await permitted(() => later);
    expect(value).toBeUndefined();
    const { digest } = (await parked(1)) as { readonly digest: string };
    expect(added()).toMatchObject([
      { type: "parked", callId: id, name: "work", input: { n: 1 }, reason: later.reason, digest },
    ]);
    expect(events).toEqual([{ type: "call-parked", callId: id, name: "work", why: later.reason, digest }]);
  });

  test("parks it with the time of its end, from now on", async () => {
    const { added, clock } = await permitted(() => ({ ...later, expiresAfter: 1000 }));
    expect(added()[0]).toMatchObject({ expiresAt: clock.now() + 1000 });
  });

  test("parks it with the tool's preview, which is cut if it is long, and with the source of an input that is more than JSON", async () => {
    const { added } = await permitted(() => later, { one: previewing(() => "x".repeat(30_000)) });
    const [record] = added() as readonly (RecordBody & { readonly preview?: string })[];
    expect(record?.preview).toMatch(/^x{20000}\n\[\.\.\. 10000 more characters \.\.\.\]$/);
    expect(record).toMatchObject({ input: { n: 1, on: "1970-01-01T00:00:00.000Z" }, source: { n: 1 } });
  });

  test("parks a call whose preview throws, and says that it will most likely fail", async () => {
    const one = previewing(() => Promise.reject(new Error("there is no such file")));
    const { added } = await permitted(() => later, { one });
    expect(added()[0]).toMatchObject({ preview: "It will most likely fail: there is no such file" });
  });

  test("cuts no secret in two: it is redacted before the preview is cut", async () => {
    const secret = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGH";
    const one = previewing(() => `${"x".repeat(20_000 - 20)} ${secret}`);
    const { added } = await permitted(() => later, { one });
    expect(JSON.stringify(added())).not.toContain("sk-proj-abcdefg");
  });

  test.each([
    { ...later, expiresAfter: 0 },
    { ...later, expiresAfter: Number.NaN },
    { ...later, expiresAfter: "soon" },
    { ...later, allowed: true },
    { ...later, allowed: false },
    { later: "yes", reason: "x" },
    { later: true },
  ])("in no clear words denies the call: %j", async (answer) => {
    const { value, types } = await permitted(() => answer as unknown as Later);
    expect(value).toMatchObject({ allowed: false });
    expect(types()).toEqual(["decision"]);
  });

  test("is not asked about a call that waits already", async () => {
    let asked = 0;
    const decide = (): Later => ((asked += 1), later);
    const { value, types } = await permitted(decide, { after: [await parked(1)] });
    expect([value, types(), asked]).toEqual([undefined, [], 0]);
  });
});

describe("a call that was answered", () => {
  const yes: RecordBody = { type: "approval", answers: id, allowed: true, reason: "fine", always: true };
  const no: RecordBody = { type: "approval", answers: id, allowed: false };

  test("is put to permission again, with the answer", async () => {
    const seen: Deciding["approval"][] = [];
    const { value } = await permitted((_call, { approval }) => (seen.push(approval), approval ?? later), {
      after: [await parked(1), yes],
    });
    expect(seen).toEqual([{ allowed: true, reason: "fine", basis: "approver", always: true }]);
    expect(value).toMatchObject({ allowed: true, reason: "fine" });
  });

  test("by no is denied, whatever the permission says now", async () => {
    for (const decide of [
      () => ({ allowed: true, reason: "all is" }),
      () => later,
      (_call: unknown, { approval }: Deciding) => approval!,
    ]) {
      const { value } = await permitted(decide, { after: [await parked(1), no] });
      expect(value).toMatchObject({ allowed: false, reason: "it was not approved" });
    }
  });

  test("is denied by a permission that answers later once more: nothing is parked twice", async () => {
    const { value, types } = await permitted(() => later, { after: [await parked(1), yes] });
    expect(value).toMatchObject({ allowed: false });
    expect(types()).toEqual(["decision"]);
  });

  test("is denied if it is another call by now, and the permission is not asked", async () => {
    let asked = 0;
    const { value } = await permitted(() => ((asked += 1), { allowed: true, reason: "all is" }), {
      after: [await parked(2), yes],
    });
    expect([asked, value]).toMatchObject([
      0,
      { allowed: false, reason: expect.stringContaining("no longer") as string },
    ]);
  });
});

describe("a call that was allowed, and whose question was answered", () => {
  const question: RecordBody = { type: "question", callId: id, id: `${id}/ask:0`, name: "work", value: "Which?" };
  const answer: RecordBody = { type: "answer", answers: `${id}/ask:0`, value: "this" };
  const decided: RecordBody = { type: "decision", callId: id, allowed: true, reason: "mode" };
  const opensAll: AnyPermission["decide"] = (_call, { approval }) => ({
    ...(approval ?? { allowed: true, reason: "r" }),
    opens: ["network", "home", "secrets"],
  });

  test.each([
    { before: undefined, opens: undefined },
    { before: ["home"] as const, opens: ["home"] },
  ])("has no wall open that was closed before it asked: $before", async ({ before, opens }) => {
    const first = { ...decided, ...(before && { opens: before }) } as RecordBody;
    const { value } = await permitted(opensAll, { after: [first, question, answer] });
    expect(value).toMatchObject({ allowed: true });
    expect(value?.opens).toEqual(opens);
  });
});

test("the digest is that of the tool and the arguments, whatever the order of their fields", async () => {
  const digest = await digestOf({ name: "work", input: { a: 1, b: [2] } });
  expect(digest).toMatch(/^[0-9a-f]{64}$/);
  expect(await digestOf({ name: "work", input: { b: [2], a: 1 } })).toBe(digest);
  expect(await digestOf({ name: "word", input: { a: 1, b: [2] } })).not.toBe(digest);
  expect(await digestOf({ name: "work", input: { a: 1, b: [3] } })).not.toBe(digest);
});
