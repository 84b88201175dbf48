// The types of an API at which people sign in: its question in the outcome, and no call of it by a tool that declares no question.

import { expectTypeOf, it } from "vitest";
import { createAgent, tool } from "../../../src/index.js";
import { memoryVault, signIns, type SignInQuestion } from "../../../src/mcp/index.js";
import { scriptedModel } from "../../../src/testing/index.js";
import { taskCompletion } from "../../../src/tools/index.js";

const crm = signIns({ vault: memoryVault(), redirect: "http://localhost/oauth/callback" }).api({
  name: "crm",
  url: "https://api.crm.example",
});
const about = { description: "Lists contacts.", input: { type: "object", properties: {} } } as const;

it("has its question in the outcome of an agent", async () => {
  const contacts = tool({
    ...about,
    name: "contacts",
    effect: "network",
    asks: crm.asks,
    run: async (_input: unknown, context) => (await crm.fetchFor(context)("https://api.crm.example/contacts")).text(),
  });
  const outcome = await createAgent({ model: scriptedModel([]), tools: [contacts, taskCompletion()] }).run("Go.");
  if (outcome.status === "waiting" && outcome.approval === undefined)
    expectTypeOf(outcome.value).toEqualTypeOf<SignInQuestion>();
});

it("is called by no tool that declares no question", () => {
  tool({
    ...about,
    name: "contacts",
    effect: "network",
    // @ts-expect-error The tool has no asks.
    run: async (_input: unknown, context) => (await crm.fetchFor(context)("https://api.crm.example/contacts")).text(),
  });
});
