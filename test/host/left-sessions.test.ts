// The sessions that a dead process left, and those that nobody has to go on with.

import { expect, test } from "vitest";
import { z } from "zod";
import { createAgent, tool } from "../../src/index.js";
import { hostInProcess } from "../../src/host/index.js";
import { leftIn } from "../../src/host/left-sessions.js";
import { forkSession, memoryStore, openSession, type Store } from "../../src/memory/index.js";
import { allowAll } from "../../src/permission/index.js";
import { createHandler } from "../../src/server/index.js";
import { call, scriptedModel } from "../../src/testing/index.js";
import { taskCompletion } from "../../src/tools/index.js";

/** An agent that works twice. With a session in `dies`, its process leaves that session in the first call. */
function worker() {
  const effects: string[] = [];
  const stop = new AbortController();
  const dies = new Set<string>();
  const work = tool({
    name: "work",
    description: "Works",
    input: z.object({}),
    effect: "write",
    run: (_input, { callId }) => {
      effects.push(callId);
      if ([...dies].some((id) => callId.startsWith(`${id}/`))) stop.abort();
      return callId.includes("call:1:") ? "Go." : "Enough.";
    },
  });
  const model = scriptedModel(({ lastText }) =>
    lastText === "Go." ? [call("work")] : [call("task_completion", { result: "done" })],
  );
  const agent = createAgent({ model, tools: [work, taskCompletion()], permission: allowAll() });
  return { effects, dies, suspend: stop.signal, agent };
}

const about = { agent: "worker" };

/** A session that its process left after its first call. */
async function leftSession(store: Store): Promise<ReturnType<typeof worker>> {
  const made = worker();
  made.dies.add("s");
  await made.agent.run("Go.", { session: openSession({ store, id: "s", about }), suspend: made.suspend });
  return made;
}

async function leftIds(store: Store): Promise<readonly string[]> {
  return (await leftIn(store, ["worker"])).map(({ session }) => session);
}

test("a fork in the midst of a run is left by nobody, until somebody has resumed it and died", async () => {
  const store = memoryStore();
  const { dies, agent } = await leftSession(store);
  expect(await leftIds(store)).toEqual(["s"]);
  await forkSession({ store, id: "s", to: "fork" });
  expect(await leftIds(store)).toEqual(["s"]);
  dies.add("fork");
  const { agent: other, suspend, dies: otherDies } = worker();
  otherDies.add("fork");
  await other.resume(openSession({ store, id: "fork" }), { suspend });
  expect(await leftIds(store)).toEqual(["s", "fork"]);
  dies.clear();
  expect(await agent.resume(openSession({ store, id: "fork" }))).toMatchObject({ status: "completed" });
  expect(await leftIds(store)).toEqual(["s"]);
});

test("a fork that got words and whose process died before it took them is left", async () => {
  const store = memoryStore();
  await leftSession(store);
  await forkSession({ store, id: "s", to: "fork" });
  await openSession({ store, id: "fork" }).send({ text: "And more." });
  const left = (await leftIn(store, ["worker"])).filter(({ session }) => session === "fork");
  expect(left.map(({ input }) => input)).toEqual(["And more."]);
});

test("neither a host nor a server that starts goes on with a fork, and both do if they are asked", async () => {
  const store = memoryStore();
  await leftSession(store);
  for (const to of ["one", "two"]) await forkSession({ store, id: "s", to });
  const { agent, effects } = worker();
  await store.delete("s");
  const host = await hostInProcess({ agents: { worker: agent }, store });
  const handler = createHandler({ agents: { worker: agent }, store });
  expect(effects).toEqual([]);
  expect(await (await host.give({ session: "one" })).ended()).toMatchObject({ status: "completed" });
  await handler.host.give({ session: "two" });
  await expect
    .poll(async () => (await openSession({ store, id: "two" }).toJSON()).records.at(-1)?.type)
    .toBe("outcome");
  expect(effects.map((id) => id.split("/")[0])).toEqual(["one", "two"]);
  await Promise.all([host.close(), handler.close()]);
});
