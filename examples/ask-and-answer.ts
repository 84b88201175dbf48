// A question that outlives its process: one run asks and ends, and any later process can answer and continue.

import { createAgent, tool } from "lastcall";
import { fileStore, openSession } from "lastcall/memory";
import { openai } from "lastcall/model";
import { askQuestion, taskCompletion } from "lastcall/tools";
import { readFile, writeFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";

const [command, words = ""] = process.argv.slice(2);

/** Simulates a restaurant's website. A booking that is sent again with the same key is not booked twice. */
async function sendBooking(key: string, booking: object): Promise<void> {
  const text = await readFile("bookings.json", "utf8").catch(() => "{}");
  const bookings = { ...(JSON.parse(text) as Record<string, object>), [key]: booking };
  await writeFile("bookings.json", JSON.stringify(bookings));
}

const bookTable = tool({
  name: "book_table",
  description: "Books a table and waits until the restaurant confirms it.",
  input: z.object({ people: z.int().positive(), time: z.string() }),
  // If the process dies during a call, the call is made again with the same id.
  idempotent: true,
  async run({ people, time }, { callId, signal }) {
    await sendBooking(callId, { people, time });
    console.log("Sent. Waiting for the restaurant ...");
    await sleep(1000, undefined, { signal });
    return "confirmed";
  },
});

const agent = createAgent({
  model: openai(),
  instructions: "You book tables. Ask for what you were not told.",
  tools: [bookTable, askQuestion(), taskCompletion()],
});

// Every record is on the disk before its effects happen. One process writes at a time.
const session = openSession({ store: fileStore("sessions"), id: "table" });

// An answer names the call that it answers. So it counts only once, even if several processes send it.
const asked = command === "answer" ? await agent.waiting(session) : undefined;
if (command === "answer" && asked === undefined) {
  console.error("No question is open.");
  process.exit(1);
}
const outcome =
  command === "resume" ? await agent.resume(session) : await agent.run(words, { session, answers: asked?.id });

switch (outcome.status) {
  case "waiting":
    console.log(outcome.value.question);
    break;
  case "completed":
    console.log(outcome.value.result);
    break;
  case "failed":
    throw outcome.fault;
  case "stopped":
  case "aborted":
    console.error(`${outcome.message}; the session can go on with "resume"`);
    process.exitCode = 1;
}
