// A server that the tests kill: it resumes what the last one left, and its model goes by the prompt, so that each life goes on.
// Arguments: the folder of the sessions, the port, the number of steps of a run, and each how many of them needs an approval (0: none).

import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { createAgent, tool } from "lastcall";
import { fileStore } from "lastcall/memory";
import { createHandler, serve } from "lastcall/server";
import { taskCompletion } from "lastcall/tools";
import { z } from "zod";

const [folder, port, steps, approved = "0"] = process.argv.slice(2);

const usage = { inputTokens: 1, outputTokens: 1, cachedInputTokens: 0, reasoningTokens: 0 };

const model = {
  name: "by-the-prompt",
  async *respond({ messages }) {
    const done = messages.filter(({ role }) => role === "tool").length;
    const text = `After ${String(done)} results comes the next step.`;
    for (const word of text.split(" ")) {
      yield { type: "text-delta", text: `${word} ` };
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    const next =
      done < Number(steps)
        ? { type: "call", name: "step", input: { number: done } }
        : { type: "call", name: "task_completion", input: { result: `${String(done)} steps` } };
    return { text: `${text} `, calls: [next], finish: "complete", usage };
  },
};

const step = tool({
  name: "step",
  description: "Takes a step",
  effect: approved === "0" ? "none" : "write",
  input: z.object({ number: z.number() }),
  async run({ number }, { callId }) {
    appendFileSync(join(folder, "..", "effects"), `${callId}\n`);
    return `step ${String(number)}`;
  },
});

const permission = ({ input: { number } }) =>
  number % Number(approved) === 0 ? { later: true, reason: "somebody has to look" } : { allowed: true };

const agent = createAgent({ model, tools: [step, taskCompletion()], permission });
await serve(createHandler({ agents: { worker: agent }, store: fileStore(folder) }), { port: Number(port) });
process.stdout.write("up\n");
