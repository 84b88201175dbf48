// The agent with a scripted model: no key, no network, the same run each time.

import assert from "node:assert/strict";
import { test } from "node:test";
import { call, scriptedModel } from "lastcall/testing";
import { agentWith } from "./agent.ts";

test("coffee runs low and is ordered", async () => {
  const model = scriptedModel([
    [call("stock_of", { product: "coffee" })],
    [call("order", { product: "coffee", packs: 20 })],
  ]);
  const outcome = await agentWith(model).run("Do we have to order coffee?");
  assert(outcome.status === "completed" && outcome.by === "order");
  assert.deepEqual(outcome.value, { product: "coffee", packs: 20 });
});

test("an order of nothing is a mistake that the model gets to mend", async () => {
  const model = scriptedModel([
    [call("order", { product: "tea", packs: 0 })],
    [call("order_nothing", { why: "40 packs of tea are left." })],
  ]);
  const outcome = await agentWith(model).run("Do we have to order tea?");
  assert(outcome.status === "completed" && outcome.by === "order_nothing");
  assert.equal(model.requests.length, 2);
});
