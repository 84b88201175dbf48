// The agent of this example. Its model is scripted, goes by the prompt alone, and takes a second for each reply: no key is needed.

import { setTimeout as wait } from "node:timers/promises";
import { createAgent, tool } from "lastcall";
import { call } from "lastcall/testing";
import { askQuestion, taskCompletion } from "lastcall/tools";
import { z } from "zod";

const pack = tool({
  name: "pack",
  description: "Packs one parcel of an order",
  input: z.object({ parcel: z.int() }),
  // It changes something outside, so it is never run twice without the model being told.
  effect: "network",
  run: async ({ parcel }) => {
    await wait(500);
    return `parcel ${parcel} is packed by process ${process.pid}`;
  },
});

const plan = [
  call("pack", { parcel: 1 }),
  call("pack", { parcel: 2 }),
  call("pack", { parcel: 3 }),
  call("ask_question", { question: "All three are packed. Send them?", suggestions: ["yes", "no"] }),
  call("task_completion", { result: "The order is on its way." }),
];

const model = {
  name: "scripted",
  async *respond({ messages }, signal) {
    const turn = messages.filter(({ role }) => role === "assistant").length;
    await wait(1000, undefined, { signal });
    const { name, input } = plan[Math.min(turn, plan.length - 1)];
    const usage = { inputTokens: 100, cachedInputTokens: 0, outputTokens: 10, reasoningTokens: 0 };
    return { text: "", finish: "complete", usage, calls: [{ type: "call", name, input }] };
  },
};

export const agents = {
  shop: createAgent({
    model,
    tools: [pack, askQuestion(), taskCompletion()],
    permission: { decide: () => ({ allowed: true, reason: "the shop packs what it is told" }) },
  }),
};
