// The agent of workers in tests. It goes by the prompt, so that every process asks the same, and notes its work in the file `log`
// beside this one.

import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { tool } from "lastcall";
import { askQuestion, taskCompletion } from "lastcall/tools";
import { z } from "zod";

const note = (what, key) => {
  appendFileSync(join(import.meta.dirname, "log"), `${JSON.stringify({ what, key, pid: process.pid })}\n`);
};

const usage = { inputTokens: 1, outputTokens: 1, cachedInputTokens: 0, reasoningTokens: 0 };

const model = {
  name: "by-the-prompt",
  async *respond({ key, messages }, signal) {
    const turn = messages.filter(({ role }) => role === "assistant").length;
    const words = JSON.stringify(messages);
    note("request", key);
    await sleep(50, undefined, { signal });
    const asks = words.includes("Ask") ? "ask_question" : "charge";
    const name = turn < 2 ? "charge" : turn === 2 ? asks : "task_completion";
    const input = { charge: { slow: words.includes("slow") }, ask_question: { question: "Go on?" } }[name];
    const calls = [{ type: "call", name, input: input ?? { result: "Charged." } }];
    return { text: "", finish: "complete", usage, calls };
  },
};

const charge = tool({
  name: "charge",
  description: "Charges",
  effect: "network",
  input: z.object({ slow: z.boolean() }),
  async run({ slow }, { callId }) {
    note("begin", callId);
    await sleep(slow ? 2000 : 100);
    note("end", callId);
    return "ok";
  },
});

export default { instructions: "Charge.", model, tools: [charge, askQuestion(), taskCompletion()] };
