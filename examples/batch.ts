// 200 tasks, twenty at a time, under one cost limit for all of them, with a progress bar.

import { createAgent, sharedLimits, tool } from "lastcall";
import { openai } from "lastcall/model";
import { z } from "zod";

const [maxCost = "1"] = process.argv.slice(2);
const model = openai();

const label = tool({
  name: "label",
  description: "Ends the task with the label of the message.",
  input: z.object({ label: z.enum(["spam", "fine"]) }),
  isLoopBreaking: true,
});

// The prices of your model, for a million tokens. A cost limit needs them.
const prices = { [model.name]: { input: 2, output: 8 } };
const agent = createAgent({ model, tools: [label], limits: { maxIterations: 5, prices } });

// One limit for all runs: a run that would pass it stops with the reason `cost_budget`.
const budget = sharedLimits({ maxCost: Number(maxCost) });

const messages = Array.from({ length: 200 }, (_none, index) => `Message ${String(index + 1)}`);
const waiting = messages.entries();
const counts = new Map<string, number>();
let done = 0;

/** Takes one message after the other until none is left. */
async function work(): Promise<void> {
  for (const [, message] of waiting) {
    const outcome = await agent.run(`Label this: ${message}`, { budget });
    const result = outcome.status === "completed" ? outcome.value.label : outcome.status;
    counts.set(result, (counts.get(result) ?? 0) + 1);
    done += 1;
    const bar = "#".repeat(Math.floor((done / messages.length) * 40)).padEnd(40, ".");
    process.stderr.write(
      `\r[${bar}] ${String(done)} of ${String(messages.length)}, cost ${budget.spent.cost.toFixed(3)}`,
    );
  }
}

await Promise.all(Array.from({ length: 20 }, work));
process.stderr.write("\n");
console.log(
  [...counts]
    .sort()
    .map(([result, count]) => `${String(count)} ${result}`)
    .join(", "),
);
