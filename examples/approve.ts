// A person approves what can't be undone: the approver knows the input of each tool by the name of the call.

import { createAgent, tool, type Approval } from "lastcall";
import { openai } from "lastcall/model";
import { taskCompletion } from "lastcall/tools";
import { createInterface } from "node:readline/promises";
import { z } from "zod";

const refund = tool({
  name: "refund",
  description: "Pays money back for an order.",
  input: z.object({ order: z.string(), cents: z.int().positive() }),
  effect: "network", // Tools that write, execute or use the network are asked about.
  run: ({ order, cents }) => `${String(cents)} cents are paid back for ${order}.`,
});
const closeAccount = tool({
  name: "close_account",
  description: "Closes the account of a customer.",
  input: z.object({ email: z.email() }),
  effect: "write",
  run: ({ email }) => `The account of ${email} is closed.`,
});

const terminal = createInterface({ input: process.stdin });
const answers = terminal[Symbol.asyncIterator]();

async function askPerson(question: string): Promise<Approval> {
  console.log(`${question} [y/N]`);
  const answer = await answers.next();
  return {
    allowed: answer.value === "y",
    reason: `a person was asked and said ${answer.value === "y" ? "yes" : "no"}`,
  };
}

const agent = createAgent({
  model: openai(),
  tools: [refund, closeAccount, taskCompletion()],
  permission: ({ name, input }) => {
    switch (name) {
      case "refund":
        return input.cents <= 1000 || askPerson(`Pay back ${String(input.cents)} cents for ${input.order}?`);
      case "close_account":
        return askPerson(`Close the account of ${input.email} for good?`);
      case "task_completion":
        return true;
    }
  },
});
const outcome = await agent.run(
  process.argv[2] ?? "Refund A-1 (8 euros) and B-2 (90 euros), and close ann@example.com.",
);
terminal.close();
console.log(outcome.status === "completed" ? outcome.value.result : outcome.message);
