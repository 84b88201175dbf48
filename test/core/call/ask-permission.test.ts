import { expect, test } from "vitest";
import { askPermission } from "../../../src/core/call/ask-permission.js";
import { resolve, type ResolvedCall } from "../../../src/core/call/resolve.js";
import type { AnyPermission, Event } from "../../../src/core/index.js";
import { taskCompletion } from "../../../src/tools/index.js";
import { call } from "../../../src/testing/index.js";
import { drain } from "../drain.js";
import { input } from "../journal.js";
import { idOf, openRun, replied, worker } from "../open-run.js";
import { sourceOf } from "../../../src/core/time/stage.js";

const callId = idOf(1);
const yes = { allowed: true, reason: "so it is" } as const;

async function asking(decide: AnyPermission["decide"]) {
  const permission = { decide } as AnyPermission;
  const bodies = [input(1, "go"), replied(1, [call("work", { n: 1 })])];
  const opened = openRun(
    { tools: [worker("work", "write"), taskCompletion()], permission: permission as never },
    bodies,
  );
  const ready = (await resolve(opened.run.parts.tools, opened.run.reply.calls[0]!)) as ResolvedCall;
  return { ...opened, source: sourceOf(askPermission(opened.run, ready, undefined)) };
}

test("a permission that announces nothing yields nothing", async () => {
  expect(await drain((await asking(() => yes)).source)).toEqual({ events: [], value: yes });
  expect(await drain((await asking(() => Promise.resolve(yes))).source)).toEqual({ events: [], value: yes });
});

test("an announcement is an event before the answer is there", async () => {
  let answer = (): void => undefined;
  const { source } = await asking((_call, { announce }) => {
    announce?.({ why: "it pays", rule: "work" });
    return new Promise((settle) => {
      answer = () => {
        settle(yes);
      };
    });
  });
  const asked: Event = { type: "call-asking", callId, name: "work", why: "it pays", rule: "work" };
  expect(await source.next()).toEqual({ done: false, value: asked });
  answer();
  expect(await source.next()).toEqual({ done: true, value: yes });
});

test("each announcement is told, also a late one and one of a permission that answers at once", async () => {
  const sync = await drain(
    (
      await asking((_call, { announce }) => {
        announce?.({ why: "at once" });
        return yes;
      })
    ).source,
  );
  expect(sync.events).toEqual([{ type: "call-asking", callId, name: "work", why: "at once" }]);
  const late = await drain(
    (
      await asking(async (_call, { announce }) => {
        announce?.({ why: "first" });
        await new Promise((settle) => setTimeout(settle, 5));
        announce?.({ why: "second" });
        announce?.({ why: "third" });
        return yes;
      })
    ).source,
  );
  expect(late.events.map((event) => event.type === "call-asking" && event.why)).toEqual(["first", "second", "third"]);
  expect(late.value).toEqual(yes);
});

test("an announcement is told however soon it comes after the question", { timeout: 5000 }, async () => {
  for (const turns of Array.from({ length: 20 }).keys()) {
    const { source } = await asking(async (_call, { announce }) => {
      for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
      announce?.({ why: "soon" });
      return new Promise<never>(() => undefined);
    });
    expect(await source.next()).toMatchObject({ value: { type: "call-asking", why: "soon" } });
  }
});

test("an announcement without words is an error of the permission, which denies the call", async () => {
  const { source } = await asking((_call, { announce }) => {
    announce?.({} as never);
    return yes;
  });
  const { events, value } = await drain(source);
  expect(events).toEqual([]);
  expect(value).toMatchObject({ allowed: false, reason: expect.stringContaining("announce takes `why`") });
});

test("an abort ends the question, and a watcher that leaves at it leaves no rejection behind", async () => {
  const hanging: AnyPermission["decide"] = (_call, { announce }) => {
    announce?.({ why: "it pays" });
    return new Promise<never>(() => undefined);
  };
  const aborted = await asking(hanging);
  await aborted.source.next();
  aborted.abort.abort(new Error("enough"));
  await expect(aborted.source.next()).rejects.toThrow("enough");
  const left = await asking(hanging);
  await left.source.next();
  await left.source.return(yes);
  // An unhandled rejection would fail the test.
  left.abort.abort(new Error("enough"));
  await new Promise((settle) => setTimeout(settle, 5));
});
