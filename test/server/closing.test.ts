// A server that closes suspends its runs, and the next one goes on with them.

import { expect, test } from "vitest";
import { z } from "zod";
import { createAgent, tool } from "../../src/index.js";
import { hostInProcess, type Host } from "../../src/host/index.js";
import { memoryStore, openSession, type Store } from "../../src/memory/index.js";
import { createHandler, watchSession } from "../../src/server/index.js";
import { call, scriptedModel, type Script } from "../../src/testing/index.js";
import { taskCompletion } from "../../src/tools/index.js";

const done = [call("task_completion", { result: "Done." })];

function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}

function workerOf(script: Script, work = (): Promise<void> => Promise.resolve()) {
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
  return createAgent({ model: scriptedModel(script), tools: [wait, taskCompletion()] });
}

/** A host, and the sessions that it went on with when it began. */
async function hostOn(
  store: Store,
  script: Script,
): Promise<{ readonly host: Host; readonly left: readonly string[] }> {
  const left: string[] = [];
  const onLeft = (sessions: readonly string[]): void => void left.push(...sessions);
  return { host: await hostInProcess({ agents: { worker: workerOf(script) }, store, onLeft }), left };
}

const framesOf = (host: Host) => watchSession({ host, id: "s", signal: new AbortController().signal });

test("a run that waits for its model stops at once, and the next host goes on with the same run", async () => {
  const store = memoryStore();
  const { host } = await hostOn(store, [[call("wait")], { delay: 60_000, calls: done }]);
  const run = await host.give({ session: "s", input: "go" });
  for await (const frame of framesOf(host)) if ("record" in frame && frame.record.type === "iteration") break;
  expect(await host.close()).toEqual([]);
  expect(await run.ended()).toMatchObject({ status: "aborted", suspended: true });
  await expect(host.give({ session: "s", input: "more" })).rejects.toThrow("closes");
  const next = await hostOn(store, [done]);
  expect(next.left).toEqual(["s"]);
  for await (const frame of framesOf(next.host)) if ("record" in frame && frame.record.type === "outcome") break;
  const { records } = await openSession({ store, id: "s" }).toJSON();
  expect(records.map(({ type }) => type).filter((type) => ["input", "resume", "outcome"].includes(type))).toEqual([
    "input",
    "resume",
    "outcome",
  ]);
  expect((await hostOn(store, [])).left).toEqual([]);
});

test("calls at work are waited for, and no longer than the grace", async () => {
  const { opened, open } = gate();
  const begun = gate();
  const store = memoryStore();
  const work = (): Promise<void> => {
    begun.open();
    return opened;
  };
  const handler = createHandler({ agents: { worker: workerOf([[call("wait")], done], work) }, store });
  const run = await handler.host.give({ session: "s", input: "go" });
  await begun.opened;
  expect(await handler.close({ timeout: 20 })).toEqual(["s"]);
  expect(handler.host.isClosed).toBe(true);
  open();
  expect(await run.ended()).toMatchObject({ suspended: true });
  const { records } = await openSession({ store, id: "s" }).toJSON();
  expect(records.at(-1)).toMatchObject({ type: "iteration" });
});

test("words that wait in the inbox of a session that nobody has are taken by the next host", async () => {
  const store = memoryStore();
  const session = openSession({ store, id: "s", about: { agent: "worker" } });
  const { host } = await hostOn(store, [done]);
  await (await host.give({ session: "s", input: "go" })).ended();
  await session.send({ id: "late", text: "and that" });
  const next = await hostOn(store, [done]);
  expect(next.left).toEqual(["s"]);
  for await (const frame of framesOf(next.host))
    if ("record" in frame && frame.record.type === "input" && frame.record.sent === "late") break;
  while ((await store.messages("s")).length > 0) await new Promise((resolve) => setTimeout(resolve, 5));
  expect(await next.host.close()).toEqual([]);
});

test("a handler goes on with what was left, and one that only shows does not", async () => {
  const store = memoryStore();
  const { host } = await hostOn(store, [{ delay: 60_000, calls: done }]);
  await host.give({ session: "s", input: "go" });
  await host.close();
  const records = async () => (await openSession({ store, id: "s" }).toJSON()).records;
  const before = await records();
  const shows = createHandler({ agents: { worker: workerOf([done]) }, store, readOnly: true });
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(await records()).toEqual(before);
  expect(await shows.close()).toEqual([]);
  const handler = createHandler({ agents: { worker: workerOf([done]) }, store });
  await expect.poll(async () => (await records()).at(-1)).toMatchObject({ type: "outcome", status: "completed" });
  expect(await handler.close()).toEqual([]);
});

test("a host with many runs at once prints no warning of a leak", async () => {
  const warnings: Error[] = [];
  const onWarning = (warning: Error): void => void warnings.push(warning);
  process.on("warning", onWarning);
  const { host } = await hostOn(memoryStore(), () => ({ delay: 60_000, calls: done }));
  const runs = Array.from({ length: 12 }, (_none, number) => host.give({ session: `s${String(number)}`, input: "go" }));
  await Promise.all(runs);
  expect(await host.close()).toEqual([]);
  await new Promise((resolve) => setImmediate(resolve));
  process.off("warning", onWarning);
  expect(warnings).toEqual([]);
});
