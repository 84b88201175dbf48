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

/** After these what was shown of a reply does not count: the model says it again, and perhaps otherwise. */
const takenBack: ReadonlySet<Event["type"]> = new Set(["reply-retracted", "reply-failure", "claim-retracted"]);

/** The words of the reply that is arriving, as far as they are on the screen. */
let shown = "";

function show(event: Event): void {
  if (event.type === "request-start") shown = "";
  if (event.type === "text-delta") {
    process.stdout.write(event.text);
    shown += event.text;
  }
  if (shown !== "" && (event.type === "reply-end" || event.type === "reply-retracted")) process.stdout.write("\n");
  if (shown !== "" && takenBack.has(event.type)) {
    console.log("[taken back]");
    shown = "";
  }
  if (event.type === "call-start" && event.call.name !== "converse") console.log(`[${event.call.name}]`);
}

// With fileStore("sessions") the conversation outlives the process.
const session = openSession({ store: memoryStore() });
for await (const line of createInterface({ input: process.stdin })) {
  if (line.trim() === "") continue;
  const outcome = await agent.run(line, { session, onEvent: show });
  if (outcome.status === "failed") throw outcome.fault;
  if (outcome.status === "waiting") {
    // Where the server knows no tool calls, they stand in the text of the reply, and are shown once they are read.
    if (!shown.includes(outcome.value.message)) console.log(outcome.value.message);
  } else console.error(outcome.status === "stopped" ? outcome.message : outcome.status);
}
