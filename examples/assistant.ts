// A conversation with an assistant that works between your turns. Its replies are shown as they arrive.

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
  onText: "converse", // A reply with text alone is a turn of the conversation, too.
});

/** After these events the reply shown so far does not count: the model replies again, perhaps differently. */
const retractions: ReadonlySet<Event["type"]> = new Set(["reply-retracted", "claim-retracted"]);

/** `words`: text of the current reply is on the screen. `open`: its last line has no line break yet. */
const shown = { words: false, open: false };

function show(event: Event): void {
  if (event.type === "request-start") shown.words = false;
  if (event.type === "text-delta") {
    process.stdout.write(event.text);
    shown.words = shown.open = true;
  }
  const isRetracted = retractions.has(event.type);
  if (shown.open && (isRetracted || event.type === "reply-end")) {
    process.stdout.write("\n");
    shown.open = false;
  }
  if (shown.words && isRetracted) {
    console.log("[taken back]");
    shown.words = false;
  }
  if (event.type === "call-start" && event.call.name !== "converse") console.log(`[${event.call.name}]`);
}

// With fileStore("sessions") the conversation would outlive the process.
const session = openSession({ store: memoryStore() });
for await (const line of createInterface({ input: process.stdin })) {
  if (line.trim() === "") continue;
  const outcome = await agent.run(line, { session, onEvent: show });
  // A waiting outcome is a message that was shown already. After any other outcome, the next line continues the session.
  if (outcome.status !== "waiting") console.error(outcome.message);
}
