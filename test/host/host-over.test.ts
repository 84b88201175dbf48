// The deliveries that a host takes and refuses, before its engine gets them.

import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { z } from "zod";
import { createAgent, tool } from "../../src/index.js";
import type { InputRecord } from "../../src/core/internal.js";
import type { Engine } from "../../src/host/engine.js";
import { hostOver } from "../../src/host/host-over.js";
import { hostInProcess, type Host } from "../../src/host/index.js";
import { memoryStore, openSession, type Store } from "../../src/memory/index.js";
import { call, scriptedModel, type Script } from "../../src/testing/index.js";
import { askQuestion, taskCompletion } from "../../src/tools/index.js";

const done = [call("task_completion", { result: "Done." })];
const asks = [call("ask_question", { question: "Which?" })];
const pay = tool({ name: "pay", description: "Pays", effect: "network", input: z.object({}), run: () => "paid" });

function hostOn(script: Script, store: Store = memoryStore()): Promise<Host> {
  const worker = createAgent({
    model: { ...scriptedModel(script), attachments: ["image/*"] },
    tools: [pay, askQuestion(), taskCompletion()],
    permission: () => ({ later: true, reason: "money" }),
  });
  return hostInProcess({ agents: { worker }, store });
}

async function waitingOf(host: Host) {
  return (await (await host.give({ session: "s", input: "go" })).ended()).waiting!;
}

test("an answer that nothing waits for is refused at once, with the reason", async () => {
  const host = await hostOn([asks, [call("nothing")], done]);
  await expect(host.give({ session: "s", answers: "s/1", input: "this" })).rejects.toThrow("There is no call s/1");
  await expect(host.give({ session: "s", input: { allowed: true } })).rejects.toThrow("No call of the session s waits");
  const { id } = await waitingOf(host);
  await expect(host.give({ session: "s", answers: `${id}9`, input: "this" })).rejects.toThrow("There is no call");
  await expect(host.give({ session: "s", answers: id })).rejects.toThrow("has no input");
  expect(await (await host.give({ session: "s", answers: id, input: "this" })).ended()).toEqual({
    status: "completed",
  });
  const { records } = await openSession({ store: host.store, id: "s" }).toJSON();
  const [, later] = records.flatMap((record) =>
    record.type === "reply" ? record.reply.calls.map(({ id }) => id) : [],
  );
  await expect(host.give({ session: "s", answers: later, input: "this" })).rejects.toThrow("does not wait any more");
  // An answer that comes twice has the end of the run that took the first.
  expect(await (await host.give({ session: "s", answers: id, input: "that" })).ended()).toMatchObject({ joined: true });
});

test("the time at which an answer was given is kept with it, whoever gives it", async () => {
  const host = await hostOn([asks, done]);
  const { id } = await waitingOf(host);
  const before = Date.now();
  await (await host.give({ session: "s", answers: id, input: "this" })).ended();
  const { records } = await openSession({ store: host.store, id: "s" }).toJSON();
  const { givenAt } = records.find((record) => record.type === "input" && record.answers === id) as InputRecord;
  expect(givenAt).toBeGreaterThanOrEqual(before);
  expect(givenAt).toBeLessThanOrEqual(Date.now());
});

test("a yes is about the call that was shown, and a yes without a digest is the program's own", async () => {
  const store = memoryStore();
  let runs = 0;
  const lock: Store["lock"] = (...given) => {
    runs += 1;
    return store.lock(...given);
  };
  const host = await hostOn([[call("pay")], [call("pay")], done], { ...store, lock });
  const { id, digest } = await waitingOf(host);
  runs = 0;
  const other = { allowed: true, digest: "0".repeat(64) };
  await expect(host.give({ session: "s", input: other })).rejects.toThrow("look at the call");
  await expect(host.give({ session: "s", answers: id, input: other })).rejects.toThrow("look at the call");
  // No run began for it, so any engine refuses it to its giver.
  expect(runs).toBe(0);
  const next = await (
    await host.give({ session: "s", answers: id, input: { allowed: true, digest: digest! } })
  ).ended();
  expect(next.waiting!.id).not.toBe(id);
  expect(await (await host.give({ session: "s", input: { allowed: true } })).ended()).toEqual({ status: "completed" });
});

/** A file of some bytes, which the agent takes, and a file that it refuses. */
const image = (last: number) => ({ bytes: Uint8Array.from([...signature, last]), mediaType: "image/png" });
const text = { bytes: Buffer.from("words"), mediaType: "text/plain" };
const signature = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];

/** The number of these files whose bytes the session has. */
async function keptOf(store: Store, files: readonly { readonly bytes: Uint8Array }[]): Promise<number> {
  const digests = files.map(({ bytes }) => createHash("sha256").update(bytes).digest("hex"));
  return (await Promise.all(digests.map((digest) => store.attachments!("s").read(digest)))).filter(Boolean).length;
}

test("a file of a refused input goes, and a file that the session has from before stays", async () => {
  const store = memoryStore();
  const host = await hostOn([done, done], store);
  await (await host.give({ session: "s", input: "look", attachments: [image(1)] })).ended();
  const files = [image(1), image(2), text];
  await expect(host.give({ session: "s", input: "look", attachments: files })).rejects.toThrow("takes image/* only");
  expect([await keptOf(store, [image(1)]), await keptOf(store, [image(2), text])]).toEqual([1, 0]);
});

test("a file of a refused input stays if other words with the same file wait", async () => {
  const store = memoryStore();
  const host = await hostOn([{ calls: [call("nothing")], delay: 300 }, done], store);
  const first = await host.give({ session: "s", input: "go" });
  const words = await host.give({ session: "s", input: "look", attachments: [image(1)] });
  const files = [image(1), image(2), text];
  await expect(host.give({ session: "s", input: "look", attachments: files })).rejects.toThrow("takes image/* only");
  expect([await keptOf(store, [image(1)]), await keptOf(store, [image(2), text])]).toEqual([1, 0]);
  expect(await first.ended()).toEqual({ status: "completed" });
  expect(await words.ended()).toMatchObject({ status: "completed" });
});

test("words that were given twice stay in the inbox if one of the two deliveries is refused", async () => {
  const store = memoryStore();
  let free!: (text: string) => void;
  const isFree = new Promise<string>((resolve) => {
    free = resolve;
  });
  const wait = tool({ name: "wait", description: "Waits", input: z.object({}), run: () => isFree });
  const model = scriptedModel([[call("wait")], done]);
  const host = await hostInProcess({
    agents: { worker: createAgent({ model, tools: [wait, taskCompletion()] }) },
    store,
  });
  const run = await host.give({ session: "s", input: "go" });
  await host.give({ session: "s", input: "more", inputId: "w1" });
  const refusing = {
    ...{ name: "refusing", terms: [], agents: { worker: createAgent({ model, tools: [taskCompletion()] }) }, store },
    ...{ agentOf: undefined, give: () => Promise.reject(new Error("no place")) },
  } as unknown as Engine;
  const refuses = hostOver(refusing);
  await expect(refuses.give({ session: "s", input: "more", inputId: "w1" })).rejects.toThrow("no place");
  // Words without an id of the caller were given once, and leave no trace.
  await expect(refuses.give({ session: "s", input: "other" })).rejects.toThrow("no place");
  expect((await store.messages("s")).map(({ id }) => id)).toEqual(["w1"]);
  free("over");
  expect(await run.ended()).toEqual({ status: "completed" });
  const { records } = await openSession({ store, id: "s" }).toJSON();
  expect(records.filter(({ type }) => type === "steer")).toMatchObject([{ text: "more", sent: "w1" }]);
});
