// A hub that closes suspends its runs, and the next one goes on with them.

import { expect, test } from "vitest";
import { z } from "zod";
import { createAgent, tool } from "../../src/index.js";
import { memoryStore, openSession } from "../../src/memory/index.js";
import { createHub } from "../../src/server/index.js";
import { call, scriptedModel, type Script } from "../../src/testing/index.js";
import { taskCompletion } from "../../src/tools/index.js";

const done = [call("task_completion", { result: "Done." })];

function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}

function hubOn(store: ReturnType<typeof memoryStore>, script: Script, work = (): Promise<void> => Promise.resolve()) {
  const wait = tool({
    name: "wait",
    description: "Waits",
    effect: "read",
    input: z.object({}),
    run: async () => {
      await work();
      return "waited";
    },
  });
  const worker = createAgent({ model: scriptedModel(script), tools: [wait, taskCompletion()] });
  return createHub({ agents: { worker }, store });
}

test("a run that waits for its model stops at once, and the next hub goes on with the same run", async () => {
  const store = memoryStore();
  const first = hubOn(store, [[call("wait")], { delay: 60_000, calls: done }]);
  const { outcome } = await first.start({ session: "s", input: "go" });
  for await (const frame of first.frames("s", { signal: new AbortController().signal }))
    if ("record" in frame && frame.record.type === "iteration") break;
  expect(await first.close()).toEqual([]);
  expect(await outcome).toMatchObject({ status: "aborted", suspended: true });
  await expect(first.start({ session: "s", input: "more" })).rejects.toThrow("closes");
  const next = hubOn(store, [done]);
  expect(await next.resumeLeft()).toEqual(["s"]);
  for await (const frame of next.frames("s", { signal: new AbortController().signal }))
    if ("record" in frame && frame.record.type === "outcome") break;
  const { records } = await openSession({ store, id: "s" }).toJSON();
  expect(records.map(({ type }) => type).filter((type) => ["input", "resume", "outcome"].includes(type))).toEqual([
    "input",
    "resume",
    "outcome",
  ]);
  expect(await next.resumeLeft()).toEqual([]);
});

test("calls at work are waited for, and no longer than the grace", async () => {
  const { opened, open } = gate();
  const begun = gate();
  const store = memoryStore();
  const hub = hubOn(store, [[call("wait")], done], () => {
    begun.open();
    return opened;
  });
  const { outcome } = await hub.start({ session: "s", input: "go" });
  await begun.opened;
  expect(await hub.close({ grace: 20 })).toEqual(["s"]);
  open();
  expect(await outcome).toMatchObject({ suspended: true });
  const { records } = await openSession({ store, id: "s" }).toJSON();
  expect(records.at(-1)).toMatchObject({ type: "iteration" });
});

test("words that wait in the inbox of a session that nobody has are taken by the next hub", async () => {
  const store = memoryStore();
  const session = openSession({ store, id: "s", about: { agent: "worker" } });
  const ended = hubOn(store, [done]);
  await (
    await ended.start({ session: "s", input: "go" })
  ).outcome;
  await session.send({ id: "late", text: "and that" });
  const next = hubOn(store, [done]);
  expect(await next.resumeLeft()).toEqual(["s"]);
  for await (const frame of next.frames("s", { signal: new AbortController().signal }))
    if ("record" in frame && frame.record.type === "input" && frame.record.sent === "late") break;
  while ((await store.messages("s")).length > 0) await new Promise((resolve) => setTimeout(resolve, 5));
  expect(await next.close()).toEqual([]);
});

test("a hub with many runs at once prints no warning of a leak", async () => {
  const warnings: Error[] = [];
  const onWarning = (warning: Error): void => void warnings.push(warning);
  process.on("warning", onWarning);
  const hub = hubOn(memoryStore(), () => ({ delay: 60_000, calls: done }));
  const runs = Array.from({ length: 12 }, (_none, number) => hub.start({ session: `s${String(number)}`, input: "go" }));
  await Promise.all(runs);
  expect(await hub.close()).toEqual([]);
  await new Promise((resolve) => setImmediate(resolve));
  process.off("warning", onWarning);
  expect(warnings).toEqual([]);
});
