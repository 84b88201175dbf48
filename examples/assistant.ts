// A conversation with an assistant that works between your turns, and whose words are shown as they arrive.

import { createAgent, tool, type Event } from "lastcall";
import { memoryStore, openSession } from "lastcall/memory";
import { openai } from "lastcall/model";
import { converse } from "lastcall/tools";
import { createInterface } from "node:readline";
import { z } from "zod";

const list = new Set<string>();
const item = z.object({ item: z.string().describe("One thing to buy, such as: 2 lemons") });

const add = tool({
  name: "add",
  description: "Puts something on the shopping list.",
  input: item,
  run: (input) => `${String(list.add(input.item).size)} on the list`,
});

const remove = tool({
  name: "remove",
  description: "Takes something off the shopping list.",
  input: item,
  run(input) {
    if (!list.delete(input.item)) throw new Error(`It is not on the list. On it are: ${[...list].join(", ")}`);
    return `${String(list.size)} on the list`;
  },
});

const agent = createAgent({
  model: openai(),
  instructions: "You keep the user's shopping list. You are brief.",
  tools: [add, remove, converse()],
  onText: "converse", // A reply of words alone is a turn of the conversation, too.
});

/** What is on the screen of the reply that is arriving. */
let shown = "";

function show(event: Event): void {
  if (event.type === "request-start") shown = "";
  if (event.type === "text-delta") {
    shown += event.text;
    process.stdout.write(event.text);
  }
  if (event.type === "call-start" && event.call.name !== "converse") {
    process.stdout.write(`${shown === "" ? "" : "\n"}[${event.call.name}]\n`);
    shown = "";
  }
  // The connection broke, or a call beside the words failed: the assistant says it again, and perhaps otherwise.
  if ((event.type === "reply-retracted" || event.type === "claim-retracted") && shown !== "") {
    process.stdout.write("\n[taken back]\n");
    shown = "";
  }
}

// With fileStore("sessions") the conversation outlives the process.
const session = openSession({ store: memoryStore() });
for await (const line of createInterface({ input: process.stdin })) {
  if (line.trim() === "") continue;
  const outcome = await agent.run(line, { session, onEvent: show });
  if (outcome.status === "failed") throw outcome.fault;
  if (outcome.status === "waiting") process.stdout.write("\n");
  else console.error(outcome.status === "stopped" ? outcome.message : outcome.status);
}
