// limited: a bound on requests at once that shrinks while a provider is busy.

import { expect, test } from "vitest";
import { LastcallError, noUsage, wholeReply, type Model, type ModelRequest } from "../../../src/index.js";
import { limited } from "../../../src/model/index.js";

const request: ModelRequest = { key: "k", system: "", messages: [], tools: [], needsCall: false };
const reply = { text: "", calls: [], finish: "complete", usage: noUsage } as const;

/** A model whose requests end when the test says so. */
function heldModel(name: string) {
  const open: { answer: () => void; fail: (fault: LastcallError) => void; retry: () => void }[] = [];
  const model: Model = {
    name,
    provider: "p",
    async *respond() {
      for (;;) {
        const end = await new Promise<LastcallError | "answer" | "retry">((resolve) => {
          open.push({
            answer: () => {
              resolve("answer");
            },
            fail: resolve,
            retry: () => {
              resolve("retry");
            },
          });
        });
        if (end === "answer") return reply;
        if (end !== "retry") throw end;
        yield { type: "request-retry", attempt: 1, delay: 1, reason: "429" };
      }
    },
  };
  return { model, open };
}

/** Lets everything that can go on go on. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

const never = new AbortController().signal;
const ask = (model: Model, signal = never): Promise<unknown> => wholeReply(model.respond(request, signal), signal);

test("requests over the bound wait, over all models that were given together", async () => {
  const [a, b] = [heldModel("a"), heldModel("b")];
  const [first, second] = limited([a.model, b.model], { concurrent: 2 });
  const asked = [ask(first), ask(first), ask(second)];
  await settled();
  expect([a.open.length, b.open.length]).toEqual([2, 0]);
  a.open[0]!.answer();
  await settled();
  expect(b.open).toHaveLength(1);
  a.open[1]!.answer();
  b.open[0]!.answer();
  expect(await Promise.all(asked)).toHaveLength(3);
});

test("the bound halves at a retry and at a fault, and grows again after replies in a row", async () => {
  const held = heldModel("a");
  const [model] = limited([held.model], { concurrent: 4 });
  const asked = Array.from({ length: 20 }, () => ask(model).catch(() => undefined));
  await settled();
  expect(held.open).toHaveLength(4);
  held.open[0]!.fail(new LastcallError("provider_unavailable", "busy"));
  await settled();
  // Three are at work, and the bound is two.
  expect(held.open).toHaveLength(4);
  held.open[1]!.answer();
  held.open[2]!.answer();
  await settled();
  // Two replies in a row: the bound is three, and one is at work.
  expect(held.open).toHaveLength(6);
  held.open[3]!.retry();
  await settled();
  // The same request goes on in its place.
  expect(held.open).toHaveLength(7);
  let answered = 4;
  while (answered < held.open.length) {
    held.open[answered]!.answer();
    answered += 1;
    await settled();
  }
  await Promise.all(asked);
});

test("a request that is aborted while it waits leaves its place to the next", async () => {
  const held = heldModel("a");
  const [model] = limited([held.model], { concurrent: 1 });
  const first = ask(model);
  const abort = new AbortController();
  const second = ask(model, abort.signal).catch((thrown: unknown) => thrown);
  const third = ask(model);
  await settled();
  abort.abort(new Error("no more"));
  expect(await second).toMatchObject({ message: "no more" });
  await settled();
  expect(held.open).toHaveLength(1);
  held.open[0]!.answer();
  await first;
  await settled();
  held.open[1]!.answer();
  expect(await third).toEqual(reply);
});

test("the models keep their names, and a bound that is none is refused", () => {
  const [model] = limited([{ ...heldModel("a").model, models: ["a", "b"], attachments: ["image/*"] }]);
  expect(model).toMatchObject({ name: "a", provider: "p", models: ["a", "b"], attachments: ["image/*"] });
  expect(() => limited([], { concurrent: 0 })).toThrow("limited.concurrent is 0");
});
